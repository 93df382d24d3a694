"""Tables of checkpoints: which objects of the archive hold their memory (docs/formats/hindsight.md)."""

from __future__ import annotations

import struct
from typing import Callable, Iterable, Iterator, Mapping

from rex.archive import Archive, Content
from rex.errors import Damaged
from rex.hindsight.deltas import Place, read_place
from rex.state.store import read_content
from rex.state.versions import CHUNK_BYTES

_HEAD = struct.Struct("<16sQ")        # digest of a buffer, its size; then its chunks:
_CHUNK = struct.Struct("<32s16s32sB")   # sha256 of the object, digest, sha256 of the base, size of a number
Table = dict[bytes, tuple[int, list[Place], list[bytes]]]


def encode_table(buffers: Mapping[bytes, tuple[int, list[bytes]]], places: Mapping[bytes, Place]) -> bytes:
    """A table of buffers, each by the digest of the whole: its size, and its chunks' digests."""
    parts: list[bytes] = []
    for whole, (size, digests) in buffers.items():
        parts.append(_HEAD.pack(whole, size))
        for digest in digests:
            place = places[digest]
            parts.append(_CHUNK.pack(place.sha256, digest, place.base, place.item_bytes))
    return b"".join(parts)


def read_table(archive: Archive, content: Content) -> Table:
    """By digest of each buffer: its size, and place and digest of its chunks.

    Raises:
        Damaged: the table does not hold together.
    """
    data, at = read_content(archive, content), 0
    found: Table = {}
    while at < len(data):
        size_bytes = _HEAD.unpack_from(data, at)[1] if at + _HEAD.size <= len(data) else 0
        end = at + _HEAD.size + _CHUNK.size * -(-size_bytes // CHUNK_BYTES)
        if not size_bytes or end > len(data):
            raise Damaged("the table of a checkpoint is damaged", "it ends early", "see: rex check")
        whole, places, digests = data[at:at + 16], [], []
        for sha256, digest, base, item_bytes in _CHUNK.iter_unpack(data[at + _HEAD.size:end]):
            places.append(Place(sha256, base, item_bytes) if item_bytes else Place(sha256))
            digests.append(digest)
        found[whole] = size_bytes, places, digests
        at = end
    return found


def memory_reader(archive: Archive, content: Content) -> Callable[[bytes], Iterator[bytes]]:
    """A function that reads stored memory in pieces, by the digest of the whole.

    Raises:
        Damaged: the table does not hold together.
    """
    table = read_table(archive, content)
    return lambda digest: (read_place(archive.store, place) for place in table[digest][1])
