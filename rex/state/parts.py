"""Large leaves of live objects: what of them changed, and chunks of what did."""

from __future__ import annotations

import ctypes
import operator
import sys
import weakref
from dataclasses import dataclass
from itertools import chain
from typing import Any

import xxhash

from rex.state.pages import PageWatch, Region
from rex.state.versions import CHUNK_BYTES, SEGMENT_ITEMS, Chunk, Part

# Smaller memory is hashed sooner than the kernel is asked.
WATCH_BYTES = 1 << 20
PLAIN = frozenset({int, float, complex, bool, str, bytes, type(None)})

_ROW_KINDS: dict[str, Any] = {kind.__name__: kind for kind in (tuple, list, set, dict)}
_ROWS = frozenset(_ROW_KINDS.values())
_BLOCK_ROWS = 1024
_ROW_REFERENCES = max(map(sys.getrefcount, [[object()] for _ in range(3)]))

_LIST_ITEMS_OFFSET = 24   # PyListObject: refcount, type, size, then the array of pointers
_POINTER_BYTES = 8
_libc = ctypes.CDLL(None)
_libc.memcmp.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


@dataclass(eq=False, slots=True)
class LivePart:
    """A part as it was when last looked at; keeps plain items alive, nothing else.

    Attributes:
        address: of the memory, or 0.
        items: the plain values that it held, in order.
        region: the memory's watch.
    """

    kind: str
    size: int
    chunks: tuple[Chunk, ...]
    pid: int
    address: int = 0
    items: list[Any] | None = None
    region: Region | None = None

    def as_part(self) -> Part:
        """What a version keeps of it."""
        return Part(self.kind, self.size, self.chunks, self.pid)


def _items_address(values: list[Any]) -> int:
    return ctypes.c_size_t.from_address(id(values) + _LIST_ITEMS_OFFSET).value


def _probe() -> bool:
    probe = [object(), object()]
    address = _items_address(probe) if ctypes.sizeof(ctypes.c_void_p) == 8 else 0
    return bool(address) and ctypes.c_size_t.from_address(address + 8).value == id(probe[1])


_knows_lists = _probe()


def same_items(one: list[Any], other: list[Any], begin: int, end: int) -> bool:
    """Whether the lists hold the very same objects at begin..end."""
    if not _knows_lists:
        return all(map(operator.is_, one[begin:end], other[begin:end]))
    skip, size = begin * _POINTER_BYTES, (end - begin) * _POINTER_BYTES
    return size == 0 or _libc.memcmp(_items_address(one) + skip, _items_address(other) + skip,
                                     size) == 0


def memory_at(address: int, size_bytes: int) -> memoryview:
    """The process's own memory, which the caller keeps in place."""
    return memoryview((ctypes.c_ubyte * size_bytes).from_address(address)).cast("B")


def flatten(rows: list[Any]) -> tuple[list[Any], str, int] | None:
    """The items of a list of tuples, lists, sets or dicts, the rows' kind and width; None for other lists.

    Rows of different widths (-1) have their lengths behind the items. That nobody else holds
    a row is seen by the counts of references: so none can be shared with anything.
    """
    kind = type(rows[0])
    if kind not in _ROWS:
        return None
    flat: list[Any] = []
    widths: set[int] = set()
    for at in range(0, len(rows), _BLOCK_ROWS):   # all questions while the rows are in the cache
        block = rows[at:at + _BLOCK_ROWS]   # holds each row once more
        if set(map(type, block)) != {kind} or \
                max(map(sys.getrefcount, block)) > _ROW_REFERENCES + 1:
            return None
        widths.update(map(len, block))
        pieces = chain.from_iterable(map(dict.items, block)) if kind is dict else block
        items = list(chain.from_iterable(pieces))
        if not PLAIN.issuperset(map(type, items)):
            return None
        flat += items
    width = widths.pop()
    if widths or not width:
        return flat + list(map(len, rows)), kind.__name__, -1
    return flat, kind.__name__, width


def unflatten(flat: list[Any], kind: str, width: int, count: int) -> list[Any]:
    """The rows that `flatten` took apart."""
    make = _ROW_KINDS[kind]
    step = 2 if make is dict else 1
    items = list(zip(flat[::2], flat[1::2])) if make is dict and width > 0 else flat
    if width > 0:
        return list(map(make, zip(*[iter(items)] * width)))
    rows, at = [], 0
    for length in flat[len(flat) - count:]:
        piece = flat[at:at + length * step]
        rows.append(make(zip(piece[::2], piece[1::2])) if make is dict else make(piece))
        at += length * step
    return rows


class PartScanner:
    """Looks at parts, and knows every chunk that is still in use by its hash."""

    def __init__(self, watch: PageWatch | None) -> None:
        self._watch = watch
        self._chunks: weakref.WeakValueDictionary[bytes, Chunk] = weakref.WeakValueDictionary()
        self._pids = 0

    def _pid(self, previous: LivePart | None) -> int:
        if previous is not None:
            return previous.pid
        self._pids += 1
        return self._pids

    def chunk(self, data: memoryview | bytes) -> Chunk:
        """The chunk of these bytes, which are copied unless they are known."""
        digest = xxhash.xxh3_128_digest(data)
        found = self._chunks.get(digest)
        if found is None or found.is_lost:
            found = self._chunks[digest] = Chunk(bytes(data), digest)
        return found

    def memory(self, previous: LivePart | None, address: int, size_bytes: int) -> LivePart:
        """Look at raw memory: pages tell where it may differ, hashes whether it does."""
        pid = self._pid(previous)
        if previous and (previous.address, previous.size) != (address, size_bytes):
            self.forget(previous)
            previous = None
        view = memory_at(address, size_bytes)
        if previous is None:
            region = None
            if self._watch is not None and size_bytes >= WATCH_BYTES:
                region = self._watch.watch(address, size_bytes)
            chunks = [self.chunk(view[at:at + CHUNK_BYTES])
                      for at in range(0, size_bytes, CHUNK_BYTES)]
            return LivePart("memory", size_bytes, tuple(chunks), pid, address, None, region)
        chunks = list(previous.chunks)
        for index in self._suspects(previous):
            chunks[index] = self._again(view[index * CHUNK_BYTES:(index + 1) * CHUNK_BYTES],
                                        chunks[index])
        return LivePart("memory", size_bytes, tuple(chunks), pid, address, None, previous.region)

    def bytes_like(self, data: memoryview) -> LivePart:
        """Look at a buffer of which nobody knows whether it stays in place."""
        chunks = tuple(self.chunk(data[at:at + CHUNK_BYTES])
                       for at in range(0, data.nbytes, CHUNK_BYTES))
        return LivePart("memory", data.nbytes, chunks, 0)

    def _again(self, data: memoryview, known: Chunk) -> Chunk:
        return known if xxhash.xxh3_128_digest(data) == known.digest else self.chunk(data)

    def _suspects(self, part: LivePart) -> list[int]:
        everything = list(range(len(part.chunks)))
        if part.region is None or self._watch is None:
            return everything
        ranges = self._watch.written(part.region)
        if ranges is None:
            part.region = self._watch.watch(part.address, part.size)
            return everything
        # Pages at both ends belong to neighbours too, whose scans may have come first.
        found = {0, len(everything) - 1}
        for begin, end in ranges:
            first = max(0, begin - part.address) // CHUNK_BYTES
            last = (min(end, part.address + part.size) - 1 - part.address) // CHUNK_BYTES
            found.update(range(first, last + 1))
        return sorted(found)

    def items(self, previous: LivePart | None, values: list[Any], is_copy: bool = False,
              is_plain: bool = False) -> LivePart | None:
        """Look at a list of values; None when they are not all plain.

        Args:
            is_copy: the list is the caller's copy and may be kept.
            is_plain: the caller knows that they are.
        """
        known = previous.items if previous else None
        if previous and known is not None and len(known) == len(values) and same_items(
                known, values, 0, len(values)):
            return previous
        mine = values if is_copy else list(values)
        chunks, old = [], previous.chunks if previous and known else ()
        for begin in range(0, len(mine), SEGMENT_ITEMS):
            end, index = min(begin + SEGMENT_ITEMS, len(mine)), begin // SEGMENT_ITEMS
            if known and end <= len(known) and index < len(old) and (
                    end == min(begin + SEGMENT_ITEMS, len(known))) and same_items(
                    known, mine, begin, end):
                chunks.append(old[index])
                continue
            segment = mine[begin:end]
            if not is_plain and not PLAIN.issuperset(map(type, segment)):
                return None
            chunks.append(Chunk(segment))
        return LivePart("items", len(mine), tuple(chunks), self._pid(previous), 0, mine)

    def constant(self, previous: LivePart | None, value: bytes | str) -> LivePart:
        """Look at a long immutable value, which is kept alive."""
        if previous and previous.items and previous.items[0] is value:
            return previous
        kind = "bytes" if isinstance(value, bytes) else "text"
        return LivePart(kind, len(value), (Chunk(value),), self._pid(None), 0, [value])

    def forget(self, part: LivePart) -> None:
        """Stop to watch a part that is gone."""
        if part.region is not None and self._watch is not None:
            self._watch.forget(part.region)
            part.region = None

    def close(self) -> None:
        """Stop to watch at all."""
        if self._watch is not None:
            self._watch.close()
            self._watch = None
