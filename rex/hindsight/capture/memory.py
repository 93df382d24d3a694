"""Memory of checkpoints: hashed in chunks, what is new copied into a reused pool.

Memory that changed from one checkpoint to the next is taken to change again: it is copied at once, and
hashed in the background. Other memory is hashed first, which costs half as much, and copied where it changed. Large
memory that was found unchanged is watched by the kernel from then on, and not read while nobody writes it.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import threading
from typing import Any, Callable, Iterable, Protocol

import xxhash

from rex.state.device import DeviceCopies
from rex.state.unwritten import Unwritten
from rex.state.parts import memory_at
from rex.state.versions import CHUNK_BYTES
from rex.values import dataclass, field

_ARENA_SLOTS = 256   # 32 MiB
_SMALLER_BYTES = 4 << 10, 16 << 10, 64 << 10   # slots for what is no whole chunk
DEFERRED_BYTES = 1 << 20   # smaller memory is hashed at once
_MOST_HABITS = 100_000
Key = tuple[int, int]     # address and size in bytes


class Pool:
    """Slots in memory that stays mapped: no page is faulted in twice.

    One chunk each; a buffer that is no chunk gets a slot of a size near its own, so that few pages are written first.
    """

    def __init__(self) -> None:
        self._free: list[int] = []
        self._smaller: dict[int, list[int]] = {size: [] for size in _SMALLER_BYTES}   # free ones
        self._size: dict[int, int] = {}        # of slots that are no chunk
        self._arenas: list[tuple[mmap.mmap, int]] = []
        self._lock = threading.Lock()
        self.slots = 0

    def put(self, address: int, size_bytes: int) -> list[int]:
        """Copy memory into slots; their addresses in order."""
        if size_bytes <= _SMALLER_BYTES[-1]:
            with self._lock:
                slot = self._take_smaller(next(size for size in _SMALLER_BYTES if size >= size_bytes))
            ctypes.memmove(slot, address, size_bytes)
            return [slot]
        count = -(-size_bytes // CHUNK_BYTES)
        with self._lock:
            slots = self._take(count)
        begin = 0
        for end in range(1, count + 1):   # slots side by side are written at once
            if end == count or slots[end] - slots[end - 1] != CHUNK_BYTES:
                at = begin * CHUNK_BYTES
                ctypes.memmove(slots[begin], address + at, min(end * CHUNK_BYTES, size_bytes) - at)
                begin = end
        return slots

    def _take(self, count: int) -> list[int]:
        while len(self._free) < count:
            self._grow()
        slots = self._free[-count:]
        del self._free[-count:]
        return slots

    def _take_smaller(self, size_bytes: int) -> int:
        free = self._smaller[size_bytes]
        if not free:
            whole = self._take(1)[0]
            free += range(whole, whole + CHUNK_BYTES, size_bytes)
            self._size.update(dict.fromkeys(free, size_bytes))
        return free.pop()

    def reserve(self, size_bytes: int) -> None:
        """Have room for so many bytes, with its pages there: the first write to a page costs several copies."""
        while len(self._free) * CHUNK_BYTES < size_bytes:
            arena, start = _new_arena()
            ctypes.memset(start, 0, _ARENA_SLOTS * CHUNK_BYTES)
            with self._lock:
                self._add(arena, start)

    def _grow(self) -> None:
        self._add(*_new_arena())

    def _add(self, arena: mmap.mmap, start: int) -> None:
        self._arenas.append((arena, start))
        self.slots += _ARENA_SLOTS
        self._free += [start + index * CHUNK_BYTES for index in range(_ARENA_SLOTS)]

    @property
    def free_bytes(self) -> int:
        """Of the slots that nobody has."""
        return len(self._free) * CHUNK_BYTES + sum(size * len(free) for size, free in self._smaller.items())

    def free(self, slot: int) -> None:
        """Give a slot back."""
        with self._lock:
            self._smaller.get(self._size.get(slot, 0), self._free).append(slot)


def _new_arena() -> tuple[mmap.mmap, int]:
    # Private and of large pages where there are some: its first writes then cost a fifth.
    arena = mmap.mmap(-1, _ARENA_SLOTS * CHUNK_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with contextlib.suppress(OSError):
        arena.madvise(mmap.MADV_HUGEPAGE)
    return arena, ctypes.addressof(ctypes.c_char.from_buffer(arena))


def chunk_digests(address: int, size_bytes: int) -> list[bytes]:
    """The hash of each chunk of memory."""
    view = memory_at(address, size_bytes)
    return [xxhash.xxh3_128_digest(view[at:at + CHUNK_BYTES]) for at in range(0, size_bytes, CHUNK_BYTES)]


def whole_digest(digests: list[bytes]) -> bytes:
    """The digest of a buffer by those of its chunks."""
    return digests[0] if len(digests) == 1 else xxhash.xxh3_128_digest(b"".join(digests))


class Hasher:
    """Takes memory by its hash only: to compare a state with a stored one."""

    def take(self, address: int, size_bytes: int, item_bytes: int = 1) -> bytes:
        """The digest that `Copier.take` would give."""
        return whole_digest(chunk_digests(address, size_bytes))

    def take_device(self, flat: Any, item_bytes: int) -> bytes:
        """As `take`, of a tensor of bytes on a device."""
        host = flat.cpu()
        return self.take(host.data_ptr(), host.numel(), item_bytes)


class Keeper(Hasher):
    """Takes memory with its bytes, chunk by chunk."""

    def __init__(self) -> None:
        self.taken = Taken()
        self.chunks: dict[bytes, bytes] = {}     # by digest

    def take(self, address: int, size_bytes: int, item_bytes: int = 1) -> bytes:
        """Keep memory as it is now; its digest."""
        digests = chunk_digests(address, size_bytes)
        view = memory_at(address, size_bytes)
        for index, digest in enumerate(digests):
            self.chunks.setdefault(digest, bytes(view[index * CHUNK_BYTES:(index + 1) * CHUNK_BYTES]))
        self.taken.size_bytes += size_bytes
        return self.taken.add(size_bytes, digests)


class Sizer:
    """Takes no memory, but tells how much there is, and where arrays have large parts of it."""

    def __init__(self) -> None:
        self.size_bytes = 0
        self.large: list[Key] = []

    def take(self, address: int, size_bytes: int, item_bytes: int = 1) -> bytes:
        """Count it."""
        self.size_bytes += size_bytes
        if size_bytes >= DEFERRED_BYTES and item_bytes:
            self.large.append((address, size_bytes))
        return b""

    def take_device(self, flat: Any, item_bytes: int) -> bytes:
        """Count it."""
        return self.take(0, flat.numel(), 0)


class Deferred:
    """Memory that was copied but not hashed yet: stands for its digest in a node.

    Attributes:
        slots: of the pool, where it is; none if it came from a device.
        host: the tensor that it is in then.
    """

    __slots__ = ("key", "slots", "host", "digest")

    def __init__(self, key: tuple[int, int], slots: list[int], host: Any = None) -> None:
        self.key, self.slots, self.host = key, slots, host
        self.digest = b""

    @property
    def places(self) -> list[int]:
        """The address of each chunk."""
        if self.host is None:
            return self.slots
        start = self.host.data_ptr()
        return list(range(start, start + self.key[1], CHUNK_BYTES))


@dataclass(slots=True)
class Fresh:
    """A chunk that nobody kept before.

    Attributes:
        slot: of the pool, where its bytes are.
    """

    digest: bytes
    slot: int
    size_bytes: int


@dataclass(slots=True)
class Taken:
    """What one checkpoint holds of memory.

    Attributes:
        buffers: the chunks' digests by the digest of the whole, with its size.
        fresh: chunks that nobody kept before, in order.
        deferred: memory that is still to be hashed.
        remade: the digests of buffers that the script's beginning fills in each replay.
    """

    buffers: dict[bytes, tuple[int, list[bytes]]] = field(default_factory=dict)
    fresh: list[Fresh] = field(default_factory=list)
    deferred: list[Deferred] = field(default_factory=list)
    remade: set[bytes] = field(default_factory=set)
    size_bytes: int = 0

    def add(self, size_bytes: int, digests: list[bytes]) -> bytes:
        """Note a buffer by its chunks; its digest."""
        whole = whole_digest(digests)
        self.buffers[whole] = (size_bytes, digests)
        return whole

    @property
    def pending_bytes(self) -> int:
        """What it takes of the pool."""
        return sum(each.size_bytes for each in self.fresh) + sum(each.key[1] for each in self.deferred)

    def slots(self) -> list[int]:
        """What it takes of the pool."""
        return [each.slot for each in self.fresh] + [slot for each in self.deferred for slot in each.slots]


class Habits:
    """Which memory changes from one checkpoint to the next, by address and size.

    Attributes:
        unwritten: what does not, for the thread that takes checkpoints.
    """

    def __init__(self) -> None:
        self.unwritten = Unwritten()
        self._changes: dict[tuple[int, int], bool] = {}

    def is_changing(self, key: tuple[int, int]) -> bool:
        """Whether it is likely to have changed; what was never seen before is new."""
        return self._changes.get(key, True)

    def learn(self, key: tuple[int, int], fresh: int, count: int) -> None:
        """So many of its chunks were new; the first time that says nothing of the next."""
        if len(self._changes) >= _MOST_HABITS:
            self._changes.clear()
        self._changes[key] = key in self._changes and 2 * fresh > count


class RemadeMemory(Protocol):
    """Knows what the script's beginning put where (`remade.Remade`)."""

    def __contains__(self, key: Key) -> bool:
        """Whether that is known of some memory."""

    def digests(self, key: Key) -> list[bytes]:
        """The digests of memory that holds it still; none of other memory."""


def hash_unwritten(unwritten: Unwritten, key: Key) -> list[bytes]:
    """The digests of memory, of which only what was written since the last time is read."""
    address, size_bytes = key
    found = unwritten.look(key)
    unwritten.watch(key)
    if found is None:
        digests = chunk_digests(address, size_bytes)
    else:
        digests, view = found[0], memory_at(address, size_bytes)
        for index in found[1]:
            digests[index] = xxhash.xxh3_128_digest(view[index * CHUNK_BYTES:(index + 1) * CHUNK_BYTES])
    unwritten.keep(key, digests)
    return digests


class Copier:
    """Takes memory for checkpoints: chunks that are known already are not copied."""

    def __init__(self, pool: Pool, habits: Habits, is_known: Callable[[bytes], bool], device: DeviceCopies,
                 remade: RemadeMemory | None = None) -> None:
        self._pool, self._habits, self._is_known, self._device = pool, habits, is_known, device
        self._remade = remade
        self.taken = Taken()
        self._seen: set[bytes] = set()

    def take(self, address: int, size_bytes: int, item_bytes: int = 1) -> Any:
        """Keep memory as it is now; its digest, or what will have it.

        Args:
            item_bytes: size of the numbers there; 0: nothing can be put in place there.
        """
        self.taken.size_bytes += size_bytes
        key = address, size_bytes
        is_large = size_bytes >= DEFERRED_BYTES
        if is_large and item_bytes and self._remade is not None and key in self._remade and (
                digests := self._as_began(self._remade, key)):
            whole = self.taken.add(size_bytes, digests)
            self.taken.remade.add(whole)
            return whole
        if is_large and self._habits.is_changing(key):
            deferred = Deferred(key, self._pool.put(address, size_bytes))
            self.taken.deferred.append(deferred)
            return deferred
        count = -(-size_bytes // CHUNK_BYTES)
        found = self._habits.unwritten.look(key) if is_large else None
        digests, stale = found if found and all(map(self._is_known, found[0])) else ([b""] * count, range(count))
        if is_large:
            self._habits.unwritten.watch(key)
        fresh = self._read(address, size_bytes, digests, stale)
        if is_large:
            self._habits.learn(key, fresh, count)
            self._habits.unwritten.keep(key, digests)
            if self._habits.is_changing(key):
                self._habits.unwritten.forget(key)
        return self.taken.add(size_bytes, digests)

    def _as_began(self, remade: RemadeMemory, key: Key) -> list[bytes]:
        """The digests of memory that holds what the script's beginning put there; none of other memory."""
        digests = remade.digests(key)
        if not digests:
            self._habits.unwritten.forget(key)
        return digests

    def _read(self, address: int, size_bytes: int, digests: list[bytes], stale: Iterable[int]) -> int:
        """Hash chunks, and copy those that nobody knows; how many these are."""
        view = memory_at(address, size_bytes)
        before = len(self.taken.fresh)
        for index in stale:
            at = index * CHUNK_BYTES
            part = view[at:at + CHUNK_BYTES]
            digest = digests[index] = xxhash.xxh3_128_digest(part)
            if digest not in self._seen and not self._is_known(digest):
                self._seen.add(digest)
                slots = self._pool.put(address + at, len(part))
                self.taken.fresh.append(Fresh(digest, slots[0], len(part)))
        return len(self.taken.fresh) - before

    def take_device(self, flat: Any, item_bytes: int) -> Deferred:
        """Keep a tensor of bytes on a device as it is when `finish` is called."""
        self.taken.size_bytes += flat.numel()
        deferred = Deferred((flat.data_ptr(), flat.numel()), [], self._device.start(flat))
        self.taken.deferred.append(deferred)
        return deferred

    def finish(self) -> Taken:
        """What was taken; the program may go on then."""
        self._device.wait()
        return self.taken


def settle(taken: Taken, pool: Pool, habits: Habits, is_known: Callable[[bytes], bool],
           device: DeviceCopies) -> None:
    """Hash what was deferred; slots of what is known are given back."""
    seen = {each.digest for each in taken.fresh}
    for deferred in taken.deferred:
        size_bytes = deferred.key[1]
        digests: list[bytes] = []
        fresh = 0
        for index, place in enumerate(deferred.places):
            size = min(CHUNK_BYTES, size_bytes - index * CHUNK_BYTES)
            digest = xxhash.xxh3_128_digest(memory_at(place, size))
            digests.append(digest)
            if digest not in seen and not is_known(digest):
                seen.add(digest)
                slot = place if deferred.host is None else pool.put(place, size)[0]
                taken.fresh.append(Fresh(digest, slot, size))
                fresh += 1
            elif deferred.host is None:
                pool.free(place)
        if deferred.host is not None:
            device.give_back(deferred.host)
        habits.learn(deferred.key, fresh, len(digests))
        deferred.digest = taken.add(size_bytes, digests)
    taken.deferred.clear()


def settle_nodes(nodes: list[tuple[Any, ...]]) -> None:
    """Put digests in place of what stood for them: it stands last in its node."""
    for place, node in enumerate(nodes):
        if node and type(node[-1]) is Deferred:
            nodes[place] = (*node[:-1], node[-1].digest)
