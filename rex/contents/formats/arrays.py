"""Files of numpy arrays; no objects are made of them."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from rex.contents.parts import Part, Parts, Values
from rex.contents.reading import Reading, Unreadable
from rex.extras import missing

_HEADER_CHARS = 10_000


def read_npy(data: bytes, reading: Reading) -> Parts:
    """The array of an .npy file."""
    return {"": _array(data, reading)}


def read_npz(data: bytes, reading: Reading) -> Parts:
    """The arrays of an .npz file, by name."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found: Parts = {}
            for info in archive.infolist():
                reading.take(2 * info.file_size, 1)
                with archive.open(info) as file:
                    found[info.filename.removesuffix(".npy")] = _array(file.read(info.file_size + 1), reading)
            return found
    except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError, RuntimeError, ValueError) as error:
        raise Unreadable(str(error)) from None


def _array(data: bytes, reading: Reading) -> Part:
    try:
        import numpy
        from numpy.lib import format as npy
    except ImportError:
        raise missing("formats", "cannot read arrays") from None
    file = io.BytesIO(data)
    try:
        version = npy.read_magic(file)
        read_header: Any = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, is_fortran, kind = read_header(file, max_header_size=_HEADER_CHARS)
        if kind.hasobject:
            raise Unreadable("it holds Python objects, which are never unpacked")
        count = 1
        for length in shape:
            count *= length
        if count * kind.itemsize > len(data):
            raise Unreadable("it is shorter than its header says")
        reading.take(3 * count * kind.itemsize)
        values = numpy.frombuffer(data, kind, count, file.tell())
        return Values(values.reshape(shape, order="F" if is_fortran else "C"))
    except (ValueError, SyntaxError, TypeError, EOFError, OverflowError, MemoryError, RecursionError) as error:
        raise Unreadable(str(error)) from None
