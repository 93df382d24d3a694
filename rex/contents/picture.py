"""Draws how two pictures, drawings, or the pages of two PDF documents, differ: one, the other, and what differs in red."""

from __future__ import annotations

import base64
import io
import re
import warnings
from typing import Any, Iterator

from rex.contents.formats import svg
from rex.contents.reading import Reading, Unreadable
from rex.extras import missing
from rex.values import dataclass

PNG, SVG = ".png", ".svg"
_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
_MOST_PAGES = 5
_PAGE_SCALE = 1.5        # pixels of a page for each point
_PAGE_PIXELS = 8 << 20   # of one page: few are held at once
_SIDE = 800              # of a panel, in pixels: larger pictures are made smaller
_GAP = 8
_SVG_BYTES = 4 << 20
_SVG_SIZE = re.compile(rb"<svg\b[^>]*?\bviewBox\s*=\s*[\"']\s*[-\d.eE]+[\s,]+[-\d.eE]+[\s,]+([\d.eE]+)[\s,]+([\d.eE]+)", re.DOTALL)


@dataclass(frozen=True)
class Picture:
    """A picture of a difference; suffix: of its file name."""

    suffix: str
    data: bytes


def is_picture(name: str, begin: bytes) -> bool:
    """Whether a difference of such contents can be drawn; begin: of one of them."""
    return begin.startswith(b"%PDF-") or is_svg(name, begin) or begin.startswith((b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*")) or (
        begin.startswith(b"RIFF") and begin[8:12] == b"WEBP")


def is_svg(name: str, begin: bytes) -> bool:
    """Whether this is a drawing."""
    return b"<svg" in begin or name.lower().endswith(".svg")


def draw(name: str, left: bytes, right: bytes, reading: Reading) -> Picture:
    """The picture of a difference.

    Raises:
        Unreadable: these are no pictures, or too large.
        UsageError: a library is missing.
    """
    is_drawing = is_svg(name, left[:4096])
    if is_drawing and svg.lacking():
        return Picture(SVG, _overlay(left, right))
    try:
        import numpy   # noqa: F401
        from PIL import Image
    except ImportError:
        raise missing("formats", "cannot draw pictures") from None
    Image.MAX_IMAGE_PIXELS = None     # the reading counts
    if is_drawing:
        left, right = _drawn(left, right, reading)
    pairs = _pages(left, right) if left.startswith(b"%PDF-") else iter([(_opened(left, reading), _opened(right, reading))])
    rows = [_row(*pair) for pair in pairs]
    if not rows:
        raise Unreadable("no page looks different")
    sheet = Image.new("RGB", (max(row.width for row in rows), sum(row.height + _GAP for row in rows) - _GAP), "white")
    top = 0
    for row in rows:
        sheet.paste(row, (0, top))
        top += row.height + _GAP
    out = io.BytesIO()
    sheet.save(out, "PNG")
    return Picture(PNG, out.getvalue())


def _drawn(left: bytes, right: bytes, reading: Reading) -> tuple[bytes, bytes]:
    """Two drawings as PNG, in the same scale."""
    one, two = (svg.parse(data, reading) for data in (left, right))
    scale = svg.SIDE / max(one.side, two.side)
    return svg.render(one, one.side * scale), svg.render(two, two.side * scale)


def _opened(data: bytes, reading: Reading) -> Any:
    from PIL import Image
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            picture = Image.open(io.BytesIO(data), formats=_FORMATS)
            reading.take(32 * picture.width * picture.height, 1)
            flat = Image.new("RGB", picture.size, "white")
            colours = picture.convert("RGBA")
            flat.paste(colours, mask=colours.getchannel("A"))
            return flat
    except (OSError, ValueError, SyntaxError, EOFError, TypeError, OverflowError, KeyError, IndexError, AttributeError) as error:
        raise Unreadable(str(error)) from None


def _pages(left: bytes, right: bytes) -> Iterator[tuple[Any, Any]]:
    """The first few pages that look different, of both documents."""
    try:
        import pypdfium2
    except ImportError:
        raise missing("pictures", "cannot draw the pages of PDF documents") from None
    from PIL import Image, ImageChops
    try:
        documents = [pypdfium2.PdfDocument(data) for data in (left, right)]
        found = 0
        for number in range(max(map(len, documents))):
            pages = []
            for document in documents:
                page = document[number] if number < len(document) else None
                width, height = page.get_size() if page else (1, 1)
                if width * height > _PAGE_PIXELS / _PAGE_SCALE ** 2:
                    raise Unreadable("a page is too large")
                pages.append(page.render(scale=_PAGE_SCALE).to_pil().convert("RGB") if page else Image.new("RGB", (1, 1), "white"))
            if pages[0].size != pages[1].size or ImageChops.difference(*pages).getbbox():
                yield pages[0], pages[1]
                found += 1
            if found >= _MOST_PAGES:
                return
    except (pypdfium2.PdfiumError, ValueError, OSError) as error:
        raise Unreadable(str(error)) from None


def _row(left: Any, right: Any) -> Any:
    """Both, and what differs in red upon the first one in grey."""
    import numpy
    from PIL import Image
    size = max(left.width, right.width), max(left.height, right.height)
    panels = []
    for picture in (left, right):
        panel = Image.new("RGB", size, "white")
        panel.paste(picture, (0, 0))
        panels.append(panel)
    apart = abs(numpy.asarray(panels[0]).astype("i2") - numpy.asarray(panels[1])).max(axis=2).astype("u1")
    step = -(-max(size) // _SIDE)
    if step > 1:      # of each block the largest: single pixels stay visible
        rows, columns = (numpy.arange(0, length, step) for length in apart.shape)
        apart = numpy.maximum.reduceat(numpy.maximum.reduceat(apart, rows, axis=0), columns, axis=1)
        panels = [panel.resize((apart.shape[1], apart.shape[0])) for panel in panels]
    grey = 255 - (255 - numpy.asarray(panels[0].convert("L")).astype("i2")) // 3
    strength = numpy.where(apart > 0, 90 + apart.astype("i2") * 165 // 255, 0)
    red = numpy.stack([grey + (255 - grey) * strength // 255, *(2 * [grey * (255 - strength) // 255])], axis=2).astype("u1")
    panels.append(Image.fromarray(red))
    row = Image.new("RGB", (3 * panels[0].width + 2 * _GAP, panels[0].height), "white")
    for at, panel in enumerate(panels):
        row.paste(panel, (at * (panel.width + _GAP), 0))
    return row


def _overlay(left: bytes, right: bytes) -> bytes:
    """Two drawings, and one upon the other where only what differs is not black; a viewer draws it, without scripts and other files."""
    if max(len(left), len(right)) > _SVG_BYTES:
        raise Unreadable("its drawing is too large")
    shape = _SVG_SIZE.search(left[:65536])
    width, height = (float(shape[1]), float(shape[2])) if shape else (400.0, 300.0)
    if not (0 < width < 1e5 and 0 < height < 1e5):
        raise Unreadable("its size makes no sense")
    scale = 400 / max(width, height)
    w, h = round(width * scale), round(height * scale)
    images = ["data:image/svg+xml;base64," + base64.b64encode(data).decode() for data in (left, right)]
    def image(address: str, x: int) -> str:
        return f'<image href="{address}" x="{x}" y="0" width="{w}" height="{h}"/>'
    last = 2 * (w + _GAP)
    white = f'<rect x="{last}" width="{w}" height="{h}" fill="white"/>'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {last + w} {h}" width="{last + w}" height="{h}">'
            f'<rect width="100%" height="100%" fill="white"/>{image(images[0], 0)}{image(images[1], w + _GAP)}'
            f'<g style="isolation:isolate">{white}{image(images[0], last)}'
            f'<g style="mix-blend-mode:difference">{white}{image(images[1], last)}</g></g></svg>').encode()
