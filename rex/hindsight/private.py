"""Files that a replay sees as they were before the run, and writes for itself alone."""

from __future__ import annotations

import os
from typing import Iterable

from rex.hindsight.records import Run

_CLONE_NEWNS, _CLONE_NEWUSER = 0x20000, 0x10000000


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


def private_view(folders: list[str], scratch: str) -> bool:
    """Let this process alone see what it writes below some folders; False where that is not possible.

    An overlay in a user and mount namespace of its own; call it before there are threads.
    """
    import ctypes     # it takes a while
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    tops = [f for f in folders if not any(f != g and f.startswith(g + os.sep) for g in folders)]
    if not tops:
        return True
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNS) != 0:
        return False
    try:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"),
                           ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    except OSError:
        return False
    here = os.getcwd()
    for number, folder in enumerate(tops):
        upper, work = os.path.join(scratch, f"u{number}"), os.path.join(scratch, f"w{number}")
        os.makedirs(upper)
        os.makedirs(work)
        options = f"lowerdir={folder},upperdir={upper},workdir={work},userxattr"
        if libc.mount(b"overlay", os.fsencode(folder), b"overlay", 0, os.fsencode(options)) != 0:
            return False
    os.chdir(here)   # the same path, seen anew
    return True
