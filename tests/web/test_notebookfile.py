"""Notebook files as pages: what cells showed, in the form that a notebook prefers, and nothing that a frame without scripts could run."""

from __future__ import annotations

import base64
import html
import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from cli.builders import Bench
from rex.web.notebookfile import as_page
from rex.web.preview import PAGE, TEXT, preview
from rex.web.wish import key_of

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(9)).decode()
EVIL = "<script>document.title = 'hit'</script>"


def code(source: Any, *outputs: Any, count: Any = 1) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs), "execution_count": count}


def page_of(*cells: Any) -> str:
    found = as_page(json.dumps({"cells": cells, "nbformat": 4}))
    assert found
    return found.partition("</style>")[2]


def test_cells_and_what_they_showed() -> None:
    shown = page_of({"cell_type": "markdown", "source": ["# A title\n", "words & more"]},
                    code(["x = 1\n", "x < 2"], {"output_type": "stream", "name": "stdout", "text": ["one\n", "two"]},
                         {"output_type": "execute_result", "data": {"text/plain": ["True"]}}, count=7))
    assert "<b>A title</b>\nwords &amp; more" in shown and "[7]" in shown
    assert "x = 1\nx &lt; 2" in shown and "one\ntwo" in shown and ">True<" in shown


@pytest.mark.parametrize(("data", "wanted"), [
    ({"text/plain": "frame", "text/html": "<table><td>3</td></table>"}, "<table><td>3</td></table>"),
    ({"text/plain": "figure", "image/png": PNG + "\n"}, f'src="data:image/png;base64,{PNG}"'),
    ({"text/plain": "figure", "image/png": '"><script>'}, ">figure<"),
    ({"image/svg+xml": "<svg onload='hit()'/>"}, 'src="data:image/svg+xml;base64,'),
    ({"application/json": {}}, ">application/json<")])
def test_outputs_in_the_form_that_a_notebook_prefers(data: dict[str, Any], wanted: str) -> None:
    shown = page_of(code("show()", {"output_type": "display_data", "data": data}))
    assert wanted in shown and "<script" not in shown and "<svg" not in shown


def test_an_error_is_shown_without_the_colours_of_a_terminal() -> None:
    shown = page_of(code("1/0", {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[0;31mE\x1b[0m: v <b>"]}))
    assert "E: v &lt;b&gt;" in shown and "\x1b" not in shown


@pytest.mark.parametrize("cell", [None, 3, {}, {"cell_type": "code", "source": {"a": 1}, "outputs": 5}, code("x", None, {"output_type": "stream"}, {"data": []}),
                                  code("x", {"output_type": "error", "traceback": 5 * [None]}, count="<b>"), code([1, "a", None])])
def test_what_is_no_cell_does_no_harm(cell: Any) -> None:
    assert "<b>" not in page_of(cell)


@pytest.mark.parametrize("text", ["", "[]", '{"cells": 5}', "{", "[" * 100_000])
def test_what_is_no_notebook_is_shown_as_text(text: str) -> None:
    assert as_page(text) is None and preview(text.encode(), len(text), "a.ipynb").kind == TEXT


def test_the_frame_that_shows_it_runs_nothing(client: TestClient, bench: Bench) -> None:
    data = json.dumps({"cells": [code(EVIL, {"output_type": "display_data", "data": {"text/html": EVIL}})]}).encode()
    bench.record("exp0", outputs={"/w/report.ipynb": data, "/w/not.ipynb": b"plain"})
    assert preview(data, len(data), "report.ipynb").kind == PAGE
    text = client.get(f"/experiments/exp0/file?role=output&path={key_of('/w/report.ipynb')}").text
    assert '<iframe sandbox=""' in text and EVIL not in text
    framed = client.get(f"/experiments/exp0/content?role=output&path={key_of('/w/report.ipynb')}&as=frame")
    assert html.escape(EVIL, quote=False) in framed.text.replace("&#x27;", "'") and framed.headers["content-type"].startswith("text/html")
    policy = framed.headers["content-security-policy"]
    assert "default-src 'none'" in policy and policy.endswith("sandbox") and "script-src" not in policy
    plain = client.get(f"/experiments/exp0/content?role=output&path={key_of('/w/not.ipynb')}&as=frame")
    assert plain.headers["content-type"].startswith("text/plain")
