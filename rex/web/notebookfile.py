"""A notebook file as a page for a sandboxed frame: its cells with what they showed. Nothing of it runs."""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from typing import Any, Iterator

ENDING = ".ipynb"
_STYLE = """body { max-width: 60rem; margin: 1.2rem; font: 15px/1.55 system-ui, sans-serif; color: #22252a; background: #fff; }
.cell { display: grid; grid-template-columns: 3rem minmax(0, 1fr); margin-top: .8rem; }
.number { padding-top: .45rem; font: 12px ui-monospace, monospace; color: #676a70; }
pre { margin: 0 0 .3rem; padding: .4rem .7rem; font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
pre.code { background: #f2f0ec; border-radius: 6px; }
pre.error { color: #a8281e; }
.words { white-space: pre-wrap; }
.words b { font-size: 1.15em; }
.shown { overflow-x: auto; }
img { max-width: 100%; }
table { border-collapse: collapse; font-size: 13px; }
td, th { padding: .15rem .6rem; border: 1px solid #e3e0d9; text-align: right; }"""
_IMAGES = ("image/png", "image/jpeg", "image/gif")
_SVG = "image/svg+xml"
_HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")      # of a terminal, in tracebacks


def as_page(text: str) -> str | None:
    """The page of a notebook; None where the text is none.

    HTML that cells showed is taken over as it is: only a frame without scripts may show the page.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    cells = data.get("cells") if isinstance(data, dict) else None
    if not isinstance(cells, list):
        return None
    parts = [_cell(cell) for cell in cells if isinstance(cell, dict)]
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Notebook</title><style>{_STYLE}</style>{"".join(parts)}</html>'


def _text(value: Any) -> str:
    """Notebooks have texts as one, or as a list of lines."""
    return value if isinstance(value, str) else "".join(each for each in value if isinstance(each, str)) if isinstance(value, list) else ""


def _cell(cell: dict[str, Any]) -> str:
    source, number = _text(cell.get("source")), ""
    if cell.get("cell_type") == "code":
        count = cell.get("execution_count")
        number = f"[{count}]" if isinstance(count, int) else "[ ]"
        outputs = cell.get("outputs")
        body = _pre(source, "code") + "".join(map(_output, outputs if isinstance(outputs, list) else ()))
    else:
        body = _words(source)
    return f'<div class="cell"><div class="number">{number}</div><div>{body}</div></div>'


def _pre(text: str, kind: str = "") -> str:
    return f'<pre class="{kind}">{html.escape(text)}</pre>' if text else ""


def _words(text: str) -> str:
    """Markdown nearly as it was typed: only headings are shown as such."""
    return f'<div class="words">{_HEADING.sub(lambda found: f"<b>{found[1]}</b>", html.escape(text))}</div>'


def _output(output: Any) -> str:
    if not isinstance(output, dict):
        return ""
    kind, data = output.get("output_type"), output.get("data")
    if kind == "stream":
        return _pre(_text(output.get("text")), "error" if output.get("name") == "stderr" else "")
    if kind == "error":
        told = _COLOURS.sub("", "\n".join(map(str, output.get("traceback") or ())))
        return _pre(told or f"{output.get('ename')}: {output.get('evalue')}", "error")
    return next(_shown(data), "") if isinstance(data, dict) else ""


def _shown(data: dict[str, Any]) -> Iterator[str]:
    """The forms of what a cell showed, the one that a notebook prefers first."""
    if "text/html" in data:
        yield f'<div class="shown">{_text(data["text/html"])}</div>'
    if "text/markdown" in data:
        yield _words(_text(data["text/markdown"]))
    if _SVG in data:
        yield _image(_SVG, base64.b64encode(_text(data[_SVG]).encode("utf-8", "replace")).decode())
    for kind in _IMAGES:
        if kind in data and (shown := _image(kind, _text(data[kind]))):
            yield shown
    if "text/plain" in data:
        yield _pre(_text(data["text/plain"]))
    yield _pre(", ".join(map(str, data)))


def _image(kind: str, encoded: str) -> str:
    """A picture within the page; "" where it is none."""
    try:
        data = base64.b64decode("".join(encoded.split()), validate=True)
    except (binascii.Error, ValueError):
        return ""
    return f'<img alt="" src="data:{kind};base64,{base64.b64encode(data).decode()}">'
