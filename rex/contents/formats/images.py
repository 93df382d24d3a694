"""Pictures: compared pixel by pixel, in parts of the range of a colour."""

from __future__ import annotations

import functools
import io
import warnings
from typing import Any

from rex.contents.parts import Parts, Values
from rex.contents.reading import Reading, Unreadable
from rex.extras import missing

_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")


def read(data: bytes, reading: Reading) -> Parts:
    """The pixels of a picture, from 0 to 1 in each colour and its opacity."""
    try:
        import numpy   # noqa: F401
        from PIL import Image
    except ImportError:
        raise missing("formats", "cannot read pictures") from None
    Image.MAX_IMAGE_PIXELS = None     # we count ourselves
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            picture = Image.open(io.BytesIO(data), formats=_FORMATS)
            return _frames(picture, reading)
    except (OSError, ValueError, SyntaxError, EOFError, TypeError, OverflowError, KeyError, IndexError, AttributeError) as error:
        raise Unreadable(str(error)) from None


def _frames(picture: Any, reading: Reading) -> Parts:
    """The pixels of every frame."""
    import numpy
    found: Parts = {}
    count = getattr(picture, "n_frames", 1)
    for number in range(count):
        picture.seek(number)
        width, height = picture.size
        reading.take(64 * width * height, 1)
        is_deep = picture.mode.startswith("I") or picture.mode == "F"
        if not is_deep and any("16" in str(tile[3]) for tile in picture.tile):
            raise Unreadable("its colours have 16 bits")
        pixels = numpy.asarray(picture if is_deep else picture.convert("RGBA"))
        values = pixels.astype("f4") / (255.0 if pixels.dtype == "u1" else 65535.0 if picture.mode != "F" else 1.0)
        found["pixels" if count == 1 else f"pixels of frame {number + 1}"] = Values(values, "colour", functools.partial(
            _place, width=width, depth=values.shape[2] if values.ndim == 3 else 1))
    return found


def _place(at: int, width: int, depth: int) -> str:
    return f"x {at // depth % width}, y {at // depth // width}"
