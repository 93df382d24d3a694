"""Words that are plain numbers."""

from __future__ import annotations

import pytest

from rex.syscalls.values import RESULTS, VALUES, signed

ALL_ONES = 2**64 - 1


@pytest.mark.parametrize(("word", "value", "text"), [
    ("int", ALL_ONES, "-1"), ("int", 2**32 - 2, "-2"), ("uint", ALL_ONES, "4294967295"), ("off", ALL_ONES, "-1"),
    ("fd", ALL_ONES, "-1"), ("dirfd", 2**32 - 100, "AT_FDCWD"), ("dirfd", 5, "5"), ("addr", 0, "NULL"),
    ("addr", 16, "0x10"), ("mode", 0o644, "0644"), ("mode", 0, "0000"), ("mode", 0o104755, "S_IFREG|04755"),
    ("uid", 2**32 - 1, "-1"), ("uid", 1000, "1000"), ("sig", 9, "SIGKILL"), ("clock", 0, "CLOCK_REALTIME"),
    ("clock", ALL_ONES, "-1"), ("cloneflags", 17, "SIGCHLD"), ("cloneflags", 0, "0"), ("ioctl", 0x5401, "TCGETS"),
    ("socktype", 0o4000, "SOCK_NONBLOCK"), ("socktype", 0o4001, "SOCK_STREAM|SOCK_NONBLOCK"), ("flags", 0, "0"),
    ("flags", 5, "0x5"), ("access", 0, "F_OK"), ("access", 6, "W_OK|R_OK"), ("dev", 0x103, "makedev(0x1, 0x3)"),
])
def test_value(word: str, value: int, text: str) -> None:
    assert VALUES[word](value) == text


@pytest.mark.parametrize("word", sorted(VALUES))
def test_any_register_prints(word: str) -> None:
    for value in (0, 1, 7, 0x7F, 0xFFFF, 2**31, 2**32 - 1, 2**63, ALL_ONES):
        assert VALUES[word](value).isprintable()


def test_results() -> None:
    assert RESULTS["addr"](-4096) == "0xfffffffffffff000"
    assert RESULTS["mode"](0o22) == "0022"
    assert RESULTS["none"](0) == "?"


def test_signed() -> None:
    assert (signed(0x7FFFFFFF), signed(0x80000000), signed(2**63, 64)) == (2**31 - 1, -2**31, -2**63)
