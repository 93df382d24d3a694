"""Caches of files for one user, within bounds: what was not used for the longest time goes first."""

from __future__ import annotations

import contextlib
import os
import time

from rex.archive.locks import remove_if_there
from rex.hints import Iterator

_DAY_S = 86400   # a use is noted once a day; a file in the making is older only if its maker was killed


def note_use(path: str, info: os.stat_result) -> None:
    """Keep in mind that a file was used.

    Args:
        info: what it is now.
    """
    if info.st_mtime < time.time() - _DAY_S:
        try:
            os.utime(path)
        except OSError:   # it is not ours, or gone
            pass


def trim(directories: list[str], most_bytes: int, part: int) -> None:
    """Remove files below the directories until they fit; where one of them cannot be read, all stay.

    Args:
        most_bytes: what they may take together.
        part: nor may they take more than that part of the room that is free, or theirs: 4 is a fourth.
    """
    with contextlib.suppress(OSError):
        found = sorted(each for directory in directories for each in _files(directory))
        held_bytes = sum(size for _, size, _ in found)
        room = os.statvfs(directories[0])
        limit_bytes = min(most_bytes, (room.f_bavail * room.f_frsize + held_bytes) // part)
        for _, size, path in found:
            if held_bytes <= limit_bytes:
                break
            remove_if_there(path)
            held_bytes -= size


def _files(directory: str) -> Iterator[tuple[int, int, str]]:
    """When each was used, its size and its path; what killed makers left is removed."""
    with os.scandir(directory) as listing:
        for entry in listing:
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path)
                continue
            try:
                info = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if not entry.name.startswith("."):
                yield info.st_mtime_ns, info.st_size, entry.path
            elif info.st_mtime < time.time() - _DAY_S:
                remove_if_there(entry.path)
