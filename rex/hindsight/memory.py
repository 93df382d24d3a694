"""Memory of checkpoints: hashed in chunks, what is new copied into a reused pool."""

from __future__ import annotations

import ctypes
import mmap
import threading
from dataclasses import dataclass, field
from typing import Callable

import xxhash

from rex.state.parts import memory_at
from rex.state.versions import CHUNK_BYTES

_ARENA_SLOTS = 256   # 32 MiB


class Pool:
    """Slots of one chunk each, in memory that stays mapped: no page is faulted in twice."""

    def __init__(self) -> None:
        self._free: list[int] = []
        self._arenas: list[tuple[mmap.mmap, int]] = []
        self._lock = threading.Lock()
        self.slots = 0

    def put(self, address: int, size_bytes: int) -> int:
        """Copy memory into a slot; the slot's address."""
        with self._lock:
            if not self._free:
                self._grow()
            slot = self._free.pop()
        ctypes.memmove(slot, address, size_bytes)
        return slot

    def _grow(self) -> None:
        arena = mmap.mmap(-1, _ARENA_SLOTS * CHUNK_BYTES)
        start = ctypes.addressof(ctypes.c_char.from_buffer(arena))
        self._arenas.append((arena, start))
        self.slots += _ARENA_SLOTS
        self._free += [start + index * CHUNK_BYTES for index in range(_ARENA_SLOTS)]

    def take_out(self, slot: int, size_bytes: int) -> bytes:
        """The bytes of a slot, which is free again."""
        data = ctypes.string_at(slot, size_bytes)
        with self._lock:
            self._free.append(slot)
        return data


class Hasher:
    """Takes memory by its hash only: to compare a state with a stored one."""

    def take(self, address: int, size_bytes: int) -> bytes:
        """The digest that `Copier.take` would give."""
        view = memory_at(address, size_bytes)
        if size_bytes <= CHUNK_BYTES:
            return xxhash.xxh3_128_digest(view)
        whole = xxhash.xxh3_128()
        for at in range(0, size_bytes, CHUNK_BYTES):
            whole.update(xxhash.xxh3_128_digest(view[at:at + CHUNK_BYTES]))
        return whole.digest()


@dataclass(slots=True)
class Taken:
    """What one checkpoint holds of memory.

    Attributes:
        buffers: the chunks' digests by the digest of the whole, with its size.
        fresh: chunks that nobody kept before, in order: digest, slot, size.
    """

    buffers: dict[bytes, tuple[int, list[bytes]]] = field(default_factory=dict)
    fresh: list[tuple[bytes, int, int]] = field(default_factory=list)
    size_bytes: int = 0


class Copier:
    """Takes memory for checkpoints: chunks that are known already are not copied."""

    def __init__(self, pool: Pool, is_known: Callable[[bytes], bool]) -> None:
        self._pool, self._is_known = pool, is_known
        self.taken = Taken()
        self._seen: set[bytes] = set()

    def take(self, address: int, size_bytes: int) -> bytes:
        """Hash memory, keep what is new; its digest."""
        view = memory_at(address, size_bytes)
        digests: list[bytes] = []
        for at in range(0, size_bytes, CHUNK_BYTES):
            part = view[at:at + CHUNK_BYTES]
            digest = xxhash.xxh3_128_digest(part)
            digests.append(digest)
            if digest not in self._seen and not self._is_known(digest):
                self._seen.add(digest)
                slot = self._pool.put(address + at, len(part))
                self.taken.fresh.append((digest, slot, len(part)))
        whole = digests[0] if len(digests) == 1 else xxhash.xxh3_128_digest(b"".join(digests))
        self.taken.buffers[whole] = (size_bytes, digests)
        self.taken.size_bytes += size_bytes
        return whole
