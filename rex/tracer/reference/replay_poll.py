"""Replay of poll, select and epoll: what the log says was ready is ready. Readiness
of the experiment's own pipes is waited for, so that what is read next is there."""

from __future__ import annotations

import errno
import struct
from typing import Iterator

from rex.log.records import OUT, Event
from rex.syscalls import BY_NAME, Hook
from rex.tracer.reference import memory
from rex.tracer.reference.kernel import signed32
from rex.tracer.reference.calls import put_outputs
from rex.tracer.reference.replay_state import EpollKey, ReplayState
from rex.tracer.reference.script import Entry
from rex.tracer.reference.tasks import Task

POLLS = frozenset((Hook.POLL, Hook.SELECT, Hook.EPOLL_WAIT))

_NR = {name: BY_NAME[name].nr for name in ("poll", "select", "epoll_wait", "pselect6", "rt_sigsuspend")}
_MASK_ARGS = {BY_NAME["ppoll"].nr: 3, BY_NAME["epoll_pwait"].nr: 4, BY_NAME["epoll_pwait2"].nr: 4}
_POLLED = struct.Struct("<ihH")       # struct pollfd: fd, events, revents
_EPOLLED = struct.Struct("<IQ")       # struct epoll_event, which is packed: events, data
_MAX_POLLED, _FD_SETSIZE = 4096, 1024
_SIGSET_BYTES = 8
_EPOLL_CTL_DEL = 2


def _mask_address(task: Task) -> int:
    if task.nr in _MASK_ARGS:
        return task.args[_MASK_ARGS[task.nr]]
    if task.nr == _NR["pselect6"] and task.args[5]:
        return memory.read_int(task.tid, task.args[5]) or 0
    return 0


def _was_interrupted(state: ReplayState, task: Task, entry: Entry) -> bool:
    """With a signal mask of its own a call that was interrupted becomes a wait for that signal."""
    mask = _mask_address(task)
    if entry.event.result != -errno.EINTR or not mask or not state.signals.send_after(task, entry):
        return False
    task.substitute(_NR["rt_sigsuspend"], mask, _SIGSET_BYTES)
    return True


def _wait_poll(task: Task, event: Event) -> bool:
    """Leave only internal descriptors that the log has as ready; whether there are any."""
    count = task.args[1]
    size = count * _POLLED.size
    logged = event.data(OUT, 0)
    given = memory.read(task.tid, task.args[0], size) if count <= _MAX_POLLED else None
    if given is None or logged is None or len(logged) < size:
        return False
    changed, left = [], False
    for (fd, events, revents), (_, _, was) in zip(_POLLED.iter_unpack(given), _POLLED.iter_unpack(logged[:size])):
        waits = bool(was) and fd >= 0 and not task.files.stream(fd)
        changed.append(_POLLED.pack(fd if waits else -1, events, revents))
        left = left or waits
    if not left or not memory.write(task.tid, task.args[0], b"".join(changed)):
        return False
    task.substitute(_NR["poll"], rdx=-1)
    return True


def _wait_select(task: Task, event: Event) -> bool:
    count = signed32(task.args[0])
    left = False
    for k in range(1, 4):
        logged = event.data(OUT, k)
        if count > _FD_SETSIZE or logged is None or not task.args[k] or len(logged) > _FD_SETSIZE // 8:
            continue
        ready = int.from_bytes(logged, "little")
        for fd in range(count):
            if ready & 1 << fd and task.files.stream(fd):
                ready &= ~(1 << fd)
        left = left or bool(ready & (1 << max(count, 0)) - 1)
        memory.write(task.tid, task.args[k], ready.to_bytes(len(logged), "little"))
    if left:
        task.substitute(_NR["select"], r8=0)
    return left


def _epoll(task: Task) -> EpollKey:
    return task.tid, signed32(task.args[0])


def _watched(state: ReplayState, task: Task) -> set[int]:
    """The data words of what is outside among all that the epoll descriptor of the call in progress watches."""
    return state.watched.get(_epoll(task), set())


def _whole(layout: struct.Struct, data: bytes | None) -> Iterator[tuple[int, ...]]:
    data = data or b""
    return layout.iter_unpack(data[:len(data) // layout.size * layout.size])


def _wait_epoll(state: ReplayState, task: Task, event: Event) -> bool:
    if all(data in _watched(state, task) for _, data in _whole(_EPOLLED, event.data(OUT, 1))):
        return False
    task.substitute(_NR["epoll_wait"], r10=-1)
    return True


# ------------------------------------------------------------------ entry and exit

def perform_poll(state: ReplayState, task: Task, entry: Entry) -> None:
    """Wait for what is the experiment's own, or answer at once."""
    if _was_interrupted(state, task, entry):
        return
    event, hook = entry.event, task.call.hook if task.call else Hook.NONE
    waits = event.result > 0 and (
        _wait_poll(task, event) if hook is Hook.POLL else
        _wait_select(task, event) if hook is Hook.SELECT else _wait_epoll(state, task, event))
    if not waits:
        state.emulate(task, entry)


def end_poll(task: Task, entry: Entry) -> None:
    """The log tells what was ready."""
    if entry.event.result >= 0:
        put_outputs(task, entry.event)
    task.give(entry.event.result)


def perform_epoll_ctl(state: ReplayState, task: Task, entry: Entry) -> None:
    """External descriptors are only remembered, by their data words."""
    if not task.files.stream(signed32(task.args[2])):
        task.want_exit = True
        return
    event = memory.read(task.tid, task.args[3], _EPOLLED.size) if task.args[1] != _EPOLL_CTL_DEL else None
    if event is not None:
        data = int(_EPOLLED.unpack(event)[1])
        state.watched.setdefault(_epoll(task), set()).add(data)
    state.emulate(task, entry)


def forget_epoll(state: ReplayState, task: Task) -> None:
    """At a close's entry-stop: the next epoll descriptor of that number is another."""
    state.watched.pop(_epoll(task), None)
