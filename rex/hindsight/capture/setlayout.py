"""Where a set has its elements: their order, and that of those to come, depend on how it came to be.

CPython 3.11 and 3.12 lay a set out as `fill, used, mask; table; hash, finger; smalltable[8]` behind the object's head; an entry
is a pointer and a hash, empty with a null pointer, a dummy where something was removed.
"""

from __future__ import annotations

import ctypes
import functools
import struct
import sys
from operator import is_
from typing import Any

from rex.errors import Damaged

Layout = tuple[bytes, int]      # of each place whether it is empty, used or a dummy; where `pop` goes on

_FIELDS = struct.Struct("nnnPnn")     # fill, used, mask, table, hash, finger
_HEAD_BYTES = object.__basicsize__
_SMALL_BYTES, _SMALL = _HEAD_BYTES + _FIELDS.size, 8
_ENTRY_BYTES = 16
_EMPTY, _USED, _DUMMY = 0, 1, 2
FRESH: Layout = bytes(_SMALL), 0
_PLAIN = frozenset((int, bool, str, bytes, complex) if sys.version_info < (3, 12) else (int, bool, str, bytes, complex, type(None)))
_BY_CONTENT = frozenset({("enum", "Enum"), ("pathlib", "PurePath"), ("pathlib._local", "PurePath"), ("datetime", "date"), ("datetime", "time"),
                         ("datetime", "timedelta"), ("decimal", "Decimal"), ("fractions", "Fraction"), ("uuid", "UUID")})


def is_stable(item: Any) -> bool:
    """Whether an object's hash is the same in each process with the same seed of hashes."""
    kind = type(item)
    if kind in _PLAIN:
        return True
    if kind is float:
        return bool(item == item)     # else it is its address
    if kind is frozenset or kind.__hash__ is tuple.__hash__:
        return all(map(is_stable, item))
    if kind.__module__ == "numpy":
        return hasattr(kind, "dtype") and bool(item == item)     # a scalar
    told = vars(kind).get("__dataclass_params__")
    if told is not None and told.frozen and told.eq:
        fields = sys.modules["dataclasses"].fields(item)
        return all(is_stable(getattr(item, field.name)) for field in fields if field.compare)
    return any((base.__module__, base.__name__) in _BY_CONTENT for base in kind.__mro__)


def layout_of(value: set[Any] | frozenset[Any]) -> Layout | None:
    """How a set has its elements; None where that cannot be known."""
    return _read(value) if _is_known() else None


def _read(value: Any) -> Layout:
    fill, used, mask, table, _, finger = _FIELDS.unpack(ctypes.string_at(id(value) + _HEAD_BYTES, _FIELDS.size))
    if not fill and mask == _SMALL - 1 and not finger:     # those of modules and the like
        return FRESH
    keys = memoryview(ctypes.string_at(table, (mask + 1) * _ENTRY_BYTES)).cast("P")[::2].tolist()
    if fill == used:
        return bytes(map(bool, keys)), finger
    dummy = _dummy()
    return bytes([_EMPTY if not key else _DUMMY if key == dummy else _USED for key in keys]), finger


def _can_be(value: Any, items: list[Any], layout: Any) -> bool:
    """Whether a set that holds these elements may look so: a table that it could have, with room, and a place for each."""
    if not isinstance(layout, tuple) or list(map(type, layout)) != [bytes, int]:
        return False
    places, finger = layout
    size = len(places)
    return (size >= _SMALL and size & (size - 1) == 0 and 0 <= finger < 1 << 62 and max(places) <= _DUMMY and _EMPTY in places
            and places.count(_USED) == len(items) == _base(value).__len__(value))


def arrange(value: Any, items: list[Any], layout: Layout) -> None:
    """Put the elements of a set, all of which are given in order, where they were.

    Raises:
        Damaged: no set looks like that.
    """
    if not _can_be(value, items, layout):
        raise Damaged("a state holds a set that cannot be", "", "see: rex check")
    places, finger = layout
    dummy = _dummy()
    entries = [0] * (2 * len(places))
    left = iter(items)
    for place, kind in enumerate(places):
        if kind == _USED:
            item = next(left)
            entries[2 * place:2 * place + 2] = id(item), hash(item) & 0xFFFFFFFFFFFFFFFF
        elif kind == _DUMMY:
            entries[2 * place:2 * place + 2] = dummy, 0xFFFFFFFFFFFFFFFF
    data = struct.pack(f"{len(entries)}Q", *entries)
    fields = id(value) + _HEAD_BYTES
    _, _, _, old, own_hash, _ = _FIELDS.unpack(ctypes.string_at(fields, _FIELDS.size))
    small = id(value) + _SMALL_BYTES
    table = small if len(places) == _SMALL else _allocate(len(data))
    ctypes.memmove(table, data, len(data))      # the references are those of the old table
    now = _FIELDS.pack(len(places) - places.count(_EMPTY), len(items), len(places) - 1, table, own_hash, finger)
    ctypes.memmove(fields, now, len(now))
    if old != small:
        _free(old)


def fill_as(value: Any, items: list[Any], layout: Layout) -> None:
    """Make a set or a new frozenset hold these very objects, just as it did."""
    if _read(value) == layout and all(map(is_, _elements(value), items)):
        return
    if isinstance(value, set):
        set.clear(value)
        set.update(value, items)
    arrange(value, list(items), layout)


def _base(value: Any) -> Any:
    return set if isinstance(value, set) else frozenset


def _elements(value: Any) -> Any:
    return _base(value).__iter__(value)


def _allocate(size_bytes: int) -> int:
    allocate = ctypes.pythonapi.PyMem_Malloc
    allocate.restype, allocate.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    address = allocate(size_bytes)
    if not address:
        raise MemoryError
    return int(address)


def _free(address: int) -> None:
    free = ctypes.pythonapi.PyMem_Free
    free.restype, free.argtypes = None, [ctypes.c_void_p]
    free(address)


@functools.lru_cache(maxsize=None)
def _dummy() -> int:
    return ctypes.c_void_p.in_dll(ctypes.pythonapi, "_PySet_Dummy").value or 0


@functools.lru_cache(maxsize=None)
def _is_known() -> bool:
    """Whether this interpreter's sets are laid out so: looked at and built once, with elements that were removed among them."""
    if sys.version_info >= (3, 13) or sys.implementation.name != "cpython":
        return False
    probe = {number * 8 for number in range(40)}
    probe -= {0, 64, 312}
    fill, used, mask, _, _, _ = _FIELDS.unpack(ctypes.string_at(id(probe) + _HEAD_BYTES, _FIELDS.size))
    size = set.__basicsize__ + (mask + 1) * _ENTRY_BYTES
    if (fill, used) != (40, 37) or set().__sizeof__() != set.__basicsize__ or probe.__sizeof__() != size:
        return False
    places = _read(probe)[0]
    return (places.count(_USED), places.count(_DUMMY)) == (37, 3)
