"""Words that stand for memory."""

from __future__ import annotations

import os
import struct

import pytest

from rex.syscalls.structs import MEMORY, format_memory, format_status, quote, split_strings


@pytest.mark.parametrize(("data", "text"), [
    (b"", '""'), (b"a b", '"a b"'), (b"\x00", '"\\0"'), (b"\x001", '"\\0001"'), (b"\xff\x1b", '"\\377\\33"'),
    (b"\t\r\n\v\f", '"\\t\\r\\n\\v\\f"'), (b'"\\', '"\\"\\\\"')])
def test_quote(data: bytes, text: str) -> None:
    assert quote(data) == text


def test_quote_shortens() -> None:
    assert quote(b"abcdef", 3) == '"abc"...'
    assert quote(b"abc", 3) == '"abc"'


def test_split_strings_keeps_empty_ones() -> None:
    assert split_strings(b"") == []
    assert split_strings(b"a\0\0b\0") == [b"a", b"", b"b"]
    assert split_strings(b"\0") == [b""]


@pytest.mark.parametrize(("word", "data", "text"), [
    ("path", b"/a\0", '"/a"'), ("u32", b"\1\0\0\0", "[1]"), ("ids", b"\1\0\0\0\2\0\0\0", "[1, 2]"),
    ("rlimit", struct.pack("<QQ", 1, 2), "{rlim_cur=1, rlim_max=2}"),
    ("timezone", struct.pack("<ii", -60, 0), "{tz_minuteswest=-60, tz_dsttime=0}"),
    ("cpumask", b"\5" + bytes(7), "[0 2]"), ("sigset", b"\xff" * 8, "~[]"), ("sigset", bytes(8), "[]"),
    ("sigset", struct.pack("<Q", 2**64 - 1 & ~(1 << 8)), "~[KILL]"),
    ("sockaddr", b"", "{}"), ("sockaddr", b"\1\0\0x", '{sa_family=AF_UNIX, sun_path=@"x"}'),
    ("sockaddr", b"\x0a\0\0\x50" + bytes(4) + bytes(15) + b"\1" + bytes(4),
     '{sa_family=AF_INET6, sin6_port=htons(80), sin6_addr="::1"}'),
    ("itimerval", struct.pack("<4q", 0, 0, 1, 5),
     "{it_interval={tv_sec=0, tv_usec=0}, it_value={tv_sec=1, tv_usec=5}}"),
    ("openhow", struct.pack("<QQQ", 0o101, 0o600, 8), "{flags=O_WRONLY|O_CREAT, mode=0600, resolve=0x8}"),
    ("utsname", b"".join(s.ljust(65, b"\0") for s in (b"Linux", b"h", b"6", b"#1", b"x", b"d")),
     '{sysname="Linux", nodename="h", release="6", version="#1", machine="x"}'),
    ("stat", b"short", '"short"'), ("pollfd", b"odd", '"odd"'), ("timespec", b"", "[]"),
])
def test_memory(word: str, data: bytes, text: str) -> None:
    assert format_memory(word, data) == text


def test_stat_of_a_device_shows_its_number() -> None:
    data = struct.pack("<QQQIIIIQqqq", 8, 1, 1, 0o020666, 0, 0, 0, os.makedev(1, 3), 0, 4096, 0) + bytes(64)
    assert format_memory("stat", data) == "{st_mode=S_IFCHR|0666, st_rdev=makedev(0x1, 0x3), ...}"


def test_directory_entries_that_lie_about_their_length() -> None:
    looping = struct.pack("<QqHB", 1, 1, 0, 4) + bytes(13)
    assert format_memory("dirent64", looping).startswith('"')


@pytest.mark.parametrize(("status", "text"), [
    (0, "{WIFEXITED(s) && WEXITSTATUS(s) == 0}"), (9, "{WIFSIGNALED(s) && WTERMSIG(s) == SIGKILL}"),
    (0x86, "{WIFSIGNALED(s) && WTERMSIG(s) == SIGABRT && WCOREDUMP(s)}"),
    (0x137F, "{WIFSTOPPED(s) && WSTOPSIG(s) == SIGSTOP}"), (0xFFFF, "{WIFCONTINUED(s)}")])
def test_wait_status(status: int, text: str) -> None:
    assert format_status(status) == text


@pytest.mark.parametrize("word", sorted(MEMORY))
def test_any_length_prints(word: str) -> None:
    for length in (*range(40), 56, 65, 112, 120, 128, 144, 256, 390):
        assert format_memory(word, b"\xa5" * length).isprintable()
