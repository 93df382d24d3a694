"""Calls that only arrange descriptors: they run for real in replay too, and are not logged."""

from __future__ import annotations

import fcntl
import os
import stat

from rex.syscalls import BY_NAME, Hook
from rex.tracer.reference.tasks import Task, signed32

_FCNTL, _CLOSE = BY_NAME["fcntl"].nr, BY_NAME["close"].nr
_ARRANGING = frozenset((Hook.DUP, Hook.CLOSE, Hook.CLOSE_RANGE))
_DUPLICATING = frozenset((fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC))
_CLOSE_RANGE_CLOEXEC = 4


def is_descriptor_call(task: Task) -> bool:
    """Whether the call in progress is one."""
    if task.nr == _FCNTL:
        return signed32(task.args[1]) in _DUPLICATING | {fcntl.F_GETFD, fcntl.F_SETFD}
    return task.call is not None and task.call.hook in _ARRANGING


LOCK_BYTES = 32                # struct flock


def asks_who_locks(task: Task) -> bool:
    """Whether the call in progress tells a process id: that of a lock's holder."""
    return task.nr == _FCNTL and signed32(task.args[1]) in (fcntl.F_GETLK, fcntl.F_OFD_GETLK)


def is_duplicating(task: Task) -> bool:
    """Whether the call in progress gives an open file one more descriptor."""
    return task.call is not None and (task.call.hook is Hook.DUP or (
        task.call.hook is Hook.FCNTL and signed32(task.args[1]) in _DUPLICATING))


def closes_pipe(task: Task) -> bool:
    """Whether this is the end of an inner pipe on a standard descriptor: whoever is at its
    other end may see it."""
    if task.nr != _CLOSE or task.args[0] > 2 or task.find_stream():
        return False
    try:
        return stat.S_ISFIFO(os.stat(f"/proc/{task.tid}/fd/{task.args[0]}").st_mode)
    except OSError:
        return False


def note_descriptors(task: Task, result: int) -> None:
    """Keep the table exact, at the call's exit-stop."""
    hook = task.call.hook if task.call else Hook.NONE
    fd = signed32(task.args[0])
    if hook is Hook.CLOSE:
        task.files.set(fd, 0)
    elif result < 0:
        return
    elif hook is Hook.CLOSE_RANGE:
        _note_close_range(task)
    elif is_duplicating(task):
        task.files.set(result, task.files.stream(fd))
        opener = task.files.opened.get(fd)
        if opener:
            task.files.opened[result] = opener


def _note_close_range(task: Task) -> None:
    first, last, flags = task.args[:3]
    if flags & _CLOSE_RANGE_CLOEXEC:
        return
    for fd in task.files:
        if first <= fd <= last:
            task.files.set(fd, 0)
