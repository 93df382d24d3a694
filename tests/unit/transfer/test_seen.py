"""What only the log knows of files."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from pathlib import Path
from typing import Callable

from rex.archive import Archive, Experiment, FileState, Manifest
from rex.log import Event
from rex.log.records import IN, OUT
from rex.syscalls import BY_NAME
from rex.transfer.seen import MAX_ZEROS_BYTES, seen_files

Record = Callable[..., Experiment]


def event(name: str, path: bytes, data: bytes, result: int = 0) -> Event:
    return Event(BY_NAME[name].nr, result=result, fields=((0, IN, path), (1, OUT, data)))


def a_stat(mode: int, size: int, mtime_ns: int) -> bytes:
    seconds, ns = divmod(mtime_ns, 10**9)
    return struct.pack("<QQQIIIIQqqq6q24x", 1, 2, 1, mode, 10, 20, 0, 0, size, 4096, 1, 0, 0, seconds, ns, 0, 0)


def a_statx(mode: int, size: int, mtime_ns: int) -> bytes:
    seconds, ns = divmod(mtime_ns, 10**9)
    head = struct.pack("<IIQIIIHHQQQQ", 0x7ff, 4096, 0, 1, 10, 20, mode, 0, 2, size, 1, 0)
    return (head + struct.pack("<qIi", 0, 0, 0) * 3 + struct.pack("<qIi", seconds, ns, 0)).ljust(256, b"\0")


def test_answers(record: Record) -> None:
    found = seen_files(record({}, events=[
        event("stat", b"/a", a_stat(stat.S_IFREG | 0o640, 5, 3_000_000_007)),
        event("stat", b"/a", a_stat(stat.S_IFREG | 0o600, 6, 1)),
        event("statx", b"/b", a_statx(stat.S_IFDIR | 0o755, 4096, 5)),
        event("lstat", b"/big", a_stat(stat.S_IFREG | 0o644, MAX_ZEROS_BYTES + 1, 0)),
        event("newfstatat", b"/\xff", a_stat(stat.S_IFREG, -5, 0)),
        event("readlink", b"/l", b"target", 6),
        event("stat", b"/gone", b"", -2), event("stat", b"rel", a_stat(stat.S_IFREG, 1, 1)),
        event("stat", b"/x/../y", a_stat(stat.S_IFREG, 1, 1)), event("stat", b"/short", b"1234"),
        event("stat", b"/dev/tty", a_stat(stat.S_IFCHR, 1, 1))]))
    assert found == {"/a": FileState("file", 0o640, 10, 20, 3_000_000_007, 5),
                     "/b": FileState("dir", 0o755, 10, 20, 5, 0),
                     "/big": FileState("file", 0o644, 10, 20, 0, 0), "/\udcff": FileState("file", 0, 10, 20, 0, 0),
                     "/l": FileState("symlink", 0o777, target="target")}


def test_the_layout_is_the_kernel_s(record: Record, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"12345")
    libc = ctypes.CDLL(None, use_errno=True)
    answers = []
    for number, arguments, size in ((BY_NAME["stat"].nr, (), 144), (BY_NAME["statx"].nr, (0, 0x7ff), 256)):
        buffer = ctypes.create_string_buffer(size)
        path = os.fsencode(tmp_path / "f")
        done = (libc.syscall(number, path, buffer) if not arguments
                else libc.syscall(number, -100, path, *arguments, buffer))
        assert done == 0
        answers.append(Event(number, fields=((0, IN, b"/%d" % size), (1, OUT, buffer.raw))))
    info = os.stat(tmp_path / "f")
    expected = FileState("file", stat.S_IMODE(info.st_mode), info.st_uid, info.st_gid, info.st_mtime_ns, 5)
    assert seen_files(record({}, events=answers)) == {"/144": expected, "/256": expected}


def test_no_log_has_seen_nothing(archive: Archive) -> None:
    with archive.begin() as recording:
        assert seen_files(recording.finish(Manifest(("x",)))) == {}
