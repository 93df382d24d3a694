"""PDF: the text and the drawing commands of each page are compared, as texts with numbers, and its pictures by bytes; fonts are not."""

from __future__ import annotations

import hashlib
import io
import logging
from typing import Any

from rex.contents.formats.text import Lines
from rex.contents.parts import Blob, Parts
from rex.contents.reading import Reading, Unreadable
from rex.extras import missing

_MAX_DEPTH = 10


def read(data: bytes, reading: Reading) -> Parts:
    """The text of each page, and what draws it."""
    try:
        import pypdf
    except ImportError:
        raise missing("formats", "cannot read PDF") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    found: Parts = {}
    try:
        for number, page in enumerate(pypdf.PdfReader(io.BytesIO(data)).pages, 1):
            text = page.extract_text()
            reading.take(4 * len(text) + 1000, 1)
            found[f"page {number}"] = Lines(text.splitlines())
            _drawing(page, f"page {number} drawing", found, reading, 0)
    except Exception as error:   # pypdf trusts what it reads, and fails in many ways
        raise Unreadable(f"{type(error).__name__}: {error}"[:200]) from None
    return found


def _drawing(item: Any, name: str, found: Parts, reading: Reading, depth: int) -> None:
    """The drawing commands of a page or a form, and of the forms in it."""
    if depth > _MAX_DEPTH:
        raise Unreadable("its forms lie too deep in each other")
    content = item.get_contents() if depth == 0 else item
    data = content.get_data() if content is not None else b""
    reading.take(4 * len(data) + 1000, 1)
    found[name] = Lines(data.decode("latin-1").splitlines())
    resources = item.get("/Resources")
    forms = resources.get_object().get("/XObject") if resources is not None else None
    for key, form in sorted((forms.get_object() if forms is not None else {}).items()):
        form = form.get_object()
        if form.get("/Subtype") == "/Form":
            _drawing(form, f"{name} {key}", found, reading, depth + 1)
        else:
            data = form.get_data()
            reading.take(2 * len(data) + 1000, 1)
            found[f"{name} {key}"] = Blob(hashlib.sha256(data).hexdigest(), len(data))
