"""Chunks of floats as their difference to an earlier checkpoint, bytes of equal weight side by side.

Floats hardly compress. Those of one weight some steps apart share their sign, exponent and first digits: what
remains of an exclusive or, with the first bytes of all numbers together, then the second ones, is half zeros.
A base is stored whole, so that reading a chunk takes two objects at most.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Container

ITEM_BYTES = (2, 4, 8)
LIFETIME = 3                   # checkpoints until a base is replaced: distance costs bytes, bases too
BASES_BYTES = 1 << 30          # of memory for bases
_READ_BASES_BYTES = 256 << 20
_MOST_MIXED = 16
_UNRELATED = 0.9               # share of numbers whose sign and exponent differ: then it does not pay


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chunk is stored.

    Attributes:
        sha256: of its object. base: sha256 of the object that it differs from; empty: it is whole.
        item_bytes: size of a number.
    """

    sha256: bytes
    base: bytes = b""
    item_bytes: int = 0


@dataclass(slots=True)
class _Base:
    sha256: bytes
    data: bytes
    uses: int = 0


def encode(data: bytes | memoryview, base: bytes, item_bytes: int, mixed: Any = None) -> bytes | None:
    """The difference of two arrays of numbers, of the same size as they; None if they are not alike.

    Args:
        mixed: an array of bytes of that size to work in.
    """
    import numpy
    mixed = numpy.bitwise_xor(numpy.frombuffer(data, numpy.uint8), numpy.frombuffer(base, numpy.uint8), out=mixed)
    columns = mixed.reshape(-1, item_bytes).T
    if numpy.count_nonzero(columns[-1]) > _UNRELATED * columns.shape[1]:   # little-endian: the last is the first
        return None
    return columns.tobytes()


def decode(encoded: bytes, base: bytes, item_bytes: int) -> bytes:
    """What `encode` was given.

    Raises:
        ValueError: the sizes do not match.
    """
    import numpy
    columns = numpy.frombuffer(encoded, numpy.uint8).reshape(item_bytes, -1)
    mixed = numpy.ascontiguousarray(columns.T).reshape(-1)
    return (mixed ^ numpy.frombuffer(base, numpy.uint8)).tobytes()


class Bases:
    """What stood at an address when it was last stored whole."""

    def __init__(self) -> None:
        self._bases: OrderedDict[tuple[int, int], _Base] = OrderedDict()
        self._held_bytes = 0
        self._mixed: dict[int, Any] = {}     # arrays to work in, by their size: fresh memory costs more than the work

    def shorten(self, address: int, data: memoryview, item_bytes: int) -> tuple[bytes, _Base] | None:
        """What to store of a chunk, and the base that it differs from; None: it is stored whole."""
        size = len(data)
        base = self._bases.get((address, size))
        if base is None or base.uses >= LIFETIME or item_bytes not in ITEM_BYTES or size % item_bytes:
            return None
        if size not in self._mixed:
            import numpy
            if len(self._mixed) >= _MOST_MIXED:
                self._mixed.clear()
            self._mixed[size] = numpy.empty(size, numpy.uint8)
        encoded = encode(data, base.data, item_bytes, self._mixed[size])
        if encoded is None:
            return None
        base.uses += 1
        return encoded, base

    def learn(self, address: int, data: bytes, sha256: bytes, item_bytes: int) -> None:
        """A chunk was stored whole."""
        if item_bytes not in ITEM_BYTES:
            return
        key = address, len(data)
        former = self._bases.pop(key, None)
        self._held_bytes += len(data) - (len(former.data) if former else 0)
        self._bases[key] = _Base(sha256, data)
        while self._held_bytes > BASES_BYTES:
            self._held_bytes -= len(self._bases.popitem(last=False)[1].data)

    def keep_only(self, stored: Container[bytes]) -> None:
        """Forget bases whose objects (by sha256) are not stored any more."""
        for key in [key for key, base in self._bases.items() if base.sha256 not in stored]:
            self._held_bytes -= len(self._bases.pop(key).data)


class ChunkReader:
    """Reads stored chunks; several in a row differ from the same base, which is kept at hand."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self._bases: OrderedDict[bytes, bytes] = OrderedDict()
        self._held_bytes = 0

    def read(self, place: Place) -> bytes:
        """The bytes of a chunk.

        Raises:
            Damaged: it cannot be read.
            ValueError: it does not fit its base.
        """
        data: bytes = self._store.read_object(place.sha256)
        return decode(data, self._base(place.base), place.item_bytes) if place.item_bytes else data

    def _base(self, sha256: bytes) -> bytes:
        data = self._bases.get(sha256)
        if data is None:
            data = self._bases[sha256] = self._store.read_object(sha256)
            self._held_bytes += len(data)
            while self._held_bytes > _READ_BASES_BYTES:
                self._held_bytes -= len(self._bases.popitem(last=False)[1])
        return data
