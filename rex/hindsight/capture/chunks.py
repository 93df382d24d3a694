"""How stored chunks of memory are read. The archive has each as an object."""

from __future__ import annotations

from typing import Any

import xxhash

from rex.errors import Damaged

NOWHERE = b""     # in the place of its object's sha256: a chunk that is not stored


class ChunkReader:
    """Reads stored chunks."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def read(self, sha256: bytes, digest: bytes) -> bytes:
        """The bytes of a chunk.

        Args:
            sha256: of its object.
            digest: their xxh3, by which they are verified: in a tenth of the time that the sha256 takes.
        Raises:
            Damaged: it cannot be read.
        """
        data: bytes = self._store.read_object(sha256, False)
        if xxhash.xxh3_128_digest(data) != digest:
            data = self._store.read_object(sha256, True)     # another copy may be whole
            if xxhash.xxh3_128_digest(data) != digest:
                raise Damaged("a checkpoint is damaged", "its memory does not have its hash", "see: rex check")
        return data
