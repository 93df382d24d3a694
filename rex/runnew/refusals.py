"""What a recorded experiment was refused: a new run is refused it too, with whatever rights it has."""

from __future__ import annotations

import os
import re
from errno import EACCES, EPERM, EROFS

from rex.log.records import IN, Event
from rex.syscalls.numbers import NUMBERS

REFUSED = frozenset((-EACCES, -EPERM, -EROFS))
_EXECUTE, _WRITE, _READ = 1, 2, 4     # of access(2)
_PROCESS = re.compile(r"/proc/(\d|self|thread-self)")   # it has another number now
_NOFOLLOW = 0x100                     # AT_SYMLINK_NOFOLLOW


def _numbers(*names: str) -> frozenset[int]:
    return frozenset(NUMBERS[name] for name in names)


_OPENS = {NUMBERS["open"]: 1, NUMBERS["openat"]: 2}                                          # with the place of their flags
_ACCESSES = {NUMBERS["access"]: 1, NUMBERS["faccessat"]: 2, NUMBERS["faccessat2"]: 2}        # of the mode
_EXECUTES = _numbers("execve", "execveat", "chdir")
_NAMES = _numbers("stat", "lstat", "newfstatat", "statx", "readlink", "readlinkat", "statfs")
_AT_FLAGS = {NUMBERS["newfstatat"]: 3, NUMBERS["statx"]: 2}                                  # of their flags
_NOT_FOLLOWED = _numbers("lstat", "readlink", "readlinkat")
_TREE = _numbers("mkdir", "mkdirat", "mknod", "mknodat", "symlink", "symlinkat", "unlink", "unlinkat", "rmdir", "link", "linkat",
                 "rename", "renameat", "renameat2")
_ATTRIBUTES = _numbers("chmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchownat", "utime", "utimes", "utimensat", "futimesat",
                       "setxattr", "lsetxattr", "removexattr", "lremovexattr")
_TRUNCATES = _numbers("truncate")
CHANGES = _TREE | _ATTRIBUTES | _TRUNCATES
_LETTERS = (("x", _EXECUTES), ("n", _NAMES), ("t", _TREE), ("a", _ATTRIBUTES), ("w", _TRUNCATES))


def wants(event: Event) -> str:
    """What a call wanted of its path, in letters.

    Returns:
        r, w, x: to read, write or execute it; n: its name alone; t: to change the tree there; a: to change its attributes;
        "": it means no path.
    """
    call = event.call
    if call in _OPENS or call == NUMBERS["creat"]:
        flags = event.args[_OPENS[call]] if call in _OPENS else os.O_WRONLY | os.O_TRUNC
        if flags & os.O_PATH:
            return "n"
        writes = {os.O_RDONLY: "r", os.O_WRONLY: "w"}.get(flags & os.O_ACCMODE, "rw")
        return "rw" if writes == "r" and flags & os.O_TRUNC else writes
    if call in _ACCESSES:
        mode = event.args[_ACCESSES[call]]
        return "".join(letter for letter, bit in (("r", _READ), ("w", _WRITE), ("x", _EXECUTE)) if mode & bit) or "n"
    return next((letter for letter, calls in _LETTERS if call in calls), "")


def follows(event: Event) -> bool:
    """Whether a call means what a link at its path leads to."""
    if event.call in _OPENS:
        flags = event.args[_OPENS[event.call]]
        return not flags & os.O_NOFOLLOW and flags & (os.O_CREAT | os.O_EXCL) != os.O_CREAT | os.O_EXCL
    flags = event.args[_AT_FLAGS[event.call]] if event.call in _AT_FLAGS else 0
    return event.call not in _NOT_FOLLOWED and event.call not in CHANGES and not flags & _NOFOLLOW


def creates(event: Event) -> bool:
    """Whether a call that opens makes the file if it is not there."""
    return event.call == NUMBERS["creat"] or event.call in _OPENS and bool(event.args[_OPENS[event.call]] & os.O_CREAT)


def means_directory(event: Event) -> bool:
    """Whether a call is refused a file that is no directory."""
    return event.call in _OPENS and bool(event.args[_OPENS[event.call]] & os.O_DIRECTORY) or (event.data(IN) or b"").endswith((b"/", b"/."))


class Refusals:
    """Refusals of one log, in its order: what was allowed later does not count, unless the experiment itself had changed that.

    Attributes:
        codes: a letter (see `wants`) and a path -> errno.
    """

    def __init__(self) -> None:
        self.codes: dict[tuple[str, str], int] = {}
        self._changed: set[str] = set()

    def take(self, event: Event, path: str) -> None:
        """Note what became of a call on a path."""
        letters = "" if _PROCESS.match(path) else wants(event)
        if event.result in REFUSED and letters:
            # Of a call for reading and writing the latter is what is refused more often.
            self.codes.setdefault(("w" if "w" in letters else letters[0], path), -event.result)
        elif event.result >= 0 and event.call in _ATTRIBUTES:
            self._changed.add(path)
        elif event.result >= 0 and path not in self._changed:
            for letter in letters:
                self.codes.pop((letter, path), None)
