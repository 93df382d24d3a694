"""Memory is read and written whole or not at all; strings stop before a missing page."""

from __future__ import annotations

import ctypes
import mmap
import os

from rex.tracer.reference import memory

PAGE = 4096
PID = os.getpid()


def test_read_and_write() -> None:
    buffer = ctypes.create_string_buffer(b"hello\0world", 32)
    at = ctypes.addressof(buffer)
    assert memory.read(PID, at, 11) == b"hello\0world"
    assert memory.write(PID, at + 6, b"W\0D")
    assert buffer.raw[:12] == b"hello\0W\0Dld\0"
    assert memory.write_u32(PID, at, 0x64636261)
    assert memory.read_int(PID, at, 4) == 0x64636261
    assert memory.read_string(PID, at, 100) == b"abcdo"


def test_nothing_there() -> None:
    assert memory.read(PID, 0, 8) is None
    assert memory.read(PID, 2**64 - 16, 8) is None
    assert memory.read_int(PID, 0) is None
    assert memory.read_string(PID, 0, 100) is None
    assert not memory.write(PID, 0, b"x")
    assert memory.read(PID, 0, 0) == b""
    assert memory.write(PID, 0, b"")


def test_string_up_to_the_end_of_a_page_and_over_it() -> None:
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    at = libc.mmap(None, ctypes.c_size_t(3 * PAGE), mmap.PROT_READ | mmap.PROT_WRITE,
                   mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, ctypes.c_long(0))
    libc.munmap(ctypes.c_void_p(at + 2 * PAGE), ctypes.c_size_t(PAGE))
    ctypes.memmove(at + PAGE - 2, b"over", 4)
    ctypes.memmove(at + 2 * PAGE - 4, b"end\0", 4)
    assert memory.read_string(PID, at + PAGE - 2, PAGE) == b"over"
    assert memory.read_string(PID, at + 2 * PAGE - 4, PAGE) == b"end"
    ctypes.memmove(at + 2 * PAGE - 4, b"none", 4)
    assert memory.read_string(PID, at + 2 * PAGE - 4, PAGE) is None


def test_a_read_only_page_is_written_through_proc() -> None:
    page = mmap.mmap(-1, PAGE, flags=mmap.MAP_PRIVATE)
    at = ctypes.addressof(ctypes.c_char.from_buffer(page))
    ctypes.CDLL(None).mprotect(ctypes.c_void_p(at), PAGE, mmap.PROT_READ)
    assert memory.write(PID, at, b"forced")
    assert page[:6] == b"forced"
