"""What an experiment only looked at by name: whether something was there, of what size, when it had changed, what was allowed."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, replace
from errno import EACCES, ENOENT, ENOTDIR
from typing import NamedTuple

from rex import codec
from rex.log.records import IN, OUT, RESOLVED, Event
from rex.syscalls.numbers import NUMBERS

ABSENT = frozenset((-ENOENT, -ENOTDIR))
REFUSED = -EACCES
_MTIME = 0x40                     # STATX_MTIME
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


class State(NamedTuple):
    """What a call reported of a plain file; a time of 0: it did not report that."""

    mtime_ns: int
    size: int
    mode: int


@dataclass(frozen=True, slots=True)
class Look:
    """The first look at a path.

    Attributes:
        is_refused: whether the process had no right to what it wanted there.
        state: of a plain file that a call described; None otherwise.
    """

    event: int
    is_found: bool
    is_refused: bool = False
    state: State | None = None

    def differs_from(self, other: Look) -> str:
        """What differs of two that found something; "" for nothing."""
        if self.state and other.state:
            if self.state.size != other.state.size:
                return "size"
            if self.state.mtime_ns != other.state.mtime_ns:
                return "time of the last change"
            if self.state.mode != other.state.mode:
                return "mode"
        return "permission" if self.is_refused != other.is_refused else ""


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
        """An event of the log."""
        if event.call in _CHDIRS and event.result == 0:
            self._cwd[process] = codec.text(event.data(RESOLVED) or codec.raw(self._start))
        elif event.call in _CALLS and (event.result >= 0 or event.result in ABSENT or event.result == REFUSED):
            path = self._path(event, process)
            if path and not path.startswith(_NOBODYS) and len(self.events) < _MOST:
                self.events.setdefault((process, path), number)
                known = self.by_path.get(path)
                if known is None:
                    self.by_path[path] = Look(number, event.result not in ABSENT, event.result == REFUSED, _state_of(event))
                elif known.is_found and known.state is None and (state := _state_of(event)):
                    self.by_path[path] = replace(known, state=state)

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


def _state_of(event: Event) -> State | None:
    """What a stat of a plain file reported."""
    data = event.data(OUT) or b""
    if event.call in _STATS and len(data) >= 104 and data[25] & 0xF0 == _PLAIN:
        mode, size = *struct.unpack_from("<I", data, 24), *struct.unpack_from("<q", data, 48)
        seconds, nanoseconds = struct.unpack_from("<qq", data, 88)
    elif event.call == _STATX and len(data) >= 128 and data[29] & 0xF0 == _PLAIN:
        mode, size = *struct.unpack_from("<H", data, 28), *struct.unpack_from("<Q", data, 40)
        seconds, nanoseconds = struct.unpack_from("<qI", data, 112) if data[0] & _MTIME else (0, 0)
    else:
        return None
    return State(seconds * 10**9 + nanoseconds, size, mode & 0o7777)
