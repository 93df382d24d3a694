"""What a path means to a tracee: from its working directory or descriptor, through links."""

from __future__ import annotations

import functools
import os
from typing import NamedTuple

from rex.syscalls import BY_NAME, CALLS
from rex.tracer.reference import memory
from rex.tracer.reference.kernel import AT_FDCWD, signed32
from rex.tracer.reference.tasks import Task

PATH_MAX = 4096
_AT_SYMLINK_NOFOLLOW = 0x100
_OPEN, _CREAT, _OPENAT2 = (BY_NAME[name].nr for name in ("open", "creat", "openat2"))
_FOLLOWING = frozenset(BY_NAME[name].nr for name in (
    "chmod", "fchmodat", "truncate", "utime", "utimes", "futimesat", "chown", "setxattr", "removexattr", "chdir"))
# Those that follow unless a flag forbids it: where the flags are.
_FLAGGED = {BY_NAME["utimensat"].nr: 3, BY_NAME["fchmodat2"].nr: 3, BY_NAME["fchownat"].nr: 4}


class NameArgs(NamedTuple):
    """Where a call's paths are among its arguments, -1 where it has none."""

    dirfd: int = -1
    path: int = -1
    dirfd2: int = -1
    path2: int = -1


@functools.cache
def name_args(nr: int) -> NameArgs:
    """Where the call's paths and the directories that they start from are."""
    found = []
    dirfd = -1
    for i, arg in enumerate(CALLS[nr].args if nr in CALLS else ()):
        if arg.word == "dirfd":
            dirfd = i
        elif arg.word == "path":
            found += [dirfd, i]
            dirfd = -1
    return NameArgs(*found[:4])


def path_of_fd(tid: int, fd: int) -> bytes | None:
    """The path of an open descriptor, or of the working directory for AT_FDCWD."""
    name = "cwd" if fd == AT_FDCWD else f"fd/{fd}"
    try:
        return os.readlink(os.fsencode(f"/proc/{tid}/{name}"))
    except OSError:
        return None


def _number_of_fd(tid: int, fd: int, name: bytes, base: int) -> int:
    try:
        with open(f"/proc/{tid}/fdinfo/{fd}", "rb") as file:
            return next((int(line.split()[1], base) for line in file if line.startswith(name)), 0)
    except OSError:
        return 0


def flags_of_fd(tid: int, fd: int) -> int:
    """The status flags of an open descriptor, as open(2) has them."""
    return _number_of_fd(tid, fd, b"flags:", 8)


def position_of_fd(tid: int, fd: int) -> int:
    """Where an open descriptor is in its file."""
    return _number_of_fd(tid, fd, b"pos:", 10)


def descriptors(tid: int) -> list[int]:
    """All open descriptors."""
    try:
        return sorted(map(int, os.listdir(f"/proc/{tid}/fd")))
    except OSError:
        return []


def _absolute(task: Task, dirfd: int, path: bytes) -> bytes | None:
    """/proc/self is the tracee's, not ours."""
    if path.startswith(b"/proc/self/"):
        return b"/proc/%d/%s" % (task.tid, path[11:])
    if path.startswith(b"/proc/thread-self/"):
        return b"/proc/%d/task/%d/%s" % (task.tid, task.tid, path[18:])
    if path.startswith(b"/"):
        return path
    base = path_of_fd(task.tid, dirfd)
    return None if base is None else b"%s/%s" % (base, path)


def _real(path: bytes) -> bytes | None:
    try:
        return os.path.realpath(path, strict=True)
    except OSError:
        return None


def resolve(task: Task, dirfd: int, path: bytes, follow: bool) -> bytes | None:
    """Absolute and without links; None if there is no such directory.

    The last component may be missing, and is itself followed only if asked.
    """
    full = _absolute(task, dirfd, path) if path else path_of_fd(task.tid, dirfd)
    if full is None:
        return None
    full = full.rstrip(b"/") or b"/"
    parent, slash, name = full.rpartition(b"/")
    is_dots = name in (b"", b".", b"..")
    if follow or is_dots:
        found = _real(full)
        if found is not None or is_dots:
            return found
    if not slash:
        return None                   # a descriptor without a path, as pipe:[1]
    directory = _real(parent or b"/")
    return None if directory is None else b"%s/%s" % (directory.rstrip(b"/"), name)


def dirfd_of(task: Task) -> int:
    """The directory that the call's path starts from."""
    at = name_args(task.nr).dirfd
    return signed32(task.args[at]) if at >= 0 else AT_FDCWD


def open_flags(task: Task) -> int:
    """The flags of any of the calls that open by path."""
    if task.nr == _OPEN:
        return signed32(task.args[1])
    if task.nr == _CREAT:
        return os.O_CREAT | os.O_WRONLY | os.O_TRUNC
    if task.nr == _OPENAT2:
        return signed32(memory.read_int(task.tid, task.args[2]) or 0)
    return signed32(task.args[2])


def read_names(task: Task) -> None:
    """Set `path` and `path2` from the tracee's memory."""
    at = name_args(task.nr)

    def read(arg: int) -> bytes | None:
        return memory.read_string(task.tid, task.args[arg], PATH_MAX) if arg >= 0 else None

    task.path, task.path2 = read(at.path), read(at.path2)


def resolve_names(task: Task) -> None:
    """Set `resolved` and `resolved2` from those."""
    at = name_args(task.nr)
    if at.path < 0:                   # fchmod and its like
        task.resolved, task.resolved2 = path_of_fd(task.tid, signed32(task.args[0])), None
        return
    flag = _FLAGGED.get(task.nr)
    follows = task.nr in _FOLLOWING or (flag is not None and not task.args[flag] & _AT_SYMLINK_NOFOLLOW)
    task.resolved = _resolve_one(task, at.dirfd, at.path, task.path, follows)
    task.resolved2 = _resolve_one(task, at.dirfd2, at.path2, task.path2, False)


def _resolve_one(task: Task, dirfd_arg: int, path_arg: int, path: bytes | None, follow: bool) -> bytes | None:
    dirfd = signed32(task.args[dirfd_arg]) if dirfd_arg >= 0 else AT_FDCWD
    if path_arg < 0:
        return None
    if path is None:                  # utimensat(fd, NULL): the descriptor itself
        return path_of_fd(task.tid, dirfd) if dirfd_arg >= 0 and not task.args[path_arg] else None
    return resolve(task, dirfd, path, follow)
