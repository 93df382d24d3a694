"""Written pages as the kernel tells them."""

from __future__ import annotations

import ctypes
import mmap
import os

import pytest

from rex.state.pages import PAGE_BYTES, PageWatch, open_watch


@pytest.fixture
def watch() -> PageWatch:
    found = open_watch()
    if found is None:
        pytest.skip("this kernel does not tell which pages were written")
    return found


def private(size_bytes: int) -> mmap.mmap:
    return mmap.mmap(-1, size_bytes, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def test_exactly_the_written_pages_are_told_once(watch: PageWatch) -> None:
    memory = private(64 * PAGE_BYTES)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    region = watch.watch(begin, len(memory))
    assert region is not None and watch.written(region) == []
    memory[3 * PAGE_BYTES + 5] = 1
    read_fd, write_fd = os.pipe()
    os.write(write_fd, b"x")
    os.readv(read_fd, [memoryview(memory)[40 * PAGE_BYTES:40 * PAGE_BYTES + 1]])
    assert watch.written(region) == [(begin + n * PAGE_BYTES, begin + (n + 1) * PAGE_BYTES)
                                     for n in (3, 40)]
    assert watch.written(region) == []


def test_regions_that_share_pages_both_learn_of_a_write(watch: PageWatch) -> None:
    memory = private(8 * PAGE_BYTES)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    one, other = watch.watch(begin, 5 * PAGE_BYTES), watch.watch(begin + 3 * PAGE_BYTES,
                                                                 5 * PAGE_BYTES)
    assert one is not None and other is not None
    memory[4 * PAGE_BYTES] = 1
    assert watch.written(one) == watch.written(other) != []


def test_memory_mapped_anew_is_unknown(watch: PageWatch) -> None:
    memory = private(4 * PAGE_BYTES)
    region = watch.watch(ctypes.addressof(ctypes.c_char.from_buffer(memory)), len(memory))
    assert region is not None
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
    libc.mmap(region.begin, len(memory), 3, 0x32, -1, 0)   # private, anonymous, fixed
    assert watch.written(region) is None


def test_a_forked_child_does_not_trust_the_watch(watch: PageWatch) -> None:
    memory = private(4 * PAGE_BYTES)
    region = watch.watch(ctypes.addressof(ctypes.c_char.from_buffer(memory)), len(memory))
    assert region is not None
    pid = os.fork()
    if pid == 0:
        os._exit(watch.written(region) is not None)
    assert os.waitpid(pid, 0)[1] == 0


def test_memory_that_other_processes_may_write_is_not_watched(watch: PageWatch) -> None:
    shared = mmap.mmap(-1, 8 * PAGE_BYTES)
    shared[:] = bytes(len(shared))
    address = ctypes.addressof(ctypes.c_char.from_buffer(shared))
    assert watch.watch(address, len(shared)) is None
