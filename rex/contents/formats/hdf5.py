"""HDF5, and netCDF-4, which is HDF5: compared dataset by dataset and attribute by attribute, whatever their order in the file."""

from __future__ import annotations

import io
import os
from typing import Any

from rex.contents.parts import Leaves, Parts, Values
from rex.contents.reading import Reading, Unreadable
from rex.extras import missing

_MAX_DEPTH = 100


def read(data: bytes, reading: Reading) -> Parts:
    """The datasets of a file, by path; and all attributes. No other file is opened for it."""
    os.environ["HDF5_PLUGIN_PRELOAD"] = "::"       # no filters from outside
    try:
        import h5py
    except ImportError:
        raise missing("formats", "cannot read HDF5") from None
    found: Parts = {}
    try:
        with h5py.File(io.BytesIO(data), "r") as file:
            _gather(file, "", found, reading, 0)
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, MemoryError, AttributeError, OverflowError) as error:
        raise Unreadable(" ".join(str(error).split())[:200]) from None
    return found


def _gather(group: Any, path: str, found: Parts, reading: Reading, depth: int) -> None:
    import h5py
    if depth > _MAX_DEPTH:
        raise Unreadable("its groups lie too deep in each other")
    _attributes(group, path, found, reading)
    for name in sorted(group):
        where, link = f"{path}/{name}", group.get(name, getlink=True)
        reading.take(1000, 1)
        if not isinstance(link, h5py.HardLink):
            found[where] = Leaves({"": f"link to {getattr(link, 'filename', '')}{link.path}"})
            continue
        inner = group[name]
        if isinstance(inner, h5py.Group):
            _gather(inner, where, found, reading, depth + 1)
        elif isinstance(inner, h5py.Dataset):
            _attributes(inner, where, found, reading)
            found[where] = _dataset(inner, where, reading)
        else:
            found[where] = Leaves({"": "a named type"})


def _dataset(dataset: Any, where: str, reading: Reading) -> Values:
    if dataset.is_virtual or dataset.external:
        raise Unreadable(f"{where} has its values in other files")
    reading.take(3 * (dataset.size or 0) * dataset.dtype.itemsize + 1000, 1)
    import h5py
    if h5py.check_string_dtype(dataset.dtype):
        reading.take(200 * (dataset.size or 0), dataset.size or 0)
        dataset = dataset.asstr(errors="replace")
    values = dataset[()]
    if isinstance(values, h5py.Empty):
        return Values([])
    import numpy
    return Values(numpy.asarray(values))


def _attributes(item: Any, path: str, found: Parts, reading: Reading) -> None:
    for name in sorted(item.attrs):
        value = item.attrs[name]
        reading.take(1000 + getattr(value, "nbytes", 0), 1)
        label = f"{path or '/'}@{name}"
        found[label] = Values(value) if hasattr(value, "dtype") and value.ndim else Leaves({"": _plain(value)})


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, (str, int, float, bool)) else str(value)
