"""Record: signals, at the place where they are delivered.

A signal during a computation waits for the task's next call that the log has an event of: that place a replay
finds. Where there is no such call for long it comes as it would have.
"""

from __future__ import annotations

import errno
import signal
from collections import deque
from dataclasses import dataclass
from typing import Callable

from rex.log.records import SIGNAL, Event, Moment
from rex.syscalls import BY_NAME
from rex.tracer.reference import kernel, memory
from rex.tracer.reference.kernel import signed32
from rex.tracer.reference.script import code_and_pid, number_of
from rex.tracer.reference.tasks import (NO_CALL, SYSCALL_BYTES, Task, blocks, catches, is_cut_short, ran_ns,
                                        state_of)

_SIGPROCMASK = BY_NAME["rt_sigprocmask"].nr
_HAVE_MASK = frozenset(BY_NAME[name].nr for name in (
    "rt_sigsuspend", "rt_sigtimedwait", "rt_sigpending", "ppoll", "pselect6", "epoll_pwait", "epoll_pwait2"))
_SAVED_RIP = 8 + 40 + 16 * 8          # from a handler's stack pointer: return address, ucontext, registers
_SYSCALL_CODE = b"\x0f\x05"
_ALL_BITS = 2**64 - 1
_LONGEST_NS = 5_000_000
_BY_TGKILL = -6
# Caused by what the task does, which waits for it.
_OWN = frozenset((signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP, signal.SIGSYS,
                  signal.SIGPIPE, signal.SIGXFSZ))


@dataclass
class _Deferred:
    """A signal that is held back; ran_ns: what its task had computed by then."""

    info: bytes
    ran_ns: int
    is_sent: bool = False
    moment: Moment = Moment.BETWEEN_CALLS

    @property
    def number(self) -> int:
        """Which signal."""
        return number_of(self.info)


class Signals:
    """Writes signals, and holds back those that no replay could place."""

    def __init__(self, append: Callable[[Event], None], append_special: Callable[..., None]) -> None:
        self._append = append
        self._append_special = append_special
        self._deferred: dict[Task, deque[_Deferred]] = {}

    @property
    def holds_back(self) -> bool:
        """Whether `look` is wanted."""
        return any(not queue[0].is_sent for queue in self._deferred.values())

    def _write(self, task: Task, is_restarted: bool, moment: Moment) -> None:
        """Log it, but not a child's end that no handler waits for: without a tracer the kernel does not even report that."""
        if number_of(task.siginfo) == signal.SIGCHLD and not catches(task, signal.SIGCHLD):
            return
        registers = kernel.registers(task.tid)
        where = (signed32(registers.orig_rax) if moment is Moment.IN_UNSEEN_CALL
                 else registers.rsp if moment is Moment.AT_UNBLOCK else 0)
        self._append_special(SIGNAL, task, where, (number_of(task.siginfo), int(is_restarted), int(moment)),
                             task.siginfo)

    # -------------------------------------------------------------- stops

    def take(self, task: Task, number: int) -> bool:
        """At a signal's stop: write it, if it interrupted a call when it is known whether the call restarts; or hold it
        back. Whether it is to be delivered."""
        if task.stepping:             # another one before the first handler ran
            self.stepped(task)
        task.siginfo = kernel.signal_info(task.tid)
        registers = kernel.registers(task.tid)
        sent = self._take_sent(task)
        moment = sent.moment if sent and sent.moment else _moment_of(task, number, registers)
        if not sent and moment is Moment.BETWEEN_CALLS and _is_deferrable(task, number, registers):
            self._defer(task, number)
            return False
        if task.pending:
            task.stepping = True
        else:
            self._write(task, False, moment)
        task.interrupted = number, registers.rip, registers.rsp
        return True

    def stepped(self, task: Task) -> None:
        """After one step into a handler."""
        task.stepping = False
        is_at_return = _handler_returns_to(task, kernel.registers(task.tid).rsp) == task.regs.rip
        if task.pending and is_at_return:
            self._append(task.pending)
        task.pending = None
        self._write(task, not is_at_return, Moment.WITH_LAST_EVENT if is_at_return else Moment.BETWEEN_CALLS)

    def step_led_on(self, task: Task, is_restarted: bool) -> None:
        """The step into a handler led into a call, or to the end."""
        task.stepping = False
        self._write(task, is_restarted, Moment.BETWEEN_CALLS)

    # -------------------------------------------------------------- held back

    def _defer(self, task: Task, number: int) -> None:
        queue = self._deferred.setdefault(task, deque())
        is_pending = number < signal.SIGRTMIN and any(d.number == number and not d.is_sent for d in queue)
        if not is_pending:
            queue.append(_Deferred(task.siginfo, ran_ns(task)))

    def _drop_first(self, task: Task) -> None:
        queue = self._deferred[task]
        queue.popleft()
        if not queue:
            del self._deferred[task]

    def _send_first(self, task: Task) -> bool:
        first = self._deferred[task][0]
        first.is_sent = kernel.send_signal(task.tid, task.tid, first.number)
        return first.is_sent

    def _take_sent(self, task: Task) -> _Deferred | None:
        """The one that was held back and sent, if this is it: what it says is then as it was."""
        queue = self._deferred.get(task)
        first = queue[0] if queue else None
        code, pid = code_and_pid(task.siginfo)
        if (first is None or not first.is_sent or first.number != number_of(task.siginfo) or code != _BY_TGKILL
                or pid == task.tid):
            return None
        task.siginfo = first.info
        kernel.set_signal_info(task.tid, first.info)
        self._drop_first(task)
        return first

    def comes(self, task: Task) -> bool:
        """At the entry of a call that the log has an event of: whether one that was held back comes now, and the call
        is made after it."""
        queue = self._deferred.get(task)
        if not queue or queue[0].is_sent:
            return False
        is_blocked = blocks(task, queue[0].number)
        if (is_blocked and task.nr not in _HAVE_MASK) or not self._send_first(task) or is_blocked:
            return False
        queue[0].moment = Moment.AT_NEXT_CALL
        task.rewind()
        return True

    def look(self) -> None:
        """Let come what waits for a task that computes for long, or sleeps in a call that the log does not have."""
        for task, queue in list(self._deferred.items()):
            if not queue[0].is_sent and (state_of(task) == "S" or ran_ns(task) - queue[0].ran_ns > _LONGEST_NS):
                self._send_first(task)

    def ended(self, task: Task) -> None:
        """Nothing is left of it."""
        self._deferred.pop(task, None)


def _is_deferrable(task: Task, number: int, registers: kernel.Registers) -> bool:
    """Whether it came from outside, ended no call, and has a handler."""
    ends_call = signed32(registers.orig_rax) != NO_CALL and registers.rax == -errno.EINTR & _ALL_BITS
    code, pid = code_and_pid(task.siginfo)
    is_own = number in _OWN or (code == _BY_TGKILL and pid == task.tid)
    return not task.pending and not ends_call and not is_own and catches(task, number)


def _moment_of(task: Task, number: int, registers: kernel.Registers) -> Moment:
    """Where it came. A replay that sends it right after the last event has it delivered as that call returns, or as its
    own handler, which blocks it, returns to where it began."""
    if is_cut_short(task):
        return Moment.IN_UNSEEN_CALL
    if _is_nested(task, registers):
        return Moment.AT_HANDLER
    is_handled = task.interrupted == (number, registers.rip, registers.rsp)
    if registers.rip == task.returned_at or is_handled:
        return Moment.WITH_LAST_EVENT
    return Moment.AT_UNBLOCK if _lets_in(task, number, registers) else Moment.BETWEEN_CALLS


def _lets_in(task: Task, number: int, registers: kernel.Registers) -> bool:
    """Whether rt_sigprocmask has returned, and let the signal in that was blocked before: the mask that it returned says so,
    else the set. To ask only, or to set what was set, lets none in."""
    has_returned = memory.read(task.tid, registers.rip - SYSCALL_BYTES, SYSCALL_BYTES) == _SYSCALL_CODE
    if registers.orig_rax != _SIGPROCMASK or not has_returned:
        return False
    mask = memory.read_int(task.tid, registers.rdx or registers.rsi)
    if mask is None:
        return False
    is_named = bool(mask >> number - 1 & 1)
    return is_named if registers.rdx or signed32(registers.rdi) != signal.SIG_SETMASK else not is_named


def _handler_returns_to(task: Task, stack: int) -> int | None:
    """As a handler begins: the frame below tells it."""
    return memory.read_int(task.tid, stack + _SAVED_RIP)


def _is_nested(task: Task, registers: kernel.Registers) -> bool:
    """The handler of the signal before has not begun: the kernel has made its frame, which may make a call again, and
    found another signal."""
    number, rip, _ = task.interrupted
    return (number != 0 and registers.rdi == number
            and _handler_returns_to(task, registers.rsp) in (rip, rip - SYSCALL_BYTES))
