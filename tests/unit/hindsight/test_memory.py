"""Memory of checkpoints: nothing is lost, nothing is copied twice, slots come back."""

from __future__ import annotations

import numpy as np
import pytest
import xxhash

from rex.state.device import DeviceCopies
from rex.hindsight.capture.memory import (CHUNK_BYTES, DEFERRED_BYTES, Copier, Deferred, Habits, Hasher, Pool,
                                  settle)
from rex.state.parts import memory_at


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize("size", [1, 4096, 5000, 64 << 10, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 5 * CHUNK_BYTES + 7])
def test_a_pool_keeps_bytes_and_takes_slots_back(size: int) -> None:
    pool, data = Pool(), np.random.default_rng(size).bytes(size)
    array = np.frombuffer(data, np.uint8)
    for _ in range(3):
        slots = pool.put(address(array), size)
        found = b"".join(bytes(memory_at(slot, min(CHUNK_BYTES, size - n * CHUNK_BYTES))) for n, slot in enumerate(slots))
        for slot in slots:
            pool.free(slot)
        assert found == data
    assert pool.free_bytes == pool.slots * CHUNK_BYTES


def test_slots_of_small_buffers_do_not_overlap() -> None:
    pool, array = Pool(), np.arange(64 << 10, dtype=np.uint8)
    sizes = [1, 3000, 4096, 4097, 16 << 10, 20000, 64 << 10] * 40
    slots = [pool.put(address(array), size)[0] for size in sizes]
    ranges = sorted(zip(slots, sizes))
    assert all(at + size <= after for (at, size), (after, _) in zip(ranges, ranges[1:]))
    for slot, size in zip(slots, sizes):
        assert bytes(memory_at(slot, size)) == array.tobytes()[:size]


def test_a_pool_that_was_prepared_grows_no_more() -> None:
    pool, data = Pool(), np.arange(10 * CHUNK_BYTES // 8)
    pool.reserve(data.nbytes)
    before = pool.slots
    pool.put(address(data), data.nbytes)
    assert pool.slots == before >= 10


def test_slots_that_are_apart_are_written_apart() -> None:
    pool = Pool()
    array = np.arange(4 * CHUNK_BYTES // 8)
    pool._grow()
    held = [pool._free.pop(n) for n in (-2, -3)]   # holes at the end of the free slots
    slots = pool.put(address(array), array.nbytes)
    assert b"".join(bytes(memory_at(slot, CHUNK_BYTES)) for slot in slots) == array.tobytes()
    assert not set(slots) & set(held)


def test_hashed_now_or_later_the_digest_is_the_same() -> None:
    array = np.random.default_rng(0).normal(size=DEFERRED_BYTES // 8 + 3)
    known: set[bytes] = set()
    pool, habits = Pool(), Habits()
    later = Copier(pool, habits, known.__contains__, DeviceCopies())
    deferred = later.take(address(array), array.nbytes)
    assert isinstance(deferred, Deferred)
    settle(later.taken, pool, habits, known.__contains__, DeviceCopies())
    now = Copier(pool, habits, known.__contains__, DeviceCopies())     # seen once: hashed first
    assert now.take(address(array), array.nbytes) == deferred.digest
    assert Hasher().take(address(array), array.nbytes) == deferred.digest
    assert now.taken.buffers == later.taken.buffers
    assert [each.digest for each in now.taken.fresh] == [each.digest for each in later.taken.fresh]


def test_habits_follow_what_memory_does() -> None:
    array = np.zeros(DEFERRED_BYTES // 8)
    known: set[bytes] = set()
    pool, habits = Pool(), Habits()

    def take(is_changed: bool) -> bool:
        if is_changed:
            array[:] = np.random.default_rng(len(known)).normal(size=array.size)
        copier = Copier(pool, habits, known.__contains__, DeviceCopies())
        found = copier.take(address(array), array.nbytes)
        settle(copier.taken, pool, habits, known.__contains__, DeviceCopies())
        for fresh in copier.taken.fresh:
            known.add(fresh.digest)
            pool.free(fresh.slot)
        return isinstance(found, Deferred)

    assert take(True)            # new: there is nothing to compare with
    assert not take(True)        # did it change by itself, or was it just new?
    assert take(True)            # it changes
    assert take(False)           # no longer, as the hash tells
    assert not take(False)
    assert not take(True)
    assert take(True)
    assert len(pool._free) == pool.slots


def test_equal_chunks_are_kept_once() -> None:
    pool, habits = Pool(), Habits()
    array = np.zeros(8 * DEFERRED_BYTES // 8)
    copier = Copier(pool, habits, set().__contains__, DeviceCopies())
    copier.take(address(array), array.nbytes)
    settle(copier.taken, pool, habits, set().__contains__, DeviceCopies())
    assert len(copier.taken.fresh) == 1
    assert copier.taken.fresh[0].digest == xxhash.xxh3_128_digest(bytes(CHUNK_BYTES))
    assert len(pool._free) == pool.slots - 1
