"""Which directory a name is relative to: working directories and descriptors of directories of each process, as a log tells them."""

from __future__ import annotations

import stat
from os.path import normpath

from rex import codec
from rex.log.decoded import entries_in, stat_in
from rex.log.records import DUP, IN, OUT, RESOLVED, STAT, Event
from rex.syscalls import BY_NAME, CALLS, Hook

_AT_FDCWD, _LOW = 0xFFFFFF9C, 0xFFFFFFFF
_GETDENTS64 = BY_NAME["getdents64"].nr
# Of a call: which of its arguments are names, each with the one that has the directory, -1 if none does.
_NAMES = {nr: [(at, at - 1 if at and call.args[at - 1].word == "dirfd" else -1) for at, arg in enumerate(call.args) if arg.word == "path"]
          for nr, call in CALLS.items()}

_TOLD = {nr: call for nr, call in CALLS.items() if call.hook in (Hook.OPEN, Hook.CHDIR) or call.name in ("recvmsg", "recvmmsg", "pidfd_getfd")}
CALLS_READ = frozenset({*_TOLD, DUP})      # a log's other events need not be handed over


class Directories:
    """Takes the events of a log in order, and tells what relative names in them are relative to.

    Processes are numbered by their leaders. Logs of older recorders do not tell duplicates: names below these are unknown.
    """

    def __init__(self, cwd: str) -> None:
        """cwd: of the first process."""
        self._first_cwd = cwd
        self._cwd: dict[int, str] = {}
        self._open: dict[int, dict[int, str]] = {}
        self._listed: dict[tuple[int, int], dict[str, int]] = {}      # so far

    def begin(self, process: int, parent: int) -> None:
        """A process is made: it has what its parent has."""
        self._cwd[process] = self._cwd.get(parent, self._first_cwd)
        self._open[process] = dict(self._open.get(parent, {}))

    def take(self, process: int, event: Event) -> None:
        """The next event of a process."""
        call = _TOLD.get(event.call)
        if event.call != DUP and not call or event.result < 0:
            return
        if event.call == DUP:
            self._set(process, event.result, event, bool(event.args[1]))
        elif call and call.hook is Hook.OPEN:
            told = stat_in(event.data(STAT) or b"")
            self._set(process, event.result, event, bool(told and stat.S_ISDIR(told.mode)))
        elif call and call.hook is Hook.CHDIR:
            self._cwd[process] = codec.text(event.data(RESOLVED) or codec.raw(self._first_cwd))
        else:                                       # descriptors of others, which may be directories
            self._open[process].clear()

    def _set(self, process: int, fd: int, event: Event, is_directory: bool) -> None:
        self._open[process].pop(fd, None)
        self._listed.pop((process, fd), None)
        if is_directory:
            self._open[process][fd] = codec.text(event.data(RESOLVED) or b"")

    def cwd(self, process: int) -> str:
        """Its working directory."""
        return self._cwd[process]

    def of_descriptor(self, process: int, fd: int) -> str:
        """The directory that a descriptor is open on; "" if the log does not tell."""
        return self._open[process].get(fd & _LOW, "")

    def listing(self, process: int, event: Event) -> dict[str, int] | None:
        """All names that a descriptor's directory has, with the types in their modes, as its listing ends; None before."""
        key = process, event.args[0] & _LOW
        names = self._listed.setdefault(key, {})
        if event.result > 0:
            names.update((codec.text(name), mode) for name, mode in entries_in(event.data(OUT) or b"", event.call == _GETDENTS64).items())
        return self._listed.pop(key) if event.result == 0 else None

    def given_path(self, process: int, event: Event, is_last: bool = False) -> str | None:
        """The absolute path that a call was given, links not followed; "" if it was given none, None if the log does not tell.

        Args:
            is_last: of two, as of a rename, the second.
        """
        names = _NAMES.get(event.call)
        if not names:
            return ""
        at, directory = names[-1 if is_last else 0]
        given = codec.text(event.data(IN, at) or b"")
        if given and not given.startswith("/"):
            fd = event.args[directory] & _LOW if directory >= 0 else _AT_FDCWD
            base = self._cwd[process] if fd == _AT_FDCWD else self.of_descriptor(process, fd)
            if not base:
                return None
            given = f"{base}/{given}"
        return tidy(given) if given else ""


def tidy(path: str) -> str:
    """A path without empty parts; the directory above a link's target is not the one that has the link, so that ".." stays."""
    if "//" not in path and "/." not in path and path[-1:] != "/":
        return path
    if "/../" not in f"{path}/":
        return normpath(path)
    return "/" + "/".join(part for part in path.split("/") if part not in ("", "."))
