"""Archived files as somebody looks at them. They come from strangers: only text, tables of text, pictures, and pages in a sandbox."""

from __future__ import annotations

import csv
import io
import os

from rex.values import dataclass
from rex.web import notebookfile

TEXT, TABLE, IMAGE, PAGE, NONE = "text", "table", "image", "page", "none"
SHOWN_BYTES = 1 << 18       # of a text or a table
PAGE_BYTES = 4 << 20        # of a page or a notebook, which is shown whole or not at all
IMAGE_BYTES = 32 << 20
_ROWS, _COLUMNS, _CELL_CHARS = 500, 50, 300
_DELIMITERS = {".csv": ",;\t|", ".tsv": "\t"}
_FRAMED = (".html", ".htm", ".xhtml", notebookfile.ENDING)
_IMAGES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF87a", "image/gif"), (b"GIF89a", "image/gif"),
           (b"BM", "image/bmp"))
SVG = "image/svg+xml"


@dataclass(frozen=True)
class Preview:
    """What of a file is shown.

    Attributes:
        kind: how.
        text: of a text or page.
        rows: of a table, the heading first.
        is_cut: whether there is more of it.
    """

    kind: str
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    is_cut: bool = False


def image_type(data: bytes, name: str) -> str:
    """The media type of a picture that browsers draw, by its first bytes; "" for anything else."""
    for magic, kind in _IMAGES:
        if data.startswith(magic):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return SVG if name.lower().endswith(".svg") and b"<svg" in data[:4096] else ""


def text_of(data: bytes, is_cut: bool) -> str | None:
    """The bytes as text; None if they are none. A character that the cut divides is left out."""
    if b"\0" in data:
        return None
    for back in range(4 if is_cut else 1):
        try:
            return data[:len(data) - back].decode()
        except UnicodeDecodeError:
            continue
    return None


def preview(begin: bytes, size: int, name: str) -> Preview:
    """How a file is shown.

    Args:
        begin: its first bytes, as many as its kind may show (`wanted_bytes`).
        size: of all of it.
    """
    if image_type(begin, name):
        return Preview(IMAGE) if size <= IMAGE_BYTES else Preview(NONE)
    is_whole = len(begin) >= size
    ending = os.path.splitext(name.lower())[1]
    if is_whole and (page := page_of(begin, name)) is not None:
        return Preview(PAGE, page)
    is_cut = not is_whole or len(begin) > SHOWN_BYTES
    text = text_of(begin[:SHOWN_BYTES], is_cut)
    if text is None:
        return Preview(NONE)
    if ending in _DELIMITERS and (table := _table(text, _DELIMITERS[ending], is_cut)):
        return table
    return Preview(TEXT, text, is_cut=is_cut)


def page_of(data: bytes, name: str) -> str | None:
    """What a frame without scripts shows of a page or a notebook; None for any other file."""
    text = text_of(data, False) if name.lower().endswith(_FRAMED) else None
    if text is None or not name.lower().endswith(notebookfile.ENDING):
        return text
    return notebookfile.as_page(text)


def wanted_bytes(name: str) -> int:
    """How many bytes of a file `preview` needs at most."""
    return PAGE_BYTES if name.lower().endswith(_FRAMED) else SHOWN_BYTES


def _table(text: str, delimiters: str, is_cut: bool) -> Preview | None:
    """The text as a table, by the delimiter that its first line has most of; None if it is none."""
    first = text.partition("\n")[0]
    delimiter = max(delimiters, key=first.count)
    rows: list[tuple[str, ...]] = []
    is_wide = False
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if len(rows) == _ROWS:
                is_cut = True
                break
            is_wide |= len(row) > _COLUMNS
            rows.append(tuple(cell[:_CELL_CHARS] for cell in row[:_COLUMNS]))
    except csv.Error:
        return None
    if not rows or max(map(len, rows)) < 2:
        return None
    width = max(map(len, rows))
    return Preview(TABLE, rows=tuple((*row, *[""] * (width - len(row))) for row in rows), is_cut=is_cut or is_wide)
