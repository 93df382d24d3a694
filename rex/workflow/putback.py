"""Put files of steps that do not run where those would have left them."""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import stat
from dataclasses import dataclass
from typing import Any, Protocol

from rex import codec
from rex.errors import Damaged, OwnFailure

_PIDFD_GETFD = 438


class Source(Protocol):
    """Whatever has contents by facts."""

    def fetch(self, facts: dict[str, Any], target: int) -> None:
        """Write the content of a file to a descriptor. Args: facts: of the file, from its step's record."""


@dataclass(frozen=True)
class FilePlace:
    """A directory that stands for the root, and the process that may hold files of it open."""

    top: str
    pid: int = 0


def put_back(place: FilePlace, path: str, facts: dict[str, Any] | None = None, source: Source | None = None,
             aside: str = "", name_aside: str = "") -> None:
    """Make a path as it was: from a source, by its facts, or as it lies below another directory, where it may have another name.

    A file that is there is written in place: somebody may hold it open. If that
    is the process that the step begins, and it may write, it goes on behind what was written.
    """
    name = codec.raw(codec.text(os.fsencode(place.top)) + path)
    parent = os.path.dirname(name)
    os.makedirs(parent, exist_ok=True)
    if os.path.realpath(parent) != parent:      # recorded paths lead through no links
        raise Damaged(f"{path} cannot be restored", "a link leads elsewhere", "choose an empty --store")
    beside = codec.raw(codec.text(os.fsencode(aside)) + (name_aside or path))
    if source is None:
        facts = _facts(beside)
    if not facts:
        return
    if facts["type"] == "symlink":
        take_away(place.top, path)
        os.symlink(codec.raw(facts["target"]), name)
        return
    if facts["type"] == "dir":
        os.makedirs(name, exist_ok=True)
        os.chmod(name, facts["mode"])
        return
    was_there = os.path.isfile(name) and not os.path.islink(name)
    if not was_there:
        take_away(place.top, path)
    fd = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.ftruncate(fd, 0)
        if source is None:
            with open(beside, "rb") as file, open(fd, "wb", closefd=False) as out:
                shutil.copyfileobj(file, out)
        elif facts["size"]:
            source.fetch(facts, fd)
        os.fchmod(fd, facts["mode"])
        os.utime(fd, ns=(facts["mtime_ns"], facts["mtime_ns"]))
        if was_there and place.pid:
            _go_behind(place.pid, os.fstat(fd))
    finally:
        os.close(fd)


def _facts(name: bytes) -> dict[str, Any] | None:
    try:
        found = os.lstat(name)
    except FileNotFoundError:
        return None
    facts: dict[str, Any] = {"mode": stat.S_IMODE(found.st_mode), "mtime_ns": found.st_mtime_ns, "size": found.st_size}
    if stat.S_ISLNK(found.st_mode):
        return {**facts, "type": "symlink", "target": codec.text(os.readlink(name))}
    if stat.S_ISDIR(found.st_mode):
        return {**facts, "type": "dir"}
    return {**facts, "type": "file"} if stat.S_ISREG(found.st_mode) else None


def _go_behind(pid: int, file: os.stat_result) -> None:
    """Move the position of every descriptor of a process that may write to a file to its end.

    The position belongs to the open file, which the process shares with whoever opened it.
    """
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            found = os.stat(f"/proc/{pid}/fd/{fd}")
        except OSError:
            continue
        if (found.st_dev, found.st_ino) != (file.st_dev, file.st_ino):
            continue
        shared = _descriptor_of(pid, int(fd))
        try:
            if fcntl.fcntl(shared, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY:
                os.lseek(shared, 0, os.SEEK_END)
        finally:
            os.close(shared)


def _descriptor_of(pid: int, fd: int) -> int:
    """A descriptor of ours for what another process has open."""
    process = os.pidfd_open(pid)
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        mine = libc.syscall(_PIDFD_GETFD, process, fd, 0)
        if mine < 0:
            raise OwnFailure("a file that several steps write cannot be restored", os.strerror(ctypes.get_errno()),
                             "it needs Linux 5.6 or newer, and leave to trace")
        return int(mine)
    finally:
        os.close(process)


def take_away(top: str, path: str) -> None:
    """Remove what is at a path: a file, a link, or an empty directory."""
    name = codec.raw(codec.text(os.fsencode(top)) + path)
    try:
        os.rmdir(name) if os.path.isdir(name) and not os.path.islink(name) else os.unlink(name)
    except OSError:          # it is not there, or not empty: then it stays, as it would
        pass
