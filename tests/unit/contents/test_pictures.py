"""Pictures of how pictures differ."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from content_files import MORE
from rex.contents.client import Comparer
from rex.contents.picture import Picture, draw
from rex.contents.reading import Reading
from rex.contents.rules import Rules
from test_hostile_contents import png_of
from test_svg import svg

image = pytest.importorskip("PIL.Image")


@pytest.fixture(scope="module")
def comparer() -> Iterator[Comparer]:
    with Comparer(Rules(), memory_bytes=1 << 30) as made:
        yield made


def drawn(comparer: Comparer, folder: Path, name: str, left: bytes, right: bytes) -> Picture | str:
    for side, data in (("left", left), ("right", right)):
        (folder / side).write_bytes(data)
    return comparer.draw(name, str(folder / "left"), str(folder / "right"))


def png(size: tuple[int, int], *black: tuple[int, int]) -> bytes:
    made = image.new("RGB", size, "white")
    for place in black:
        made.putpixel(place, (0, 0, 0))
    file = io.BytesIO()
    made.save(file, "PNG")
    return file.getvalue()


def red(found: Picture | str) -> list[Any]:
    """Places of the red pixels."""
    assert isinstance(found, Picture)
    sheet = image.open(io.BytesIO(found.data)).convert("RGB")
    pixels = sheet.load()
    return [(x, y) for y in range(sheet.height) for x in range(sheet.width) if pixels[x, y][0] > pixels[x, y][1] + 40]


def test_only_what_differs_is_red(comparer: Comparer, tmp_path: Path) -> None:
    found = drawn(comparer, tmp_path, "a.png", png((20, 10), (1, 1)), png((20, 10), (1, 1), (5, 4)))
    assert red(found) == [(2 * (20 + 8) + 5, 4)]


def test_one_pixel_of_a_large_picture_and_another_size_are_seen(comparer: Comparer, tmp_path: Path) -> None:
    assert red(drawn(comparer, tmp_path, "a.png", png((3000, 30)), png((3000, 30), (2999, 29))))
    assert red(drawn(comparer, tmp_path, "a.png", png((9, 9)), png((12, 9), (11, 8))))


def test_the_pages_of_a_document_that_differ(comparer: Comparer, tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    make = MORE["p.pdf"][0]
    assert red(drawn(comparer, tmp_path, "a.pdf", make([1.5, 2.5]), make([1.5, 3.5])))
    assert drawn(comparer, tmp_path, "a.pdf", make([1.5]), make([1.5]) + b"% other bytes\n") == "no page looks different"


def test_what_differs_in_a_drawing_is_red(comparer: Comparer, tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    places = red(drawn(comparer, tmp_path, "a.svg", svg('<rect width="10" height="9"/>'), svg('<rect width="20" height="9"/>')))
    assert {x for x, _ in places} == set(range(2 * 808 + 200, 2 * 808 + 400)) and {y for _, y in places} == set(range(180))


def test_without_their_library_drawings_lie_upon_each_other_and_run_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rex.contents.formats.svg.lacking", lambda: "more")
    one, two = (svg('<script>alert(1)</script><rect width="%d" height="9"/>' % width) for width in (5, 9))
    found = draw("a.svg", one, two, Reading(1 << 20))
    assert isinstance(found, Picture) and found.suffix == ".svg" and b"mix-blend-mode:difference" in found.data and b"<script" not in found.data


def test_what_cannot_be_drawn_is_one_line(comparer: Comparer, tmp_path: Path) -> None:
    for name, left, right in (("a.png", b"no picture", b"none either"), ("a.png", png_of(60_000, 60_000), png((9, 9))),
                              ("a.pdf", b"%PDF-1.4 and no more", MORE["p.pdf"][0]([1.0]))):
        found = drawn(comparer, tmp_path, name, left, right)
        assert isinstance(found, str) and "\n" not in found and 0 < len(found) < 400
