"""SVG: what one sees is compared; a stranger's drawing reads no file, and ends in one line and bounded memory."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from rex.contents.client import Comparer
from rex.contents.compare import compare_data, detect
from rex.contents.rules import Rules, make
from rex.contents.tally import DIFFERENT, SAME, WITHIN
from test_hostile_contents import compared, zip_of

BEGIN = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
RULES = make(0, 0, 0, (), (), False)


def svg(inner: str, size: str = 'viewBox="0 0 40 20"', head: str = "") -> bytes:
    return f"{head}{BEGIN}{size}>{inner}</svg>".encode()


def rect(width: object) -> str:
    return f'<rect width="{width}" height="9"/>'


@pytest.fixture(scope="module")
def comparer() -> Iterator[Comparer]:
    pytest.importorskip("resvg_py")
    with Comparer(RULES, memory_bytes=1 << 30, pair_seconds=5) as made:
        yield made


def test_only_the_root_makes_a_drawing() -> None:
    assert detect("a", b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- a <svg> --><!DOCTYPE svg [<!ENTITY a 'b'>]>\n" + svg("")) == "svg"
    assert detect("a", b"<html><svg></svg></html>") == detect("a.svg", b"<!--" * 1000 + b"-->" * 300) == "text"


def test_pixels_decide(comparer: Comparer, tmp_path: Path) -> None:
    found = compared(comparer, tmp_path, "a.svg", svg(rect(5)), svg(rect(6)))
    assert found.outcome == DIFFERENT and found.sentence.startswith("pixels: 3,600 of 1,280,000 differ")
    one, two = (svg(f'<metadata>{date}</metadata><g id="{date}">{rect(5)}</g>') for date in ("2024", "2025"))
    assert compared(comparer, tmp_path, "a.svg", one, two).outcome == SAME
    grey = [svg(f'<rect width="9" height="9" fill="rgb({shade},0,0)"/>') for shade in (100, 102)]
    with Comparer(make(0, 0.01, 0, (), (), False)) as tolerant:
        assert compared(tolerant, tmp_path, "a.svg", *grey).outcome == WITHIN
    assert compared(comparer, tmp_path, "a.svg", *grey).outcome == DIFFERENT


@pytest.mark.parametrize("left, right, word", [
    (svg('<text x="1" y="9">one</text>'), svg('<text x="1" y="9">two</text>'), "line"),
    (svg('<text x="1" y="9" font-family="None">a</text>'), svg('<text x="2" y="9" font-family="None">a</text>'), ""),
    (svg(rect(5)), svg(rect(5), 'viewBox="0 0 80 40"'), "width: 1 of 1"),
    (svg('<image width="9" height="9" href="a.png"/>'), svg('<image width="9" height="9" href="b.png"/>'), "files that it shows"),
], ids=["words", "place", "size", "files"])
def test_what_pixels_may_not_show_counts(comparer: Comparer, tmp_path: Path, left: bytes, right: bytes, word: str) -> None:
    found = compared(comparer, tmp_path, "a.svg", left, right)
    assert found.outcome == DIFFERENT and word in found.sentence


def test_no_other_file_is_shown(comparer: Comparer, tmp_path: Path) -> None:
    from PIL import Image
    Image.new("RGB", (40, 20), "red").save(tmp_path / "red.png")
    picture = f'<image width="40" height="20" xlink:href="%s"/>'
    hidden = base64.b64encode(svg(picture % f"{tmp_path}/red.png")).decode()
    entity = f'<!DOCTYPE svg [<!ENTITY f "{tmp_path}/red.png">]>'
    for data in (svg(picture % f"{tmp_path}/red.png"), svg(picture % f"data:image/svg+xml;base64,{hidden}"), svg(picture % "&f;", head=entity)):
        assert "pixels" not in compared(comparer, tmp_path, "a.svg", data, svg("")).sentence
    shown = base64.b64encode((tmp_path / "red.png").read_bytes()).decode()
    assert "pixels" in compared(comparer, tmp_path, "a.svg", svg(picture % f"data:image/png;base64,{shown}"), svg("")).sentence


HOSTILE = {
    "huge": svg(rect(5), 'width="9e9" height="9e9"'),
    "narrow": svg(rect(5), 'width="1" height="1000000"'),
    "entities": svg("<text>&a9;</text>", head='<!DOCTYPE svg [<!ENTITY a0 "xxxxxxxxxx">' + "".join(
        f'<!ENTITY a{at} "{f"&a{at - 1};" * 10}">' for at in range(1, 10)) + "]>"),
    "external": svg("<text>&f;</text>", head='<!DOCTYPE svg [<!ENTITY f SYSTEM "file:///etc/passwd">]>'),
    "uses": svg(f'<g id="a0">{rect(5)}</g>' + "".join(f'<g id="a{at}">{f"""<use xlink:href="#a{at - 1}"/>""" * 10}</g>' for at in range(1, 9))),
    "deep": svg("<g>" * 50_000 + "</g>" * 50_000),
    "no size": svg(rect(5), ""),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_cannot_be_drawn_is_compared_as_text(comparer: Comparer, tmp_path: Path, case: str) -> None:
    data = HOSTILE[case]
    found = compared(comparer, tmp_path, "a.svg", data, data + b"\n")
    assert found.outcome == SAME and "(compared as text; not read as svg: " in found.sentence and found.format == "text"
    assert compared(comparer, tmp_path, "a.svg", data, data.replace(b"40 20", b"41 20").replace(b'"5"', b'"6"').replace(b"&", b"a &")).outcome == DIFFERENT


def test_without_the_library_a_drawing_is_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rex.extras.is_there", lambda module: module != "resvg_py")
    found = compare_data("a.svg", svg(rect(5)), svg(rect(6)), Rules(), 1 << 20)
    assert found.outcome == DIFFERENT and found.sentence.startswith("numbers: 1 of ") and "rex-replay[pictures]" in found.sentence
    zipped = [zip_of(svg(rect(width)), "a.svg") for width in (5, "5.0")]
    assert compare_data("a.zip", zipped[0], zipped[1], RULES, 1 << 20).outcome == SAME
