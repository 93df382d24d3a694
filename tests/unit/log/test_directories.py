"""What relative names in a log are relative to."""

from __future__ import annotations

import stat

from rex.log import Event
from rex.log.directories import Directories
from rex.log.records import DUP, IN, NO_ARG, RESOLVED, STAT
from rex.syscalls import BY_NAME

_HERE = 0xFFFFFFFFFFFFFF9C


def _opens(fd: int, path: bytes, mode: int = stat.S_IFDIR) -> Event:
    answer = bytes(24) + mode.to_bytes(4, "little") + bytes(116)
    return Event(BY_NAME["openat"].nr, result=fd, args=(_HERE, 0, 0, 0, 0, 0), fields=((1, RESOLVED, path), (1, STAT, answer)))


def _asks(name: bytes, fd: int = _HERE) -> Event:
    return Event(BY_NAME["newfstatat"].nr, args=(fd, 0, 0, 0, 0, 0), fields=((1, IN, name),))


def test_descriptors_are_followed() -> None:
    found = Directories("/w")
    found.begin(0, -1)
    found.take(0, _opens(3, b"/data"))
    found.take(0, Event(DUP, result=7, args=(0, 1, 0, 0, 0, 0), fields=((NO_ARG, RESOLVED, b"/data"),)))
    found.begin(1, 0)                                           # has them all
    found.take(0, _opens(3, b"/w/file", stat.S_IFREG))          # of that number, once it was closed
    assert found.given_path(1, _asks(b"x", 3)) == found.given_path(0, _asks(b"./x", 7)) == "/data/x"
    assert found.given_path(0, _asks(b"x", 3)) is None and found.given_path(0, _asks(b"", 3)) == ""
    found.take(1, Event(BY_NAME["fchdir"].nr, fields=((0, RESOLVED, b"/data"),)))
    assert (found.given_path(0, _asks(b"x")), found.given_path(1, _asks(b"x"))) == ("/w/x", "/data/x")


def test_above_a_link_is_not_where_the_link_is() -> None:
    found = Directories("/w")
    found.begin(0, -1)
    assert found.given_path(0, _asks(b"link/..//x/.")) == "/w/link/../x"


def test_of_two_names_each_has_its_directory() -> None:
    found = Directories("/w")
    found.begin(0, -1)
    found.take(0, _opens(3, b"/data"))
    event = Event(BY_NAME["linkat"].nr, args=(_HERE, 0, 3, 0, 0, 0), fields=((1, IN, b"a"), (3, IN, b"b")))
    assert (found.given_path(0, event), found.given_path(0, event, is_last=True)) == ("/w/a", "/data/b")
