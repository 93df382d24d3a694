"""What the kernel's answers hold, as the log has them: struct stat, directory entries, the stack of a new program."""

from __future__ import annotations

import struct
from typing import Iterator, NamedTuple

_STAT = struct.Struct("<QQQIIIIQqqqQQQQ")     # dev ino nlink mode uid gid pad rdev size blksize blocks atim mtim
_STATX_BYTES, _STATX_MTIME = 256, struct.Struct("<112xqI")
_STATX_HEAD = struct.Struct("<16xIIIH10xQQ")  # nlink, uid, gid, mode, size, blocks
_OLD_HEADER, _HEADER = 18, 19                 # of an entry of getdents, of getdents64


class Stat(NamedTuple):
    """Of a file: mode with type, size in bytes, time of the last change, names that it has, owner, blocks of 512 bytes that it takes."""

    mode: int
    size: int
    mtime_ns: int
    links: int = 1
    uid: int = 0
    gid: int = 0
    blocks: int = 0


def stat_in(data: bytes, is_statx: bool = False) -> Stat | None:
    """What struct stat, or struct statx, tells; None if it is cut short."""
    if is_statx:
        if len(data) < _STATX_BYTES:
            return None
        links, uid, gid, mode, size, blocks = _STATX_HEAD.unpack_from(data)
        seconds, nanoseconds = _STATX_MTIME.unpack_from(data)
    else:
        if len(data) < _STAT.size:
            return None
        values = _STAT.unpack_from(data)
        links, mode, uid, gid = values[2:6]
        size, blocks, seconds, nanoseconds = values[8], values[10], values[13], values[14]
    return Stat(mode, size, seconds * 10**9 + nanoseconds, links, uid, gid, blocks)


def entries_in(data: bytes, is_new: bool) -> dict[bytes, int]:
    """Names in a listing and their types (as in a mode), without . and ..; is_new: of getdents64."""
    header = _HEADER if is_new else _OLD_HEADER
    found, at = {}, 0
    while at + _HEADER <= len(data):
        size = int.from_bytes(data[at + 16:at + 18], "little")
        if size <= header or at + size > len(data):
            break
        name = data[at + header:at + size].split(b"\0", 1)[0]
        if name not in (b".", b".."):
            found[name] = (data[at + header - 1] if is_new else data[at + size - 1]) << 12
        at += size
    return found


def variables_on(stack: bytes, base: int) -> Iterator[bytes]:
    """NAME=VALUE of each variable of a new program.

    Args:
        stack: its first bytes: argc, argv, NULL, envp, NULL, ...
        base: the address of these.
    """
    words = memoryview(stack[:len(stack) & ~7]).cast("Q")
    for pointer in words[words[0] + 2 if len(words) else 0:]:
        if not pointer:
            return
        yield stack[pointer - base:].split(b"\0", 1)[0] if pointer >= base else b""
