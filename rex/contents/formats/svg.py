"""SVG: drawn by a library, then compared pixel by pixel; its words are compared too, as fonts may lack a letter."""

from __future__ import annotations

import functools
import io
import re
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from rex import extras
from rex.contents.formats import images
from rex.contents.formats.text import Lines
from rex.contents.parts import Leaves, Parts
from rex.contents.reading import Reading, Unreadable

SIDE = 800              # pixels of the longer side that is drawn
_MOST_BYTES = 16 << 20
_NODE_BYTES = 1000      # that an element takes, about
_MOST_DEPTH = 100       # the library calls itself for each level
_MOST_NARROW = 100      # times as long as wide
_DPI = 96
_UNITS = {"": 1.0, "px": 1.0, "pt": 96 / 72, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "em": 16.0}
_LENGTH = re.compile(r"\s*(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)\s*([a-z]*)\s*")
_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?(?>(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>)*)<(?:\w+:)?svg\b", re.DOTALL)
_UNDRAWN = {"style", "script", "metadata", "title", "desc"}
_FAMILIES = ("DejaVu Sans", "Liberation Sans", "Noto Sans", "FreeSans", "Arial")
_PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">m</text></svg>'


@dataclass(frozen=True)
class Drawing:
    """A drawing that reads no other file.

    Attributes:
        text: its SVG.
        words: what stands in it.
        files: other files that it would show.
    """

    text: str
    width: float
    height: float
    words: list[str]
    files: list[str]

    @property
    def side(self) -> float:
        """The longer side."""
        return max(self.width, self.height)


def is_svg(begin: bytes) -> bool:
    """Whether a content that begins so is a drawing."""
    return _BEGIN.match(begin) is not None


def lacking() -> str:
    """What to say where drawings cannot be drawn: what to install; "" where they can."""
    names = [extra for extra, modules in (("formats", ("numpy", "PIL")), ("pictures", ("resvg_py",))) if not all(map(extras.is_there, modules))]
    return f"pixels need: {extras.install_line(*names)}" if names else ""


def read(data: bytes, reading: Reading) -> Parts:
    """The size of a drawing, its words, and its pixels as it is drawn with a longer side of 800."""
    drawing = parse(data, reading)
    return {"": Leaves({"width": drawing.width, "height": drawing.height}), "words": Lines(drawing.words),
            "files that it shows": Lines(drawing.files), **images.read(render(drawing, SIDE), reading)}


def parse(data: bytes, reading: Reading) -> Drawing:
    """A drawing, without addresses of other files.

    Raises:
        Unreadable: it is none, or too much.
    """
    if len(data) > _MOST_BYTES:
        raise Unreadable("the drawing is too large")
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise Unreadable(str(error)) from None
    words: list[str] = []
    files: list[str] = []
    left = [(root, 1, True)]
    while left:
        element, depth, is_drawn = left.pop()
        reading.take(_NODE_BYTES + 4 * len(element.text or ""), 1)
        if depth > _MOST_DEPTH:
            raise Unreadable("its elements lie too deep in each other")
        name = _local(element.tag)
        files += _without_files(element, name)
        is_drawn = is_drawn and name not in _UNDRAWN
        if is_drawn:
            words += [each.strip() for each in (element.text, *(child.tail for child in element)) if each and each.strip()]
        left += [(child, depth + 1, is_drawn) for child in reversed(element)]
    return Drawing(ElementTree.tostring(root, "unicode"), *_size(root), words, files)


def _local(name: object) -> str:
    return str(name).rpartition("}")[2]


def _without_files(element: ElementTree.Element, name: str) -> list[str]:
    """Take the addresses of other files from an element; those of pictures."""
    is_image = name in ("image", "feImage")
    found = [key for key, value in element.attrib.items() if _local(key) == "href" and not value.startswith("data:")
             and (name == "image" or not value.startswith("#"))]
    addresses = [element.attrib.pop(key) for key in found]
    return addresses if is_image else []


def _size(root: ElementTree.Element) -> tuple[float, float]:
    """Width and height in pixels."""
    width, height = (_length(root.get(name, "")) for name in ("width", "height"))
    box = [_length(each) for each in re.split(r"[\s,]+", root.get("viewBox", "").strip())[2:]]
    if len(box) == 2 and box[0] and box[1]:
        shape = box[0] / box[1]
        width, height = width or (height * shape if height else box[0]), height or (width / shape if width else box[1])
    if not width or not height:
        raise Unreadable("it does not say its size")
    if not (1e-3 < width < 1e7 and 1e-3 < height < 1e7 and 1 / _MOST_NARROW <= width / height <= _MOST_NARROW):
        raise Unreadable("its size makes no sense")
    return width, height


def _length(text: str) -> float:
    """A length in pixels; 0 for none, or for a part of what is not known."""
    found = _LENGTH.fullmatch(text)
    return float(found[1]) * _UNITS.get(found[2], 0.0) if found else 0.0


def render(drawing: Drawing, side: float) -> bytes:
    """A drawing as PNG with a longer side of so many pixels.

    Raises:
        Unreadable: it cannot be drawn.
    """
    family = _family() if drawing.words else ""
    if drawing.words and not family:
        raise Unreadable("there is no font for its words")
    try:
        length = max(1, round(side))
        return _png(drawing.text, family, width=length) if drawing.width >= drawing.height else _png(drawing.text, family, height=length)
    except ValueError as error:
        raise Unreadable(str(error)) from None


def _png(text: str, family: str, width: int | None = None, height: int | None = None) -> bytes:
    """Draw; family: of the fonts that are not there, "" to read no font."""
    import resvg_py
    fonts: dict[str, Any] = {f"{kind}family": family for kind in ("font_", "serif_", "sans_serif_", "cursive_", "fantasy_", "monospace_")} if family else {}
    return bytes(resvg_py.svg_to_bytes(svg_string=text, width=width, height=height, dpi=_DPI, skip_system_fonts=not family, **fonts))


@functools.cache
def _family() -> str:
    """A family of fonts that is installed: the library leaves out words of others. "" for none."""
    from PIL import Image
    for family in _FAMILIES:
        if Image.open(io.BytesIO(_png(_PROBE, family))).getchannel("A").getbbox():
            return family
    return ""
