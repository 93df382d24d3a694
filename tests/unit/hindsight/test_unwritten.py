"""Memory that nobody wrote is not read again, and memory that somebody wrote is."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import pytest

from rex.state.device import DeviceCopies
from rex.hindsight.capture.memory import CHUNK_BYTES, DEFERRED_BYTES, Copier, Habits, Hasher, Pool, settle
from rex.state.pages import open_watch


@pytest.fixture(autouse=True)
def _kernel_tells() -> None:
    watch = open_watch()
    if watch is None:
        pytest.skip("this kernel does not tell which pages were written")
    watch.close()


class Checkpoints:
    """Takes one array again and again, and counts which of its chunks were read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._memory = mmap.mmap(-1, 4 * DEFERRED_BYTES, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)    # nobody else's pages
        self.array = np.frombuffer(self._memory)
        self.array[:] = np.random.default_rng(0).normal(size=self.array.size)
        self.known: set[bytes] = set()
        self.pool, self.habits = Pool(), Habits()
        self._stale: list[int] = []
        read = Copier._read

        def noting(copier: Copier, *what: Any) -> int:
            self._stale = list(what[-1])
            return read(copier, *what)

        monkeypatch.setattr(Copier, "_read", noting)

    def take(self) -> list[int]:
        """Keep the array; the chunks that were read for that."""
        self._stale = []
        copier = Copier(self.pool, self.habits, self.known.__contains__, DeviceCopies())
        copier.take(self.address, self.array.nbytes, 8)
        settle(copier.taken, self.pool, self.habits, self.known.__contains__, DeviceCopies())
        for fresh in copier.taken.fresh:
            self.known.add(fresh.digest)
            self.pool.free(fresh.slot)
        assert list(copier.taken.buffers) == [Hasher().take(self.address, self.array.nbytes)]
        return self._stale

    @property
    def address(self) -> int:
        return self.array.__array_interface__["data"][0]


ALL = list(range(4 * DEFERRED_BYTES // CHUNK_BYTES))


def test_only_chunks_that_were_written_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoints = Checkpoints(monkeypatch)
    assert checkpoints.take() == []      # copied, to be hashed later
    assert checkpoints.take() == ALL     # hashed, and watched from then on
    assert checkpoints.take() == []
    checkpoints.array[3 * CHUNK_BYTES // 8 + 7] = 1.0
    checkpoints.array[-1] = 1.0
    assert checkpoints.take() == [3, ALL[-1]]
    assert checkpoints.take() == []


def test_what_changes_as_a_whole_is_copied_at_once_again(monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoints = Checkpoints(monkeypatch)
    for _ in range(3):
        checkpoints.take()
    checkpoints.array += 1
    assert checkpoints.take() == ALL
    checkpoints.array += 1
    assert [checkpoints.take() for _ in range(3)] == [[], [], ALL]    # until it is found unchanged


def test_what_the_archive_gave_up_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoints = Checkpoints(monkeypatch)
    for _ in range(3):
        checkpoints.take()
    checkpoints.known.clear()
    assert checkpoints.take() == ALL


def test_memory_that_a_device_may_write_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoints = Checkpoints(monkeypatch)
    for _ in range(3):
        checkpoints.take()
    monkeypatch.setattr("rex.state.unwritten.is_in_use", lambda: True)
    assert checkpoints.take() == ALL


def test_without_the_kernels_help_memory_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rex.state.unwritten.open_watch", lambda: None)
    checkpoints = Checkpoints(monkeypatch)
    assert [checkpoints.take() for _ in range(3)] == [[], ALL, ALL]
