"""Sizes of ioctl requests."""

from __future__ import annotations

import fcntl
import termios

from rex.syscalls.ioctls import INNER, IOCTLS, ioctl


def test_listed_requests() -> None:
    assert (ioctl(termios.TCGETS).in_bytes, ioctl(termios.TCGETS).out_bytes) == (0, 36)
    assert ioctl(termios.FIONREAD).name == "FIONREAD"
    assert ioctl(termios.TIOCSWINSZ).in_bytes == 8


def test_names_agree_with_the_termios_module() -> None:
    for entry in IOCTLS.values():
        assert getattr(termios, entry.name, getattr(fcntl, entry.name, entry.cmd)) & 0xFFFFFFFF == entry.cmd


def test_unlisted_request_is_read_off_its_number() -> None:
    both = ioctl(0xC0105512)
    assert (both.name, both.in_bytes, both.out_bytes) == ("0xc0105512", 16, 16)
    assert (ioctl(0x80081234).in_bytes, ioctl(0x80081234).out_bytes) == (0, 8)
    assert (ioctl(0x40081234).in_bytes, ioctl(0x40081234).out_bytes) == (8, 0)
    assert (ioctl(0x5555).in_bytes, ioctl(0x5555).out_bytes) == (0, 0)


def test_upper_register_half_is_ignored() -> None:
    assert ioctl(2**32 | 0x541B).name == "FIONREAD"


def test_requests_with_a_pointer_are_listed_once_by_what_they_want() -> None:
    wanted = [(inner.cmd, inner.sub) for inner in INNER]
    assert len(set(wanted)) == len(wanted) and {inner.cmd for inner in INNER} <= set(IOCTLS)
