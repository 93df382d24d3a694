"""Stops, signals and names of tasks: what record and replay share."""

from __future__ import annotations

import os
import resource
import signal
import threading
from typing import Any, Callable

from rex.errors import NotPermitted
from rex.tracer.plan import RECORD, Plan
from rex.tracer.reference import kernel, memory
from rex.tracer.reference.calls import fork_flags, fork_traced
from rex.tracer.reference.limits import refuse
from rex.tracer.reference.spawn import Spawned, Standard
from rex.tracer.reference.tasks import CallState, Task, Tasks

# Python's os has no names for these. Another thread's children are not ours to wait for.
_WALL, _WNOTHREAD = 0x40000000, 0x20000000
_BEAT_S = 0.01
_SYSCALL_STOP = signal.SIGTRAP | 0x80
_GROUP_STOPS = frozenset((signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU))
_IGNORED = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTOU, signal.SIGTTIN)
_PASSED = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


class Handler:
    """What is done at each stop: recording or replay.

    Attributes:
        tasks: all tasks, kept by the loop.
        standard: the tracee's standard streams.
    """

    def __init__(self, standard: Standard) -> None:
        self.tasks = Tasks()
        self.standard = standard

    @property
    def is_patient(self) -> bool:
        """Whether no `idle` calls are wanted."""
        return False

    def become(self) -> None:
        """In the tracee, before its first exec."""

    def born(self, parent: Task | None, task: Task, flags: int) -> None:
        """A task has been made."""

    def start(self, task: Task) -> None:
        """A task is at its first stop."""

    def entry(self, task: Task) -> None:
        """A call begins. It runs unless it is skipped, and waits if `task.held`."""

    def exit(self, task: Task, result: int) -> None:
        """A call has ended whose exit-stop was wanted."""

    def execed(self, task: Task) -> None:
        """A new program is loaded and has not yet run."""

    def signal(self, task: Task, number: int) -> bool:
        """Whether to deliver it."""
        return True

    def stepped(self, task: Task) -> None:
        """The single step that was asked for is done."""

    def ended(self, task: Task, status: int) -> None:
        """A task has ended with this wait status."""

    def tsc(self, task: Task, with_aux: bool) -> tuple[int, int]:
        """The time stamp counter, and ecx of rdtscp."""
        return 0, 0

    def settle(self) -> None:
        """After each report of the kernel."""

    def idle(self) -> None:
        """No report for a while."""


class Loop:
    """Runs one plan under a handler, in the thread that makes it: the kernel takes
    ptrace calls from no other."""

    def __init__(self, plan: Plan, handler: Handler) -> None:
        self._plan = plan
        self._handler = handler
        self._tasks = handler.tasks
        self._first = 0
        self._status = 0
        # Tasks whose first stop came before their parent's event.
        self._early: set[int] = set()

    def run(self) -> int:
        """Wait status of the first process, when all tracees have ended.

        Raises:
            NotPermitted: the kernel does not let us trace.
            Unsupported: the program does what this engine refuses.
        """
        signals = _Signals(self._plan.mode == RECORD, self._forward)
        try:
            self._spawn()
            while self._tasks:
                self._take(*self._wait_one())
                self._handler.settle()
        finally:
            self._kill_all()
            signals.restore()
        return self._status

    def _spawn(self) -> None:
        handler = self._handler
        spawned = Spawned(self._plan, handler.standard, handler.become)
        try:
            problem = kernel.seize(spawned.pid)
            if problem:
                os.kill(spawned.pid, signal.SIGKILL)
                os.waitpid(spawned.pid, 0)
                raise NotPermitted("tracing is not permitted here", os.strerror(problem), "see: rex doctor")
            self._first = spawned.pid
            task = self._tasks.add(spawned.pid, None, 0)
            handler.born(None, task, 0)
            spawned.open_gate()
        finally:
            spawned.close()

    def _forward(self, number: int) -> None:
        if self._first:
            _kill(self._first, number)

    def _kill_all(self) -> None:
        """No tracee outlives its tracer, and no zombie stays."""
        left = {task.tid for task in self._tasks} | self._early
        for tid in left:
            _kill(tid)
        while left:
            try:
                tid, status = os.waitpid(-1, _WALL | _WNOTHREAD)
            except ChildProcessError:
                return
            if os.WIFSTOPPED(status):
                _kill(tid)            # made while we killed its parent
            else:
                left.discard(tid)

    # -------------------------------------------------------------- reports of the kernel

    def _wait_one(self) -> tuple[int, int, resource.struct_rusage]:
        """One report; while patient, wait for as long as it takes."""
        if self._handler.is_patient:
            return os.wait4(-1, _WALL | _WNOTHREAD)
        while True:
            tid, status, used = os.wait4(-1, _WALL | _WNOTHREAD | os.WNOHANG)
            if tid:
                return tid, status, used
            if signal.sigtimedwait((signal.SIGCHLD,), _BEAT_S) is None:
                self._handler.idle()

    def _take(self, tid: int, status: int, used: resource.struct_rusage) -> None:
        task = self._tasks.get(tid)
        if not os.WIFSTOPPED(status):
            self._early.discard(tid)
            if task:
                task.user_us, task.system_us = round(used.ru_utime * 1e6), round(used.ru_stime * 1e6)
            self._ended(tid, task, status)
        elif task:
            self._stop(task, os.WSTOPSIG(status), status >> 16)
        else:
            self._early.add(tid)

    def _ended(self, tid: int, task: Task | None, status: int) -> None:
        if tid == self._first:
            self._status = status
        if task:
            self._handler.ended(task, status)
            self._tasks.end(task)

    def _stop(self, task: Task, number: int, event: int) -> None:
        if number == _SYSCALL_STOP:
            self._syscall_stop(task)
        elif event == kernel.PTRACE_EVENT_SECCOMP:
            if task.state is not CallState.NONE and task.by_entry_stop:
                task.resume()         # its entry-stop came just before
            else:
                self._enter(task, False)
        elif event in kernel.EVENT_BIRTHS:
            self._born(task)
        elif event == kernel.PTRACE_EVENT_EXEC:
            self._execed(task)
        elif event == kernel.PTRACE_EVENT_STOP:
            self._event_stop(task, number)
        elif event:
            task.resume()
        else:
            self._signal_stop(task, number)

    def _syscall_stop(self, task: Task) -> None:
        is_exit = kernel.is_exit_stop(task.tid)
        if is_exit is None:
            is_exit = task.state is not CallState.NONE
        if is_exit:
            self._leave(task)
        else:
            self._enter(task, True)

    def _enter(self, task: Task, by_entry_stop: bool) -> None:
        task.read_call()
        refuse(task)
        fork_traced(task)
        task.state = CallState.ENTERED
        task.by_entry_stop = by_entry_stop
        task.want_exit = False
        self._handler.entry(task)
        if not task.held:
            task.resume()

    def _leave(self, task: Task) -> None:
        if task.state is CallState.ENTERED and task.want_exit:
            result = kernel.registers(task.tid).rax
            task.want_exit = False
            task.state = CallState.NONE
            self._handler.exit(task, result - (1 << 64) if result >> 63 else result)
        task.state = CallState.NONE
        if not task.held:
            task.resume()

    def _event_stop(self, task: Task, number: int) -> None:
        if not task.started:
            task.started = True
            self._handler.start(task)
        task.is_stopped = number in _GROUP_STOPS
        if not task.is_stopped:
            task.resume()
            return
        kernel.listen(task.tid)
        if task.tid == self._first and self._plan.mode == RECORD:
            os.kill(os.getpid(), signal.SIGSTOP)   # we stop with our program, as a shell expects

    def _born(self, parent: Task) -> None:
        flags = fork_flags(parent)
        child = self._tasks.add(kernel.event_message(parent.tid), parent, flags)
        self._handler.born(parent, child, flags)
        if child.tid in self._early:
            self._early.remove(child.tid)
            child.started = True
            self._handler.start(child)
            child.resume()
        parent.resume()

    def _execed(self, task: Task) -> None:
        self._tasks.execed(task)
        self._handler.execed(task)
        task.want_exit = False
        task.state = CallState.IGNORED
        task.resume()

    # -------------------------------------------------------------- signals

    def _signal_stop(self, task: Task, number: int) -> None:
        if number == signal.SIGTRAP and task.stepping:
            task.stepping = False
            self._handler.stepped(task)
            task.resume()
        elif number == signal.SIGSEGV and self._emulate_tsc(task):
            task.resume()
        else:
            deliver = number if self._handler.signal(task, number) else 0
            if deliver and task.stepping:
                kernel.step(task.tid, deliver)
            else:
                task.resume(deliver)

    def _emulate_tsc(self, task: Task) -> bool:
        """rdtsc and rdtscp fault, because the first process asked for that."""
        registers = kernel.registers(task.tid)
        code = memory.read(task.tid, registers.rip, 3) or memory.read(task.tid, registers.rip, 2) or b""
        with_aux = code == b"\x0f\x01\xf9"
        if not with_aux and not code.startswith(b"\x0f\x31"):
            return False
        value, auxiliary = self._handler.tsc(task, with_aux)
        registers.rax, registers.rdx = value & 0xFFFFFFFF, value >> 32
        if with_aux:
            registers.rcx = auxiliary
        registers.rip += 3 if with_aux else 2
        kernel.set_registers(task.tid, registers)
        return True


def _kill(tid: int, number: int = signal.SIGKILL) -> None:
    try:
        os.kill(tid, number)
    except ProcessLookupError:
        pass


class _Signals:
    """Our own signals during a run.

    While recording, the terminal's signals are for the program, which gets them
    itself, and those sent to us are passed on. We ignore by handlers that do
    nothing: exec resets those, so the program does not inherit them.
    """

    def __init__(self, is_recording: bool, forward: Callable[[int], None]) -> None:
        self._saved: dict[int, Any] = {}
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGCHLD,))
        if is_recording and threading.current_thread() is threading.main_thread():
            for number in _IGNORED:
                self._set(number, lambda _number, _frame: None)
            for number in _PASSED:
                self._set(number, lambda number, _frame: forward(number))

    def _set(self, number: int, handler: Callable[[int, Any], None]) -> None:
        if signal.getsignal(number) is not signal.SIG_IGN:
            self._saved[number] = signal.signal(number, handler)

    def restore(self) -> None:
        """As before the run."""
        for number, handler in self._saved.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
