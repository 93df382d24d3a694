"""Comparing a replayed version with its recording, cell by cell."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import pytest

from rex.contents.rules import Rules
from rex.multiversion.results import compare_cells, notebook

from .versions import make_version


def out(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def value(text: str, mime: str = "text/plain") -> dict[str, Any]:
    return {"output_type": "execute_result", "data": {mime: text}, "metadata": {}, "execution_count": 1}


def compare(was: list[dict[str, Any]], now: list[dict[str, Any]], source: str = "f()", how: str = "ok",
            atol: float = 0.0) -> dict[int, str]:
    version = make_version("v", [source], facts={0: {"outputs": was}})
    return compare_cells(version, [{"how": how, "outputs": now}], Rules(atol=atol)).cells


@pytest.mark.parametrize("was, now", [
    ([out("a\n")], [out("a\n")]),
    ([out("a\n"), out("w", "stderr"), out("b\n")], [out("a\nb\n"), out("w", "stderr")]),
    ([value("<Model at 0x7ffff123>")], [value("<Model at 0x7fff00aa>")]),
    ([out("10%\r50%\r100%\n", "stderr")], [out("20%\r100%\n", "stderr")]),
    ([out("\r 0%|  | 0/3 [00:00<?, ?it/s]\r100%|##| 3/3 [00:01<00:00, 2.87it/s]\n", "stderr")],
     [out("\r 0%|  | 0/3 [00:00<?, ?it/s]\r100%|##| 3/3 [00:02<00:00, 1.41s/it]\n", "stderr")]),
    ([out("3/3 [===>..] - 0s 5ms/step\r3/3 [=====] - 1s 12ms/step - loss: 0.5\n")],
     [out("3/3 [=====] - 2s 9ms/step - loss: 0.5\n\r"[:-1].replace("3/3", "1/3 -\r3/3"))]),
    ([out("got 1 MB 12.3 MB/s eta 0:00:09\rgot 9 MB 2.0 MB/s eta 0:00:00\n")],
     [out("got 9 MB 11 MB/s\rgot 9 MB 812 kB/s eta 0:00:00\n")]),
    ([value("100%|##| 3/3 [00:01<00:00, 2.87it/s]")], [value("100%|##| 3/3 [00:02<00:00, 9.1it/s]")]),
    ([], [])])
def test_what_counts_as_the_same(was: list[dict[str, Any]], now: list[dict[str, Any]]) -> None:
    assert compare(was, now) == {}


@pytest.mark.parametrize("was, now, why", [
    ([out("a\nb\n")], [out("a\nc\n")], "'c', recorded 'b'"),
    ([out("a\n")], [out("a\nb\n")], "2 lines, recorded 1"),
    ([out("a\n")], [], "0 outputs, recorded 1"),
    ([value("1")], [value("2")], "text/plain: '2', recorded '1'"),
    ([value("1")], [out("1")], "stream, recorded execute_result"),
    ([value("<b>", "text/html")], [value("<i>", "text/html")], "text/html"),
    ([value("1")], [value("1", "text/html")], "text/html: other content")])
def test_what_differs_is_told_by_its_first_line(was: list[dict[str, Any]], now: list[dict[str, Any]], why: str) -> None:
    assert why in compare(was, now)[1]


def test_an_end_of_another_kind_is_told_first() -> None:
    assert compare([out("a")], [out("b")], how="error")[1] == "it was recorded as ok, now error"


def test_printed_times_count_only_where_nobody_asked_for_them() -> None:
    was, now = [out("Wall time: 3 ms\nx\n")], [out("Wall time: 4 ms\nx\n")]
    assert compare(was, now, "%time f()") == {} and compare(was, now, "print(t)")


def _picture(shade: int) -> dict[str, Any]:
    image = pytest.importorskip("PIL.Image")
    buffer = io.BytesIO()
    image.new("RGB", (4, 4), (shade, 0, 0)).save(buffer, "PNG")
    return value(base64.b64encode(buffer.getvalue()).decode(), "image/png")


def test_images_are_compared_by_bytes_or_by_pixels() -> None:
    pytest.importorskip("numpy")
    assert compare([_picture(100)], [_picture(100)]) == {}
    assert compare([_picture(100)], [_picture(103)])[1].startswith("image/png: another image (pixels: ")
    assert compare([_picture(100)], [_picture(103)], atol=0.02) == {}
    assert "another image (pixels: " in compare([_picture(100)], [_picture(130)], atol=0.02)[1]


def test_numbers_of_a_cell_may_differ_by_a_tolerance() -> None:
    version = make_version("v", ["f()"], facts={0: {"outputs": [out("loss 0.5 at <M at 0x7fff00aa>\n")]}})
    now = [{"how": "ok", "outputs": [out("loss 0.50001 at <M at 0x7fff1111>\n")]}]
    found = compare_cells(version, now, Rules(rtol=1e-3))
    assert found.is_identical and found.describe() == (
        "identical within tolerance; cell 1: same within tolerance (1 of 1 differ, largest 1e-05 at line 1)")
    assert not compare_cells(version, now, Rules(rtol=1e-6)).is_identical


def test_a_version_that_ended_early_is_a_notebook_too() -> None:
    version = make_version("v", ["a = 1\n", "a"])
    made = json.loads(notebook(version, [{"outputs": [out("x")], "execution_count": 1}]))
    assert [cell["outputs"] for cell in made["cells"]] == [[out("x")], []]
    assert made["cells"][0]["source"] == "a = 1" and made["nbformat"] == 4


def test_progress_hides_no_value() -> None:
    was, now = ([out(f"1/2\r2/2 - 1s 5ms/step - loss: {loss}\n")] for loss in ("0.5", "0.7"))
    assert compare(was, now) == {1: "'2/2 -   - loss: 0.7', recorded '2/2 -   - loss: 0.5'"}


def test_a_long_line_is_compared_in_steps_of_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    from rex.multiversion import results
    looked = []
    plain = results._last_state
    monkeypatch.setattr(results, "_last_state", lambda line: looked.append(len(line)) or plain(line))
    text = "x" * 300_000 + "\n" + "\r".join(["y" * 1000] * 300)
    assert compare([out(text)], [out(text)]) == {} and sum(looked) < 2 * len(text) + 4
