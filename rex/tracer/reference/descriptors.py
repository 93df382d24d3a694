"""Calls that only arrange descriptors: they run for real in replay too, and are not logged."""

from __future__ import annotations

import fcntl
import os
import stat

from rex.syscalls import BY_NAME, Hook, Policy
from rex.tracer.reference.kernel import signed32
from rex.tracer.reference.tasks import Task

_FCNTL, _CLOSE = BY_NAME["fcntl"].nr, BY_NAME["close"].nr
_ARRANGING = frozenset((Hook.DUP, Hook.CLOSE, Hook.CLOSE_RANGE))
_DUPLICATING = frozenset((fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC))
_CLOSE_RANGE_CLOEXEC = 4


def is_descriptor_call(task: Task) -> bool:
    """Whether the call in progress is one."""
    if task.nr == _FCNTL:
        return signed32(task.args[1]) in _DUPLICATING | {fcntl.F_GETFD, fcntl.F_SETFD}
    return task.call is not None and task.call.hook in _ARRANGING


_LOCK_BYTES, _OWNER_BYTES = 32, 8      # struct flock, struct f_owner_ex
_F_SETOWN_EX, _F_GETOWN_EX = 15, 16
# What fcntl stores, by command, where it has to do with process ids.
TOLD_BYTES = {fcntl.F_GETLK: _LOCK_BYTES, fcntl.F_OFD_GETLK: _LOCK_BYTES, fcntl.F_SETOWN: 0, fcntl.F_GETOWN: 0,
              _F_SETOWN_EX: 0, _F_GETOWN_EX: _OWNER_BYTES}


def names_process(task: Task) -> bool:
    """Whether the call in progress has a process id: who locks, or has the signals of a descriptor."""
    return task.nr == _FCNTL and signed32(task.args[1]) in TOLD_BYTES


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


def is_unlogged(task: Task, is_external: bool, ends_pipe: bool) -> bool:
    """Whether the log has no event of the call in progress, and replay makes it as it is."""
    call = task.call
    return call is not None and (
        call.policy in (Policy.NATIVE, Policy.REFUSE)
        or (call.policy is Policy.STREAM and not is_external and not ends_pipe and not names_process(task)))


def note_closing(task: Task) -> None:
    """At the call's entry-stop: one that another process shares the descriptors with may open one of that number at once."""
    hook = task.call.hook if task.call else Hook.NONE
    if hook is Hook.CLOSE:
        task.files.set(signed32(task.args[0]), 0)
    elif hook is Hook.CLOSE_RANGE:
        _note_close_range(task)


def note_duplicate(task: Task, result: int) -> None:
    """At its exit-stop: what the new descriptor stands for."""
    if result >= 0 and is_duplicating(task):
        task.files.set(result, task.files.stream(signed32(task.args[0])))


def _note_close_range(task: Task) -> None:
    first, last, flags = task.args[:3]
    if flags & _CLOSE_RANGE_CLOEXEC:
        return
    for fd in task.files:
        if first <= fd <= last:
            task.files.set(fd, 0)
