"""Files that a replay sees as they were before the run, and writes for itself alone."""

from __future__ import annotations

import os
import stat
from typing import Any, Iterable, Iterator

from rex.hindsight.trace.records import Run

_CLONE_NEWNS, _CLONE_NEWUSER = 0x20000, 0x10000000
_MS_BIND, _MS_REC = 0x1000, 0x4000
_OF_KERNEL = ("/proc", "/sys", "/dev", "/run")


def private_folders(run: Run, script: str) -> list[str]:
    """What a replay must not write to: where the run wrote, and where child processes of it may."""
    places = (os.getcwd(), os.path.dirname(os.path.abspath(script))) if run.has_children else ()
    return folders_of([*run.files, *[os.path.join(place, "any") for place in places]])


def folders_of(paths: Iterable[str]) -> list[str]:
    """The folders, of those that are there, below which paths lie."""
    found = set()
    for path in paths:
        folder = os.path.dirname(path)
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        found.add(os.path.realpath(folder))
    return sorted(found)


class PrivateView:
    """Overlays in a user and mount namespace of this process: it alone sees what it writes below some folders.

    Attributes:
        uppers: where that lies in truth, by folder.
    """

    def __init__(self, scratch: str) -> None:
        """Args: scratch: a folder that is in none of those that are covered."""
        self._scratch = scratch
        self._libc: Any = None
        self.uppers: dict[str, str] = {}
        self._others: set[str] = set()     # what else is mounted below these

    def begin(self) -> bool:
        """Enter the namespaces, before there are threads; False where that is not possible."""
        import ctypes     # it takes a while
        libc = ctypes.CDLL(None, use_errno=True)
        user, group = os.getuid(), os.getgid()
        if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNS) != 0:
            return False
        try:
            for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"),
                               ("gid_map", f"{group} {group} 1")):
                with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                    file.write(text)
        except OSError:
            return False
        self._libc = libc
        return True

    def cover_all(self, folders: list[str]) -> bool:
        """Cover folders and what is below them; False where one cannot be."""
        tops = [f for f in folders if not any(f != g and f.startswith(g + os.sep) for g in folders)]
        return all([self._cover(folder) for folder in tops])

    def cover_place_of(self, path: str) -> bool:
        """See that what is written to a path is seen here only; False where that is not possible.

        Devices and the like are nobody's files, and stay. Linux refuses an overlay over folders that others are mounted below.
        """
        folder, = folders_of([path])
        if f"{folder}/".startswith(tuple(f"{top}/" for top in _OF_KERNEL)):
            return True
        return self._libc is not None and folder != "/" and (self._covers(folder) or self._cover(folder))

    def _covers(self, folder: str) -> bool:
        around = [top for top in (*self.uppers, *self._others) if f"{folder}/".startswith(f"{top}/")]
        return bool(around) and max(around, key=len) in self.uppers

    def _cover(self, folder: str) -> bool:
        number = len(self.uppers)
        upper, work = os.path.join(self._scratch, f"u{number}"), os.path.join(self._scratch, f"w{number}")
        os.makedirs(upper, exist_ok=True)
        os.makedirs(work, exist_ok=True)
        here, below = os.getcwd(), {each: os.open(each, os.O_PATH | os.O_CLOEXEC) for each in _mounts_below(folder)}
        try:
            options = f"lowerdir={folder},upperdir={upper},workdir={work},userxattr"
            if self._libc.mount(b"overlay", os.fsencode(folder), b"overlay", 0, os.fsencode(options)) != 0:
                return False
            self.uppers[folder] = upper
            for each, fd in below.items():     # the overlay has none of what is mounted below
                self._libc.mount(b"/proc/self/fd/%d" % fd, os.fsencode(each), None, _MS_BIND | _MS_REC, None)
            self._others.update(below.keys() - self.uppers.keys())
        finally:
            for fd in below.values():
                os.close(fd)
        os.chdir(here)   # the same path, looked up again
        return True

    def changed(self) -> Iterator[tuple[str, str, os.stat_result]]:
        """What was written, no folders: path, where it lies in truth, and what that is."""
        for top, upper in self.uppers.items():
            for folder, _, names in os.walk(upper):
                for name in names:
                    at = os.path.join(folder, name)
                    yield os.path.join(top, os.path.relpath(at, upper)), at, os.lstat(at)


def is_removal(info: os.stat_result) -> bool:
    """Whether it stands, in an overlay, for what was removed."""
    return stat.S_ISCHR(info.st_mode) and info.st_rdev == 0


def _mounts_below(folder: str) -> list[str]:
    """Where others are mounted, those that are around others first."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        places = {line.split()[4].encode("utf-8", "surrogateescape").decode("unicode_escape") for line in file}
    return sorted(place for place in places if place.startswith(f"{folder}/") and os.path.isdir(place))
