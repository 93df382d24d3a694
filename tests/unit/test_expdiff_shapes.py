"""What of each call counts."""

from __future__ import annotations

import struct

from rex.expdiff.shapes import LOAD, RANDOM, READ, SCHEDULE, SHAPES, TIME, WRITE, stable_part
from rex.syscalls import BY_NAME, CALLS


def test_every_call_has_a_shape() -> None:
    assert SHAPES.keys() == CALLS.keys()


def test_what_moves_bytes() -> None:
    moving = {shape.name: shape.moves for shape in SHAPES.values() if shape.moves}
    assert {"read", "pread64", "readv", "preadv", "preadv2", "recvfrom", "recvmsg", "recvmmsg"} == {
        name for name, moves in moving.items() if moves == READ}
    assert {"write", "pwrite64", "writev", "pwritev", "pwritev2", "sendto", "sendmsg", "sendmmsg", "vmsplice"} == {
        name for name, moves in moving.items() if moves == WRITE}


def test_what_differs_by_nature() -> None:
    natures = {name: SHAPES[BY_NAME[name].nr].nature for name in (
        "clock_gettime", "getrandom", "poll", "sysinfo", "openat", "getpid", "read")}
    assert natures == {"clock_gettime": TIME, "getrandom": RANDOM, "poll": SCHEDULE, "sysinfo": LOAD,
                       "openat": "", "getpid": "", "read": ""}


def test_listings_have_no_order() -> None:
    def entry(name: bytes, inode: int) -> bytes:
        size = 19 + len(name) + 1
        return struct.pack("<QqHB", inode, inode, size, 8) + name + b"\0"
    one, two = entry(b"a", 1) + entry(b"bb", 2), entry(b"bb", 7) + entry(b"a", 9)
    assert stable_part("dirent64", one) == stable_part("dirent64", two) == b"a\0bb"
    assert stable_part("dirent64", bytes(40)) == b"" and stable_part("buf", b"x") == b"x"
