"""What an experiment only looked at by name: whether something was there, and when it had changed."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from errno import ENOENT, ENOTDIR

from rex import codec
from rex.log.records import IN, OUT, RESOLVED, Event
from rex.syscalls.numbers import NUMBERS

ABSENT = frozenset((-ENOENT, -ENOTDIR))
_AT_FDCWD, _LOW = 0xFFFFFF9C, 0xFFFFFFFF
_PLAIN = 0x80                     # of st_mode's second byte
_STATS = frozenset(NUMBERS[name] for name in ("stat", "lstat", "newfstatat"))
_STATX = NUMBERS["statx"]
_CHDIRS = frozenset((NUMBERS["chdir"], NUMBERS["fchdir"]))
_CALLS = _STATS | {NUMBERS[name] for name in ("statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "open", "openat",
                                              "openat2", "execve")}
_BY_DIRECTORY = frozenset(NUMBERS[name] for name in ("newfstatat", "statx", "faccessat", "faccessat2", "readlinkat", "openat", "openat2"))
# What these hold is the kernel's or the session's, not somebody's input.
_NOBODYS = ("/proc/", "/sys/", "/dev/", "/run/", "/var/run/")
_MOST = 1 << 18                   # paths of one experiment


@dataclass(frozen=True, slots=True)
class Look:
    """The first look at a path.

    Attributes:
        mtime_ns: of a plain file whose time was reported; None otherwise.
    """

    event: int
    is_found: bool
    mtime_ns: int | None = None


class Looks:
    """First looks by path, and by process and path the events of them.

    Attributes:
        by_path: absolute paths, links not followed.
        events: process and path -> the first event.
        listings: directories that were listed, with the names that were in them.
    """

    def __init__(self, cwd: str = "/") -> None:
        self.by_path: dict[str, Look] = {}
        self.events: dict[tuple[int, str], int] = {}
        self.listings: dict[str, set[str]] = {}
        self._start = cwd
        self._cwd: dict[int, str] = {}

    def begin(self, process: int, parent: int) -> None:
        """A process begins where its parent is."""
        self._cwd[process] = self._cwd.get(parent, self._start)

    def take(self, number: int, event: Event, process: int) -> None:
        """An event of the log, one that succeeded or found nothing."""
        if event.call in _CHDIRS and event.result == 0:
            self._cwd[process] = codec.text(event.data(RESOLVED) or codec.raw(self._start))
        elif event.call in _CALLS and (event.result >= 0 or event.result in ABSENT):
            path = self._path(event, process)
            if path and not path.startswith(_NOBODYS) and len(self.events) < _MOST:
                self.events.setdefault((process, path), number)
                known = self.by_path.get(path)
                if known is None or known.is_found and known.mtime_ns is None:
                    look = Look(known.event if known else number, event.result >= 0, _mtime_of(event))
                    self.by_path[path] = look

    def list(self, number: int, process: int, path: str, names: list[str]) -> None:
        """A process got names of what a directory has."""
        if not path.startswith(_NOBODYS) and len(self.events) < _MOST:
            self.events.setdefault((process, path), number)
            self.listings.setdefault(path, set()).update(names)

    def _path(self, event: Event, process: int) -> str:
        given = codec.text(event.data(IN) or b"")
        if not given.startswith("/"):
            if not given or event.call in _BY_DIRECTORY and event.args[0] & _LOW != _AT_FDCWD:
                return ""
            given = f"{self._cwd.get(process, self._start)}/{given}"
        return os.path.normpath(given)


def _mtime_of(event: Event) -> int | None:
    """When a plain file had last changed, if the event is a stat of one."""
    data = event.data(OUT) or b""
    if event.call in _STATS and len(data) >= 104 and data[25] & 0xF0 == _PLAIN:
        seconds, nanoseconds = struct.unpack_from("<qq", data, 88)
    elif event.call == _STATX and len(data) >= 128 and data[29] & 0xF0 == _PLAIN:
        seconds, nanoseconds = struct.unpack_from("<qI", data, 112)
    else:
        return None
    return seconds * 10**9 + nanoseconds
