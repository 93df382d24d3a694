"""Large leaves of live objects: what of them changed, and chunks of what did."""

from __future__ import annotations

import ctypes
import operator
import sys
import weakref
from functools import partial
from itertools import chain
from typing import Any, Callable

import xxhash

from rex.state.unwritten import Key, Unwritten
from rex.state.versions import CHUNK_BYTES, SEGMENT_ITEMS, Chunk, Part
from rex.values import dataclass

# Smaller memory is hashed sooner than the kernel is asked.
WATCH_BYTES = 1 << 20
PLAIN = frozenset({int, float, complex, bool, str, bytes, type(None)})

_ROW_KINDS: dict[str, Any] = {kind.__name__: kind for kind in (tuple, list, set, dict)}
_ROWS = frozenset(_ROW_KINDS.values())
BLOCK_ROWS = 1024   # states that were kept depend on it
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
        segments: the plain values that it held, in order.
        is_watched: the kernel notes who writes the memory.
    """

    kind: str
    size: int
    chunks: tuple[Chunk, ...]
    pid: int
    address: int = 0
    segments: tuple[list[Any], ...] = ()
    is_watched: bool = False

    @property
    def key(self) -> Key:
        """The place of the memory."""
        return self.address, self.size

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


def same_items(one: list[Any], other: list[Any], begin: int) -> bool:
    """Whether a list is, object by object, what another holds from `begin` on."""
    if not _knows_lists:
        return all(map(operator.is_, one, other[begin:begin + len(one)]))
    size = len(one) * _POINTER_BYTES
    return size == 0 or _libc.memcmp(_items_address(one), _items_address(other) + begin * _POINTER_BYTES,
                                     size) == 0


def memory_at(address: int, size_bytes: int) -> memoryview:
    """The process's own memory, which the caller keeps in place."""
    return memoryview((ctypes.c_ubyte * size_bytes).from_address(address)).cast("B")


@dataclass(slots=True)
class Rows:
    """A list of tuples, lists, sets or dicts of plain values, taken apart.

    Attributes:
        layout: "columns" of blocks of rows; or "rows", one behind the other.
        kind, width: of the rows; rows of different widths (-1) have their lengths behind the items.
    """

    segments: list[list[Any]]
    layout: str
    kind: str
    width: int


def flatten(rows: list[Any]) -> Rows | None:
    """A list's rows if all are of one kind and nobody else holds one of them; None for other lists.

    That nobody else does is seen by the counts of references.
    """
    kind = type(rows[0])
    if kind not in _ROWS:
        return None
    width = len(rows[0])
    if kind in (tuple, list) and width:
        try:
            columns = _segments(rows, kind, partial(_columns, width))
            return Rows(columns, "columns", kind.__name__, width) if columns is not None else None
        except ValueError:   # rows of different widths
            pass
    segments = _segments(rows, kind, _behind)
    if segments is None:
        return None
    if set(map(len, rows)) == {width} != {0}:
        return Rows(segments, "rows", kind.__name__, width)
    rest = segments.pop() if segments and len(segments[-1]) < SEGMENT_ITEMS else []
    if rest := _cut(segments, rest + list(map(len, rows))):
        segments.append(rest)
    return Rows(segments, "rows", kind.__name__, -1)


def _segments(rows: list[Any], kind: type, items_of: Callable[[list[Any]], list[Any]]) -> list[list[Any]] | None:
    """The rows' items; None if they are not all plain, the rows of other kinds, or somebody else's."""
    segments: list[list[Any]] = []
    rest: list[Any] = []
    for at in range(0, len(rows), BLOCK_ROWS):   # all questions while the rows are in the cache
        block = rows[at:at + BLOCK_ROWS]   # holds each row once more
        if set(map(type, block)) != {kind} or \
                max(map(sys.getrefcount, block)) > _ROW_REFERENCES + 1:
            return None
        items = items_of(block)
        if not PLAIN.issuperset(map(type, items)):
            return None
        rest = _cut(segments, rest + items if rest else items)
    return segments + [rest] if rest else segments


def _columns(width: int, block: list[Any]) -> list[Any]:
    """Column after column, which is quicker than row by row; ValueError: not all have this width."""
    items: list[Any] = []
    for column in zip(*block, strict=True):
        items += column
    if len(items) != width * len(block):
        raise ValueError
    return items


def _behind(block: list[Any]) -> list[Any]:
    """Row after row."""
    pieces: Any = map(dict.items, block) if type(block[0]) is dict else (block,)
    return list(chain.from_iterable(chain.from_iterable(pieces)))


def _cut(segments: list[list[Any]], items: list[Any]) -> list[Any]:
    """Add whole segments of the items; the rest."""
    whole = len(items) - len(items) % SEGMENT_ITEMS
    segments += [items[at:at + SEGMENT_ITEMS] for at in range(0, whole, SEGMENT_ITEMS)] \
        if len(items) != SEGMENT_ITEMS else [items]
    return items[whole:]


def unflatten(flat: list[Any], kind: str, width: int, count: int) -> list[Any]:
    """The rows that lie one behind the other."""
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


def from_columns(flat: list[Any], kind: str, width: int, count: int) -> list[Any]:
    """The rows whose columns lie one behind the other, block by block."""
    rows: list[Any] = []
    for begin in range(0, count, BLOCK_ROWS):
        size, at = min(BLOCK_ROWS, count - begin), begin * width
        rows += zip(*[flat[at + column * size:at + (column + 1) * size] for column in range(width)])
    return rows if kind == "tuple" else list(map(list, rows))


class PartScanner:
    """Looks at parts, and knows every chunk that is still in use by its hash."""

    def __init__(self, unwritten: Unwritten | None, last_pid: int = 0) -> None:
        """Begin; higher numbers than the last one name new objects."""
        self._unwritten = unwritten
        self._chunks: weakref.WeakValueDictionary[bytes, Chunk] = weakref.WeakValueDictionary()
        self._pids = last_pid

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

    def know(self, chunk: Chunk) -> None:
        """Take this chunk for its bytes from now on."""
        self._chunks[chunk.digest] = chunk

    def memory(self, previous: LivePart | None, address: int, size_bytes: int) -> LivePart:
        """Look at raw memory: pages tell where it may differ, hashes whether it does."""
        pid = self._pid(previous)
        if previous and previous.key != (address, size_bytes):
            self.forget(previous)
            previous = None
        view = memory_at(address, size_bytes)
        if previous is None:
            is_watched = self._watch((address, size_bytes))
            chunks = [self.chunk(view[at:at + CHUNK_BYTES])
                      for at in range(0, size_bytes, CHUNK_BYTES)]
            return LivePart("memory", size_bytes, tuple(chunks), pid, address, (), is_watched)
        chunks = list(previous.chunks)
        for index in self._suspects(previous):
            chunks[index] = self._again(view[index * CHUNK_BYTES:(index + 1) * CHUNK_BYTES],
                                        chunks[index])
        return LivePart("memory", size_bytes, tuple(chunks), pid, address, (), previous.is_watched)

    def bytes_like(self, data: memoryview) -> LivePart:
        """Look at a buffer of which nobody knows whether it stays in place."""
        chunks = tuple(self.chunk(data[at:at + CHUNK_BYTES])
                       for at in range(0, data.nbytes, CHUNK_BYTES))
        return LivePart("memory", data.nbytes, chunks, 0)

    def _again(self, data: memoryview, known: Chunk) -> Chunk:
        return known if xxhash.xxh3_128_digest(data) == known.digest else self.chunk(data)

    def _suspects(self, part: LivePart) -> list[int]:
        everything = list(range(len(part.chunks)))
        written = self._unwritten.written(part.key) if part.is_watched and self._unwritten is not None else None
        if written is None:
            part.is_watched = self._watch(part.key)
            return everything
        # Pages at both ends belong to neighbours too, whose scans may have come first.
        return sorted(written & {*everything} | {0, len(everything) - 1})

    def _watch(self, key: Key) -> bool:
        """Watch memory for one part; another one there, over the same buffer or gone by the next look, is hashed."""
        unwritten = self._unwritten
        return key[1] >= WATCH_BYTES and unwritten is not None and key not in unwritten and unwritten.watch(key)

    def items(self, previous: LivePart | None, values: list[Any]) -> LivePart | None:
        """Look at a list of values; None when they are not all plain."""
        return self._items(previous, [(values, at, min(SEGMENT_ITEMS, len(values) - at))
                                      for at in range(0, len(values), SEGMENT_ITEMS)], False)

    def rows(self, previous: LivePart | None, rows: Rows) -> LivePart:
        """Look at rows that were taken apart."""
        found = self._items(previous, [(segment, 0, len(segment)) for segment in rows.segments], True)
        assert found is not None
        return found

    def _items(self, previous: LivePart | None, places: list[tuple[list[Any], int, int]],
               is_plain: bool) -> LivePart | None:
        """Look at segments, each so many items of a list from a place on; plain ones are kept as they are."""
        known = previous.segments if previous else ()
        segments: list[list[Any]] = []
        chunks: list[Chunk] = []
        for index, (values, at, count) in enumerate(places):
            old = known[index] if index < len(known) else None
            if previous and old is not None and len(old) == count and same_items(old, values, at):
                segments.append(old)
                chunks.append(previous.chunks[index])
                continue
            segment = values if is_plain else values[at:at + count]
            if not is_plain and not PLAIN.issuperset(map(type, segment)):
                return None
            segments.append(segment)
            chunks.append(Chunk(segment))
        if previous and len(known) == len(chunks) and previous.chunks == tuple(chunks):
            return previous
        return LivePart("items", sum(map(len, segments)), tuple(chunks), self._pid(previous), 0, tuple(segments))

    def constant(self, previous: LivePart | None, value: bytes | str) -> LivePart:
        """Look at a long immutable value, which is kept alive."""
        if previous and previous.segments and previous.segments[0][0] is value:
            return previous
        kind = "bytes" if isinstance(value, bytes) else "text"
        return LivePart(kind, len(value), (Chunk(value),), self._pid(None), 0, ([value],))

    def forget(self, part: LivePart) -> None:
        """Stop to watch a part that is gone."""
        if part.is_watched and self._unwritten is not None:
            self._unwritten.forget(part.key)
            part.is_watched = False

    def close(self) -> None:
        """Stop to watch at all."""
        if self._unwritten is not None:
            self._unwritten.close()
            self._unwritten = None
