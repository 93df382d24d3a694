"""Chunks of floats as their difference to an earlier checkpoint, bytes of equal weight side by side.

Floats hardly compress. Those of one weight some steps apart share their sign, exponent and first digits: what
remains of an exclusive or, with the first bytes of all numbers together, then the second ones, is half zeros.
A base is stored whole, so that reading a chunk takes two objects at most.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Container

import xxhash

from rex.errors import Damaged
from rex.values import dataclass

ITEM_BYTES = (2, 4, 8)
LIFETIME = 3                   # checkpoints until a base is replaced: distance costs bytes, bases too
BASES_BYTES = 1 << 30          # of memory for bases
_READ_BASES_BYTES = 256 << 20
_MOST_SPACES = 16
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


NOWHERE = Place(b"")     # of a chunk that is not stored


@dataclass(slots=True)
class _Base:
    sha256: bytes
    data: bytes
    uses: int = 0


def encode(data: bytes | memoryview, base: bytes, item_bytes: int, space: Any = None) -> bytes | None:
    """The difference of two arrays of numbers, of the same size as they; None if they are not alike.

    Args:
        space: an array of bytes of twice that size to work in.
    """
    import numpy
    size, kind = len(data), f"<u{item_bytes}"
    if space is None:
        space = numpy.empty(2 * size, numpy.uint8)
    mixed, planes = space[:size].view(kind), space[size:].reshape(item_bytes, -1)
    numpy.bitwise_xor(numpy.frombuffer(data, kind), numpy.frombuffer(base, kind), out=mixed)
    for plane in planes:       # a byte each, the last is the first of the number; faster than to transpose
        plane[:] = mixed       # its lowest byte
        mixed >>= 8
    if numpy.count_nonzero(planes[-1]) > _UNRELATED * planes.shape[1]:
        return None
    return bytes(planes.data)


def decode(encoded: bytes, base: bytes, item_bytes: int) -> memoryview:
    """What `encode` was given.

    Raises:
        ValueError: the sizes do not match.
    """
    import numpy
    if item_bytes not in ITEM_BYTES:
        raise ValueError(f"there are no numbers of {item_bytes} bytes")
    kind = f"<u{item_bytes}"
    planes = numpy.frombuffer(encoded, numpy.uint8).reshape(item_bytes, -1)
    numbers = planes[-1].astype(kind)
    for plane in planes[-2::-1]:
        numbers <<= 8
        numbers |= plane
    numbers ^= numpy.frombuffer(base, kind)
    return memoryview(numbers.view(numpy.uint8))


class Bases:
    """What stood at an address when it was last stored whole."""

    def __init__(self) -> None:
        self._bases: OrderedDict[tuple[int, int], _Base] = OrderedDict()
        self._held_bytes = 0
        self._spaces: dict[int, Any] = {}     # arrays to work in, by their size: fresh memory costs more than the work

    def shorten(self, address: int, data: memoryview, item_bytes: int) -> tuple[bytes, _Base] | None:
        """What to store of a chunk, and the base that it differs from; None: it is stored whole."""
        size = len(data)
        base = self._bases.get((address, size))
        if base is None or base.uses >= LIFETIME or item_bytes not in ITEM_BYTES or size % item_bytes:
            return None
        if size not in self._spaces:
            import numpy
            if len(self._spaces) >= _MOST_SPACES:
                self._spaces.clear()
            self._spaces[size] = numpy.empty(2 * size, numpy.uint8)
        encoded = encode(data, base.data, item_bytes, self._spaces[size])
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

    def read(self, place: Place, digest: bytes) -> bytes | memoryview:
        """The bytes of a chunk.

        Args:
            digest: their xxh3, by which they are verified: in a tenth of the time that its object's sha256 takes.
        Raises:
            Damaged: it cannot be read.
            ValueError: it does not fit its base.
        """
        data = self._decoded(place, is_proved=False)
        if xxhash.xxh3_128_digest(data) != digest:
            data = self._decoded(place, is_proved=True)     # another copy may be whole
            if xxhash.xxh3_128_digest(data) != digest:
                raise Damaged("a checkpoint is damaged", "its memory does not have its hash", "see: rex check")
        return data

    def _decoded(self, place: Place, is_proved: bool) -> bytes | memoryview:
        data: bytes = self._store.read_object(place.sha256, is_proved)
        return decode(data, self._base(place.base), place.item_bytes) if place.item_bytes else data

    def _base(self, sha256: bytes) -> bytes:
        data = self._bases.get(sha256)
        if data is None:
            data = self._bases[sha256] = self._store.read_object(sha256)
            self._held_bytes += len(data)
            while self._held_bytes > _READ_BASES_BYTES:
                self._held_bytes -= len(self._bases.popitem(last=False)[1])
        return data
