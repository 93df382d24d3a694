"""Replay of poll, select and epoll: what the log says was ready is ready. Readiness
of the experiment's own pipes is waited for, so that what is read next is there."""

from __future__ import annotations

import errno
import struct
import time
from typing import TYPE_CHECKING, Callable, Iterator

from rex.log.records import OUT, Event
from rex.syscalls import BY_NAME, Hook
from rex.tracer.reference import memory
from rex.tracer.reference.calls import put_outputs
from rex.tracer.reference.replay_clock import note_waited
from rex.tracer.reference.script import Entry
from rex.tracer.reference.tasks import Task, signed32

if TYPE_CHECKING:
    from rex.tracer.reference.replay import Replayer

EpollKey = tuple[int, int]            # process, descriptor
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


def _was_interrupted(replayer: "Replayer", task: Task, entry: Entry) -> bool:
    """With a signal mask of its own a call that was interrupted becomes a wait for that signal."""
    mask = _mask_address(task)
    if entry.event.result != -errno.EINTR or not mask or not replayer.signals.send_after(task, entry):
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
    return task.leader.tid, signed32(task.args[0])


def _watched(replayer: "Replayer", task: Task) -> set[int]:
    """The data words of what is outside among all that the epoll descriptor of the call in progress watches."""
    return replayer.watched.get(_epoll(task), set())


def _wait_epoll(replayer: "Replayer", task: Task, event: Event) -> bool:
    if all(data in _watched(replayer, task) for _, data in _whole(_EPOLLED, event.data(OUT, 1))):
        return False
    task.substitute(_NR["epoll_wait"], r10=-1)
    return True


# ------------------------------------------------------------------ between threads

def _is_external_ready(replayer: "Replayer", task: Task, event: Event, hook: Hook) -> bool:
    """Whether the log has something outside as ready."""
    files = task.files
    if hook is Hook.POLL:
        return any(was and files.stream(fd) for fd, _, was in _whole(_POLLED, event.data(OUT, 0)))
    if hook is Hook.SELECT:
        ready = [int.from_bytes(event.data(OUT, k) or b"", "little") for k in range(1, 4)]
        return any(one >> fd & 1 for one in ready for fd in files)
    return any(data in _watched(replayer, task) for _, data in _whole(_EPOLLED, event.data(OUT, 1)))


def _take_out(task: Task, hook: Hook) -> None:
    """Take what is outside out of the wait; poll's descriptors come back at its end."""
    if hook is Hook.POLL:             # negative: not waited for
        _change_polled(task, lambda fd: ~fd if fd >= 0 and task.files.stream(fd) else fd)
    if hook is Hook.SELECT:
        size = (signed32(task.args[0]) + 63) // 64 * 8
        external = sum(1 << fd for fd in task.files)
        for at in filter(None, task.args[1:4]):
            asked = memory.read_int(task.tid, at, size) if 0 < size <= _FD_SETSIZE // 8 else None
            if asked is not None:
                memory.write(task.tid, at, (asked & ~external).to_bytes(size, "little"))


def _change_polled(task: Task, change: Callable[[int], int]) -> None:
    count = task.args[1]
    given = memory.read(task.tid, task.args[0], count * _POLLED.size) if count <= _MAX_POLLED else None
    changed = b"".join(_POLLED.pack(change(fd), events, ready) for fd, events, ready in _whole(_POLLED, given))
    memory.write(task.tid, task.args[0], changed)


def _whole(layout: struct.Struct, data: bytes | None) -> Iterator[tuple[int, ...]]:
    data = data or b""
    return layout.iter_unpack(data[:len(data) // layout.size * layout.size])


def wait_freely(replayer: "Replayer", task: Task, entry: Entry | None) -> bool:
    """Between threads, what is inside is ready when it is: their pace is not the log's.

    Args:
        entry: None where the log has no more such waits.
    Returns:
        Whether the call runs by itself.
    """
    hook = task.call.hook if task.call else Hook.NONE
    if not task.has_shared_work or (entry and (entry.event.result < 0
                                     or _is_external_ready(replayer, task, entry.event, hook))):
        return False
    if entry and not _leaves_answer(replayer, task, entry):
        entry.is_done = True
    task.matched = None
    _take_out(task, hook)
    task.wait_began_ns = time.monotonic_ns()
    task.want_exit = True
    return True


def _leaves_answer(replayer: "Replayer", task: Task, entry: Entry) -> bool:
    """Where nothing outside is waited for, what the log has as ready may be another wait's, for that: it is over
    only with a wait that something ends."""
    hook = task.call.hook if task.call else Hook.NONE
    return hook is Hook.EPOLL_WAIT and entry.event.result > 0 and not _watched(replayer, task)


def end_free_wait(replayer: "Replayer", task: Task, result: int) -> None:
    """At its exit-stop: what was outside is in the list again."""
    if result == 0:
        note_waited(task)
    entry = task.script.find((task.nr, None)) if result > 0 else None
    if entry and _leaves_answer(replayer, task, entry):
        entry.is_done = True
    if task.call and task.call.hook is Hook.POLL:
        _change_polled(task, lambda fd: ~fd if fd < -1 and task.files.stream(~fd) else fd)


def _asks_outside_only(task: Task, hook: Hook) -> bool:
    asked: set[int] = set()
    if hook is Hook.POLL and task.args[1] <= _MAX_POLLED:
        given = memory.read(task.tid, task.args[0], task.args[1] * _POLLED.size)
        asked = {fd for fd, _, _ in _whole(_POLLED, given) if fd >= 0}
    elif hook is Hook.SELECT and 0 < signed32(task.args[0]) <= _FD_SETSIZE:
        sets = [memory.read_int(task.tid, at, _FD_SETSIZE // 8) or 0 for at in task.args[1:4] if at]
        asked = {fd for fd in range(signed32(task.args[0])) if any(one >> fd & 1 for one in sets)}
    return bool(asked) and all(task.files.stream(fd) for fd in asked)


def _next_outside(replayer: "Replayer", task: Task, entry: Entry, hook: Hook) -> Entry:
    """Between threads, a wait for nothing but what is outside is answered by the next that has it
    ready: those before were waits for the threads' own pipes, of which there are fewer this time."""
    if not task.has_shared_work or not _asks_outside_only(task, hook):
        return entry
    left = task.script.left((entry.event.call, None))
    return next((one for one in left if _is_external_ready(replayer, task, one.event, hook)), entry)


# ------------------------------------------------------------------ entry and exit

def perform_poll(replayer: "Replayer", task: Task, entry: Entry) -> None:
    """Wait for what is the experiment's own, or answer at once."""
    task.matched = entry = _next_outside(replayer, task, entry, task.call.hook if task.call else Hook.NONE)
    if _was_interrupted(replayer, task, entry) or wait_freely(replayer, task, entry):
        return
    event, hook = entry.event, task.call.hook if task.call else Hook.NONE
    waits = event.result > 0 and (
        _wait_poll(task, event) if hook is Hook.POLL else
        _wait_select(task, event) if hook is Hook.SELECT else _wait_epoll(replayer, task, event))
    if not waits:
        replayer.emulate(task, entry)


def end_poll(task: Task, entry: Entry) -> None:
    """The log tells what was ready."""
    if entry.event.result >= 0:
        put_outputs(task, entry.event)
    task.give(entry.event.result)


def perform_epoll_ctl(replayer: "Replayer", task: Task, entry: Entry) -> None:
    """External descriptors are only remembered, by their data words."""
    if not task.files.stream(signed32(task.args[2])):
        task.want_exit = True
        return
    event = memory.read(task.tid, task.args[3], _EPOLLED.size) if task.args[1] != _EPOLL_CTL_DEL else None
    if event is not None:
        data = int(_EPOLLED.unpack(event)[1])
        replayer.watched.setdefault(_epoll(task), set()).add(data)
    replayer.emulate(task, entry)


def forget_epoll(replayer: "Replayer", task: Task) -> None:
    """At a close's entry-stop: the next epoll descriptor of that number is another."""
    replayer.watched.pop(_epoll(task), None)
