"""A call's data, read from and put into a tracee by the declaration in the table."""

from __future__ import annotations

import sys

from rex.log.records import IN, OUT, Event, Field
from rex.syscalls import BY_NAME, Arg, Call, Dir, NO_ARG, Policy, SizeKind
from rex.syscalls.ioctls import INNER, ioctl
from rex.tracer.reference import kernel, memory
from rex.tracer.reference.kernel import CLONE_UNTRACED, CLONE_VFORK, CLONE_VM
from rex.tracer.reference.messages import (capture_block, capture_message, capture_messages,
                                           capture_vectors, is_header, put_messages, put_sent, put_vectors)
from rex.tracer.reference.tasks import Task

_SIGCHLD = 17
_IOCTL, _PART_DATA = BY_NAME["ioctl"].nr, 0x20
_CLONE, _CLONE3, _VFORK = (BY_NAME[name].nr for name in ("clone", "clone3", "vfork"))
_TIME = BY_NAME["time"].nr


def fork_flags(task: Task) -> int:
    """clone's flags of the call that makes a task."""
    if task.nr == _VFORK:
        return CLONE_VM | CLONE_VFORK | _SIGCHLD
    if task.nr == _CLONE:
        return task.args[0]
    flags = memory.read_int(task.tid, task.args[0]) if task.nr == _CLONE3 else None
    return _SIGCHLD if flags is None else flags


def fork_traced(task: Task) -> None:
    """Have a child traced that its parent asks nobody to trace: the filter is its as well, and has no tracer to ask."""
    flags = fork_flags(task) if task.nr in (_CLONE, _CLONE3) else 0
    if not flags & CLONE_UNTRACED:
        return
    flags &= ~CLONE_UNTRACED
    if task.nr == _CLONE3:
        memory.write(task.tid, task.args[0], flags.to_bytes(8, "little"))
        return
    task.args = (flags, *task.args[1:])
    task.regs.rdi = flags
    kernel.set_registers(task.tid, task.regs)


def read_deref(task: Task, call: Call) -> None:
    """Keep the number that a *argument points to: the call may change it."""
    task.deref = 0
    for arg in call.args:
        if arg.size.kind is SizeKind.DEREF:
            task.deref = memory.read_int(task.tid, task.args[arg.size.arg], 4) or 0


def _block_size(task: Task, arg: Arg, kind: int, result: int) -> int:
    size = arg.size
    limit = task.args[size.arg] if size.arg != NO_ARG else sys.maxsize
    match size.kind:
        case SizeKind.CONST:
            return size.unit
        case SizeKind.ARG:
            return size.unit * limit
        case SizeKind.RET:
            return size.unit * min(max(result, 0), limit)
        case SizeKind.BITS:
            return ((limit & 0xFFFFFFFF) + 63) // 64 * 8
        case SizeKind.IOCTL:
            request = ioctl(limit)
            return request.in_bytes if kind == IN else request.out_bytes
        case SizeKind.DEREF:
            now = memory.read_int(task.tid, limit, 4) or 0
            return size.unit * (min(task.deref, now) if task.deref else now)
    return 0


def _capture(task: Task, call: Call, i: int, kind: int, result: int) -> list[Field]:
    arg, at, moved = call.args[i], task.args[i], max(result, 0)
    if not at:
        return []
    match arg.size.kind:
        case SizeKind.STRING:
            return []                 # names are read at entry
        case SizeKind.IOV:
            return capture_vectors(task.tid, i, kind, at, task.args[arg.size.arg], moved)
        case SizeKind.MSG:
            return capture_message(task.tid, i, kind, at, moved)
        case SizeKind.MMSG:
            return capture_messages(task.tid, i, kind, at, result)
    size = _block_size(task, arg, kind, result)
    if kind == IN and arg.word != "sockaddr" and call.policy is Policy.STREAM and result > 0:
        size = min(size, moved)       # what a short write took
    return capture_block(task.tid, i, kind, at, size)


def capture_outputs(task: Task, result: int) -> list[Field]:
    """All that the kernel stored for a call that has succeeded."""
    fields = _capture_all(task, result, OUT, (Dir.OUT, Dir.INOUT))
    inner = _inner_block(task) if result >= 0 else None
    if inner:
        size, at = inner
        fields += capture_block(task.tid, 2 | _PART_DATA, OUT, at, size)
    return fields


def _inner_block(task: Task) -> tuple[int, int] | None:
    """Size and place of what an ioctl has behind a pointer."""
    for inner in INNER if task.nr == _IOCTL else ():
        if inner.cmd != task.args[1] & 0xFFFFFFFF:
            continue
        at = memory.read_int(task.tid, task.args[2] + inner.pointer_at, 8)
        if not at:
            return None
        if inner.sub and memory.read_int(task.tid, at, 4) != inner.sub:
            continue
        where = (task.args[2] if inner.is_count_outside else at) + inner.count_at
        data = memory.read(task.tid, where, inner.count_bytes) if inner.count_bytes else None
        return inner.head + inner.unit * max(0, int.from_bytes(data or b"", "little", signed=True)), at
    return None


def capture_inputs(task: Task, result: int) -> list[Field]:
    """All that the program passed to a call that has succeeded."""
    return _capture_all(task, result, IN, (Dir.IN,))


def _capture_all(task: Task, result: int, kind: int, dirs: tuple[Dir, ...]) -> list[Field]:
    call = task.call
    if call is None or result < 0:
        return []
    return [one for i, arg in enumerate(call.args) if arg.dir in dirs
            for one in _capture(task, call, i, kind, result)]


def put_outputs(task: Task, event: Event) -> None:
    """Store in the tracee what the kernel stored when recorded."""
    call = task.call
    for i, arg in enumerate(call.args if call else ()):
        at, kind = task.args[i], arg.size.kind
        if kind is SizeKind.MMSG and arg.dir is Dir.IN:
            put_sent(task.tid, at, event, i)
        if arg.dir not in (Dir.OUT, Dir.INOUT) or not at:
            continue
        if kind in (SizeKind.MSG, SizeKind.MMSG):
            put_messages(task.tid, at, event, i, kind is SizeKind.MMSG)
            continue
        data = event.data(OUT, i)
        if data is None and task.nr == _TIME:      # answered as one that had it as its result only
            data = event.result.to_bytes(8, "little", signed=True)
        if data is None:
            continue
        if kind is SizeKind.IOV:
            put_vectors(task.tid, at, task.args[arg.size.arg], data)
        else:
            memory.write(task.tid, at, data)
    behind, inner = event.data(OUT, 2 | _PART_DATA), _inner_block(task)
    if behind and inner:
        memory.write(task.tid, inner[1], behind)


def is_same_input(task: Task, event: Event) -> bool:
    """Whether the tracee passes the bytes that it passed when recorded; headers hold addresses."""
    return all(is_header(data) or event.data(IN, arg) == data
               for arg, _, data in capture_inputs(task, event.result))
