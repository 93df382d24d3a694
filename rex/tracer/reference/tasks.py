"""Tasks, their address spaces and the external descriptors of their processes."""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass, field
from typing import Callable, Iterator

from rex.log.records import Event, Field
from rex.syscalls import CALLS, Call
from rex.tracer.reference import kernel
from rex.tracer.reference.kernel import CLONE_FILES, CLONE_VM, signed32
from rex.tracer.reference.script import Entry, Script

NO_CALL = -1
# ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND, ERESTART_RESTARTBLOCK: a signal interrupted the call.
INTERRUPTED = frozenset((-512, -513, -514, -516))
_ARGUMENTS = ("rdi", "rsi", "rdx", "r10", "r8", "r9")
SYSCALL_BYTES = 2                    # length of the syscall instruction

CallState = enum.Enum("CallState", "NONE ENTERED IGNORED")


def is_cut_short(task: "Task") -> bool:
    """At a signal's stop: whether it interrupted a call, which may be made again."""
    registers = kernel.registers(task.tid)
    return signed32(registers.orig_rax) != NO_CALL and signed32(registers.rax) in INTERRUPTED


def call_asleep(task: "Task") -> int:
    """The number of the call that a task sleeps in."""
    try:
        with open(f"/proc/{task.tid}/syscall", "rb") as file:
            return int(file.read().split()[0])
    except (OSError, ValueError):
        return NO_CALL


def _is_in_mask(task: "Task", which: str, signal: int) -> bool:
    """One of the masks in /proc/TID/status; of a task that has ended all are empty."""
    try:
        with open(f"/proc/{task.tid}/status", encoding="ascii", errors="replace") as file:
            mask = next((int(line.split()[1], 16) for line in file if line.startswith(which)), 0)
    except OSError:
        return False
    return bool(mask >> signal - 1 & 1)


def blocks(task: "Task", signal: int) -> bool:
    """Whether the signal has to wait until the task lets it in."""
    return _is_in_mask(task, "SigBlk:", signal)


def catches(task: "Task", signal: int) -> bool:
    """Whether the signal has a handler."""
    return _is_in_mask(task, "SigCgt:", signal)


def ran_ns(task: "Task") -> int:
    """How long it has had a processor; 0 where the kernel does not tell."""
    try:
        with open(f"/proc/{task.tid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0])
    except (OSError, ValueError, IndexError):
        return 0


def state_of(task: "Task") -> str:
    """As in /proc: R runs, S sleeps, t is stopped; ? if it has ended."""
    try:
        with open(f"/proc/{task.tid}/stat", "rb") as file:
            return file.read().rpartition(b") ")[2][:1].decode() or "?"
    except OSError:
        return "?"


class Descriptors:
    """External descriptors of a process; those not listed are plain or internal."""

    def __init__(self, streams: dict[int, int] | None = None) -> None:
        self._streams = dict(streams or {})

    def copy(self) -> "Descriptors":
        """What fork makes of it."""
        return Descriptors(self._streams)

    def __iter__(self) -> Iterator[int]:
        return iter(list(self._streams))

    def stream(self, fd: int) -> int:
        """The stream behind a descriptor, 0 if it is not external."""
        return self._streams.get(fd, 0)

    def set(self, fd: int, stream: int) -> None:
        """Stream 0 forgets the descriptor."""
        if stream:
            self._streams[fd] = stream
        else:
            self._streams.pop(fd, None)

    @property
    def is_watched(self) -> bool:
        """Whether some are external that the filter cannot know: then every call must stop."""
        return any(fd > 2 for fd in self._streams)

    def prune(self, tid: int) -> None:
        """Forget what exec closed."""
        for fd in self:
            if not os.path.lexists(f"/proc/{tid}/fd/{fd}"):
                self.set(fd, 0)


class Space:
    """One address space: where its room for paths begins, 0 without; the loader's code."""

    def __init__(self, scratch: int = 0, loader: range = range(0)) -> None:
        self.scratch = scratch
        self.loader = loader


@dataclass(eq=False)
class Task:
    """One process, and the call that it is in.

    Attributes:
        children: ordinal of the next child.
        by_entry_stop: the call was entered by a syscall-stop, so its seccomp-stop is still to come.
        regs, nr, args: at entry. deref: the number that a *argument pointed to then.
        pending: record: an interrupted call that may be restarted; its event is not yet written.
        returned_at: record: the instruction after the call of the last event, 0 after others.
        interrupted: record: the last signal, and rip and rsp where it came.
        executed: record: it runs a program of its own.
        user_us, system_us: record: at its end: processor time, with the children it waited for.
        exec_fields: record: what execve's event gets, read before the exec.
        is_stopped: by SIGSTOP and the like, with its process.
        matched, injected: replay: the call's event; a signal on its way.
        owed: replay: signals that were blocked when sent.
        awaits_unblock: replay: whether its next event is a signal that comes as rt_sigprocmask lets it in.
        step, skipped: replay: the step that it belongs to; whether that step does not run.
    """

    tid: int
    index: int
    files: Descriptors
    space: Space
    children: int = 0
    alive: bool = True
    started: bool = False
    stepping: bool = False
    state: CallState = CallState.NONE
    want_exit: bool = False
    by_entry_stop: bool = False
    regs: kernel.Registers = field(default_factory=kernel.Registers)
    nr: int = NO_CALL
    args: tuple[int, ...] = (0,) * 6
    stream: int = 0
    deref: int = 0
    path: bytes | None = None
    path2: bytes | None = None
    resolved: bytes | None = None
    resolved2: bytes | None = None
    held: bool = False
    # record
    created: bool = False
    exec_fields: list[Field] = field(default_factory=list)
    exec_refused: int = 0
    pending: Event | None = None
    siginfo: bytes = b""
    returned_at: int = 0
    interrupted: tuple[int, int, int] = (0, 0, 0)
    executed: bool = False
    user_us: int = 0
    system_us: int = 0
    is_stopped: bool = False
    # replay
    script: Script = None             # type: ignore[assignment]  # given at birth
    awaits_unblock: Callable[[], bool] = bool
    matched: Entry | None = None
    injected: Entry | None = None
    owed: dict[int, Entry] = field(default_factory=dict)
    child_tid_at: int = 0
    scratch_due: bool = False
    last_stop_ns: int = 0
    step: Script | None = None
    skipped: bool = False

    @property
    def is_in_loader(self) -> bool:
        """Whether it is stopped in its program's loader, whose readings of the counter are not logged."""
        return kernel.registers(self.tid).rip in self.space.loader

    @property
    def call(self) -> Call | None:
        """The declaration of the call in progress, None if it is newer than the table."""
        return CALLS.get(self.nr)

    def read_call(self) -> None:
        """At an entry-stop: take number and arguments from the registers."""
        self.regs = kernel.registers(self.tid)
        self.nr = signed32(self.regs.orig_rax)
        self.args = tuple(getattr(self.regs, name) for name in _ARGUMENTS)

    def find_stream(self) -> bool:
        """Whether a descriptor among the arguments is external; sets `stream`."""
        call = self.call
        mask = call.fd_args if call else 0
        streams = (self.files.stream(signed32(self.args[i])) for i in range(6) if mask & 1 << i)
        self.stream = next(filter(None, streams), 0)
        return self.stream != 0

    def resume(self, signal: int = 0) -> None:
        """Run on, to the exit-stop where one is wanted."""
        to_next_call = self.want_exit or self.files.is_watched or self.awaits_unblock()
        if not to_next_call:
            self.state = CallState.NONE
        kernel.resume(self.tid, signal, to_next_call)

    def _changed(self, values: dict[str, int]) -> None:
        changed = kernel.Registers.from_buffer_copy(self.regs)
        for name, value in values.items():
            setattr(changed, name, value)
        kernel.set_registers(self.tid, changed)

    def skip(self, result: int) -> None:
        """At an entry-stop: number -1 makes the kernel return what is in rax."""
        self.give(result)
        self.state = CallState.IGNORED
        self.want_exit = False

    def rewind(self) -> None:
        """Back to the syscall instruction: the call comes again."""
        self._changed({"orig_rax": -1, "rax": self.nr, "rip": self.regs.rip - SYSCALL_BYTES})
        self.state = CallState.IGNORED
        self.want_exit = False

    def give(self, result: int) -> None:
        """The result, and arguments as the program passed them; -1: no restart of what is in their place."""
        self._changed({"orig_rax": -1, "rax": result})

    def substitute(self, nr: int, *args: int, **registers: int) -> None:
        """At an entry-stop: run another call, by leading arguments or by single registers."""
        self._changed({"orig_rax": nr, **dict(zip(_ARGUMENTS, args)), **registers})
        self.want_exit = True


class Tasks:
    """All tasks; those that have ended stay, for as long as others name them."""

    def __init__(self) -> None:
        self._alive: dict[int, Task] = {}
        self._all: list[Task] = []
        self._next_index = 0

    def __bool__(self) -> bool:
        return bool(self._alive)

    def __iter__(self) -> Iterator[Task]:
        """The living, newest first."""
        return iter(list(self._alive.values())[::-1])

    def named(self) -> Iterator[Task]:
        """The living, and then those that have ended, newest first."""
        yield from self
        yield from (task for task in reversed(self._all) if not task.alive)

    def get(self, tid: int) -> Task | None:
        """The living task of that number."""
        return self._alive.get(tid)

    def add(self, tid: int, parent: Task | None, flags: int) -> Task:
        """A new task, made with clone's flags; the first has no parent."""
        if parent is None:
            files, space = Descriptors(), Space()
        else:
            files = parent.files if flags & CLONE_FILES else parent.files.copy()
            space = parent.space if flags & CLONE_VM else Space(parent.space.scratch, parent.space.loader)
        task = Task(tid, self._next_index, files, space)
        self._all.append(task)
        self._next_index += 1
        self._alive[tid] = task
        return task

    def end(self, task: Task) -> None:
        """It has ended."""
        task.alive = False
        self._alive.pop(task.tid, None)

    def execed(self, task: Task) -> None:
        """A new program: its own address space and descriptors."""
        task.space = Space()
        task.files = task.files.copy()
        task.files.prune(task.tid)
