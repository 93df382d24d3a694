"""Bytes in and out of a tracee."""

from __future__ import annotations

import ctypes
import os

_PAGE = 4096
_MAX_OFFSET = 2**63 - 1


class _Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


_libc = ctypes.PyDLL(None)
_move = [ctypes.c_int, ctypes.POINTER(_Vector), ctypes.c_ulong, ctypes.POINTER(_Vector),
         ctypes.c_ulong, ctypes.c_ulong]
for _function in (_libc.process_vm_readv, _libc.process_vm_writev):
    _function.argtypes, _function.restype = _move, ctypes.c_ssize_t


def read(tid: int, at: int, size: int) -> bytes | None:
    """All the bytes, or None where not all can be read."""
    if size == 0:
        return b""
    buffer = ctypes.create_string_buffer(size)
    here, there = _Vector(ctypes.addressof(buffer), size), _Vector(at, size)
    if _libc.process_vm_readv(tid, here, 1, there, 1, 0) == size:
        return buffer.raw
    data = _through_file(tid, at, size, None)
    return data if data is not None and len(data) == size else None


def write(tid: int, at: int, data: bytes) -> bool:
    """Store all the bytes; through /proc where the page is read-only, as the kernel then copies it."""
    if not data:
        return True
    here = _Vector(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))
    there = _Vector(at, len(data))
    if _libc.process_vm_writev(tid, here, 1, there, 1, 0) == len(data):
        return True
    return _through_file(tid, at, len(data), data) is not None


def _through_file(tid: int, at: int, size: int, data: bytes | None) -> bytes | None:
    if at + size > _MAX_OFFSET:
        return None
    try:
        fd = os.open(f"/proc/{tid}/mem", os.O_CLOEXEC | (os.O_RDONLY if data is None else os.O_RDWR))
    except OSError:
        return None
    try:
        if data is None:
            return os.pread(fd, size, at)
        return data if os.pwrite(fd, data, at) == size else None
    except OSError:
        return None
    finally:
        os.close(fd)


def read_int(tid: int, at: int, size: int = 8) -> int | None:
    """An unsigned number, or None where it cannot be read."""
    data = read(tid, at, size)
    return None if data is None else int.from_bytes(data, "little")


def write_u32(tid: int, at: int, value: int) -> bool:
    """Store a 32-bit number."""
    return write(tid, at, value.to_bytes(4, "little"))


def read_string(tid: int, at: int, limit: int) -> bytes | None:
    """A NUL-ended string; read to the end of each page in turn, as the next may not be there."""
    parts: list[bytes] = []
    used = 0
    while at and used < limit:
        size = _PAGE - at % _PAGE
        part = read(tid, at, size)
        if part is None:
            return None
        end = part.find(0)
        if end >= 0:
            return b"".join((*parts, part[:end]))
        parts.append(part)
        used += size
        at += size
    return None
