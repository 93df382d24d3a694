"""Descriptors that cells opened by `os.open`: where they stand in their files."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import stat

Places = dict[int, tuple[str, int]]     # path and position, by descriptor

_opened: set[str] = set()      # paths


def note_opened(path: str) -> None:
    """A cell is about to open a descriptor of this file."""
    _opened.add(os.path.realpath(path))


def places() -> Places:
    """Where the descriptors stand now that no file object holds."""
    if not _opened:
        return {}
    found = {}
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            path = os.readlink(f"/proc/self/fd/{name}")
            if path in _opened and stat.S_ISREG(os.fstat(int(name)).st_mode):
                found[int(name)] = path, os.lseek(int(name), 0, os.SEEK_CUR)
    for each in gc.get_objects() if found else ():
        if issubclass(type(each), io.FileIO) and not each.closed:
            found.pop(each.fileno(), None)     # it knows itself where it stands
    return found


def put_back(wanted: Places) -> None:
    """Set the positions of those that are still open.

    Raises:
        OSError: some are not.
    """
    now = places()
    gone = [f"descriptor {fd} of {path}" for fd, (path, _) in wanted.items() if now.get(fd, ("", 0))[0] != path]
    for fd, (path, place) in wanted.items():
        if now.get(fd, ("", 0))[0] == path:
            os.lseek(fd, place, os.SEEK_SET)
    if gone:
        raise OSError(f"{', '.join(gone)} is closed")
