"""Tables of checkpoints: which objects of the archive hold their memory (docs/formats/hindsight.md)."""

from __future__ import annotations

import itertools
import struct
from types import MappingProxyType
from typing import Container, Mapping

import xxhash

from rex.archive import Archive, Content
from rex.errors import Damaged
from rex.hindsight.capture.chunks import NOWHERE, ChunkReader
from rex.hindsight.capture.memory import Key, hash_unwritten
from rex.state.parts import memory_at
from rex.state.store import read_content
from rex.state.unwritten import Unwritten
from rex.state.versions import CHUNK_BYTES

_HEAD = struct.Struct("<16sQ")        # digest of a buffer, its size; then its chunks:
_CHUNK = struct.Struct("<32s16s")     # sha256 of the object, digest
_NO_SHA256 = bytes(32)                  # of a chunk that is not stored
Table = dict[bytes, tuple[int, list[bytes], list[bytes]]]


def encode_table(buffers: Mapping[bytes, tuple[int, list[bytes]]], places: Mapping[bytes, bytes],
                 remade: Container[bytes] = ()) -> bytes:
    """A table of buffers, each by the digest of the whole: its size, and its chunks' digests.

    Args:
        places: sha256 of the object of each chunk, by digest.
        remade: buffers that need not be stored.
    """
    parts: list[bytes] = []
    for whole, (size, digests) in buffers.items():
        parts.append(_HEAD.pack(whole, size))
        for digest in digests:
            place = places.get(digest, NOWHERE) if whole in remade else places[digest]
            parts.append(_CHUNK.pack(place, digest))
    return b"".join(parts)


def read_table(archive: Archive, content: Content) -> Table:
    """The table of a checkpoint.

    Raises:
        Damaged: it does not hold together.
    """
    return decode_table(read_content(archive, content))


def decode_table(data: bytes) -> Table:
    """By digest of each buffer: its size, and of its chunks the sha256 of the object, or NOWHERE, and the digest.

    Raises:
        Damaged: the table does not hold together.
    """
    found: Table = {}
    at = 0
    while at < len(data):
        size_bytes = _HEAD.unpack_from(data, at)[1] if at + _HEAD.size <= len(data) else 0
        end = at + _HEAD.size + _CHUNK.size * -(-size_bytes // CHUNK_BYTES)
        if not size_bytes or end > len(data):
            raise Damaged("the table of a checkpoint is damaged", "it ends early", "see: rex check")
        whole, places, digests = data[at:at + 16], [], []
        for sha256, digest in _CHUNK.iter_unpack(data[at + _HEAD.size:end]):
            places.append(NOWHERE if sha256 == _NO_SHA256 else sha256)
            digests.append(digest)
        found[whole] = size_bytes, places, digests
        at = end
    return found


class StoredMemory:
    """The memory of one checkpoint, by the digests of its buffers."""

    def __init__(self, table: Table, chunks: ChunkReader, ahead: Mapping[bytes, memoryview] = MappingProxyType({}),
                 unwritten: Unwritten | None = None) -> None:
        """
        Args:
            ahead: chunks that were read already, by digest.
            unwritten: knows which memory the script did not write.
        """
        self._table, self._chunks, self._ahead = table, chunks, ahead
        self._unwritten = unwritten or Unwritten()
        self._missing = {whole for whole, (_, places, _) in table.items() if NOWHERE in places}
        self._found: set[tuple[bytes, Key]] = set()

    @property
    def is_whole(self) -> bool:
        """Whether all of it is stored."""
        return not self._missing

    def is_at_hand(self, digest: bytes, address: int, size_bytes: int) -> bool:
        """Whether a buffer is stored, or lies in this memory already."""
        if digest not in self._missing:
            return True
        key = address, size_bytes
        if not address or size_bytes != self._table[digest][0] or hash_unwritten(self._unwritten, key) != self._table[digest][2]:
            return False
        self._found.add((digest, key))
        return True

    def read(self, digest: bytes) -> bytes:
        """A buffer's bytes."""
        return b"".join(itertools.starmap(self._chunk, zip(*self._table[digest][1:])))

    def _chunk(self, place: bytes, digest: bytes) -> bytes | memoryview:
        return self._ahead.get(digest) or self._chunks.read(place, digest)

    def write(self, digest: bytes, address: int, size_bytes: int) -> None:
        """Make memory what a buffer was; only what is different is read."""
        size, places, digests = self._table[digest]
        assert size == size_bytes
        if (digest, (address, size_bytes)) in self._found:
            return
        view = memory_at(address, size_bytes)
        for index, (place, wanted) in enumerate(zip(places, digests)):
            at = index * CHUNK_BYTES
            if xxhash.xxh3_128_digest(view[at:at + CHUNK_BYTES]) == wanted:
                continue
            data = self._chunk(place, wanted)
            assert len(data) == min(CHUNK_BYTES, size_bytes - at)
            view[at:at + CHUNK_BYTES] = data
