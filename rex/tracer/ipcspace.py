"""Gives a process System V objects and message queues of its own, which end with it and whatever it starts.

They are the only things that a live run would leave on the machine outside of its output directory: no file names them.
A user has to make a user namespace too: there the files of other users belong to nobody, in listings only.
"""

from __future__ import annotations

import errno
import os
from typing import Callable

from rex.tracer.sandbox import NEWIPC, NEWUSER, libc, map_own_ids

_OPTIONS = {"shm": "-m", "sem": "-s", "msg": "-q"}   # of ipcrm


def entrance() -> Callable[[], None]:
    """What a child process calls, before it executes a program, to be in a namespace of its own where the kernel lets it."""
    unshare, uid, gid = libc().unshare, os.getuid(), os.getgid()   # looked up before the fork

    def enter() -> None:
        if unshare(NEWIPC) and uid and not unshare(NEWUSER | NEWIPC):   # as root in a container, user 0 alone would be a lesser root
            map_own_ids(uid, gid)

    return enter


def is_apart(pid: int) -> bool:
    """Whether a process that we started is in another namespace than ours."""
    try:
        return os.readlink(f"/proc/{pid}/ns/ipc") != os.readlink("/proc/self/ns/ipc")
    except OSError as error:
        return error.errno == errno.EACCES   # in a user namespace of its own


def objects() -> set[str]:
    """The System V objects that are there, as arguments of `ipcrm`: -m 5."""
    found = set()
    for kind, option in _OPTIONS.items():
        try:
            with open(f"/proc/sysvipc/{kind}", encoding="ascii") as file:
                found |= {f"{option} {line.split()[1]}" for line in list(file)[1:]}
        except OSError:   # a kernel without
            continue
    return found
