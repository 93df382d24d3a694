"""Replay: signals come where the log has them, and no sooner than their senders sent them."""

from __future__ import annotations

import errno
import os
import signal
import time
from collections import Counter

from rex.log.records import SIGNAL, Event, Moment
from rex.syscalls import BY_NAME
from rex.tracer.reference import kernel, memory
from rex.tracer.reference.kernel import signed32
from rex.tracer.reference.script import Entry, Log, code_and_pid, is_fault, number_of
from rex.tracer.reference.tasks import Task, blocks, call_asleep, is_cut_short, state_of

PATIENCE_NS = 60_000_000
_LONG_PATIENCE_NS = 3_000_000_000

_BY_GROUP = frozenset((BY_NAME["tgkill"].nr, BY_NAME["rt_tgsigqueueinfo"].nr))
_BY_DESCRIPTOR = BY_NAME["pidfd_send_signal"].nr
_WRITE, _SIGTIMEDWAIT = BY_NAME["write"].nr, BY_NAME["rt_sigtimedwait"].nr
_RESTART = BY_NAME["restart_syscall"].nr
_ALL_BITS = 2**64 - 1
_SENT_BY_NOBODY = frozenset((-2, -3, -4))       # SI_TIMER, SI_MESGQ, SI_ASYNCIO
_STOPS = frozenset((5, 6))                      # CLD_STOPPED, CLD_CONTINUED
_SIGNALS = 63


class Signals:
    """What has been sent, and what is on its way."""

    def __init__(self, log: Log) -> None:
        self._log = log
        # By recorded process and number; process 0 stands for one that is not known.
        self._sent: Counter[tuple[int, int]] = Counter()

    def is_sent_to(self, task: Task, number: int) -> bool:
        """Whether a process of the experiment has sent it, and it has not come yet."""
        return self._sent[task.script.tid, number] + self._sent[0, number] > 0

    def note_sent(self, task: Task) -> None:
        """A call of the kill family succeeded: its target may now have the signal."""
        at = 1 if task.nr in _BY_GROUP else 0
        pid, number = signed32(task.args[at]), task.args[at + 1] & _SIGNALS
        target = self._log.named(pid) if pid > 0 and task.nr != _BY_DESCRIPTOR else None
        self._sent[target.tid if target else 0, number] += 1

    def _is_sent(self, task: Task, info: bytes) -> bool:
        """A signal between processes of the experiment is not due before its sender has sent
        it, nor a child's end before the child has ended."""
        code, pid = code_and_pid(info)
        number = number_of(info)
        by_process = code <= 0 or number == signal.SIGCHLD
        sender = self._log.named(pid) if by_process else None
        if sender is None or code in _SENT_BY_NOBODY:
            return True
        if code > 0:
            return sender.exit is None or sender.exit.is_done or code in _STOPS
        return self.is_sent_to(task, number)

    def is_due(self, task: Task, all_sleep: bool) -> Entry | None:
        """The task's next event, if it is a signal that no call waits for: the task sleeps
        or computes until it comes."""
        script, entry = task.script, task.script.next()
        if (entry is None or not entry.is_asynchronous or task.injected is entry or task.held
                or script.birth is None or not self._is_sent(task, entry.info)):
            return None
        before = script.entries[entry.place - 1].event if entry.place else script.birth
        waited_ns = time.monotonic_ns() - task.last_stop_ns
        if (entry.event.args[2] == Moment.IN_UNSEEN_CALL and waited_ns < _LONG_PATIENCE_NS
                and not _sleeps_there(task, entry)):
            return None               # it is on its way to that call
        is_late = waited_ns > PATIENCE_NS and (all_sleep or waited_ns > entry.event.time_ns - before.time_ns)
        return entry if is_late else None

    def _note_arrived(self, task: Task, number: int) -> None:
        key = task.script.tid, number
        if self._sent[key]:
            self._sent[key] -= 1

    def note_answer(self, task: Task, event: Event) -> None:
        """A signal may have come as the answer of a call."""
        if event.call == _SIGTIMEDWAIT and event.result > 0:
            self._note_arrived(task, event.result)

    def send(self, task: Task, entry: Entry) -> None:
        """Send it now; a stopped process has it as it goes on: what let it do so the log does not have if this ended it."""
        self._note_arrived(task, entry.signal)
        task.injected = entry
        if not kernel.send_signal(task.tid, task.tid, entry.signal):
            entry.is_done = True
        elif task.is_stopped:
            os.kill(task.tid, signal.SIGCONT)

    def send_before(self, task: Task, following: Entry | None) -> bool:
        """Send a signal that came before the call that begins; whether the call must come again."""
        if following and following.is_asynchronous and task.injected is not following:
            self.send(task, following)
            if task.injected:
                task.rewind()
                return True
        elif task.injected:           # it is blocked, and will come when it is not
            task.owed[task.injected.signal] = task.injected
            task.injected.is_done = True
            task.injected = None
        return False

    def send_after(self, task: Task, entry: Entry) -> bool:
        """Send the signal that the log has next after an event; whether there is one."""
        following = task.script.after(entry)
        if following is None or task.injected or not following.is_asynchronous:
            return False
        self.send(task, following)
        return True

    def send_with(self, task: Task, entry: Entry) -> None:
        """A signal that came as the call returned, or as the handler of the one before began, comes so again: the
        program may look for it at once."""
        moment = Moment.AT_HANDLER if entry.signal else Moment.WITH_LAST_EVENT
        following = task.script.after(entry)
        if following and following.event.call == SIGNAL and following.event.args[2] == moment:
            self.send_after(task, entry)

    def send_at_unblock(self, task: Task) -> None:
        """As the call begins that lets in the task's next signal: it comes as that returns."""
        following = task.script.next() if task.awaits_unblock() else None
        if (following and task.injected is not following and task.regs.rsp == following.event.result & _ALL_BITS
                and self._is_let_in(task, following)):
            self.send(task, following)

    def _is_let_in(self, task: Task, entry: Entry) -> bool:
        """Whether its place is this call. A call that sets the same mask, and does not query the old one, was taken for such,
        too, if the signal came as it was made."""
        if not _lets_in(task, entry.signal):
            return False
        return blocks(task, entry.signal) or (not task.args[2] and self._is_sent(task, entry.info))

    def take(self, task: Task, number: int) -> bool:
        """Whether to deliver a signal that has come.

        Signals come from the log; others only where nothing but the task itself causes them,
        and the end of a child where the log has it next.
        """
        if task.injected and task.injected.signal == number:
            entry, task.injected = task.injected, None
            return self._deliver(task, entry)
        owed = task.owed.pop(number, None)
        if owed:
            return self._deliver(task, owed)
        following = task.script.next()
        is_next = following is not None and following.signal == number
        if following and number == signal.SIGCHLD:
            return (is_next and self._is_sent(task, following.info) and not _is_too_early(task, following)
                    and self._deliver(task, following))
        if number == signal.SIGPIPE:
            return self._take_pipe(task)
        if not is_fault(number, kernel.signal_info(task.tid)):
            return False
        if following and is_next:
            following.is_done = True
        return True

    def _take_pipe(self, task: Task) -> bool:
        """A write broke a pipe. If the log has no such signal, its reader was faster to go than
        when recorded: then the write had succeeded, and nobody read it either."""
        left = next((e for e in task.script.entries[task.script.cursor:]
                     if e.signal == signal.SIGPIPE and not e.is_done), None)
        if left:
            return self._deliver(task, left)
        registers = kernel.registers(task.tid)
        is_own_pipe = not task.files.stream(signed32(registers.rdi))
        if not is_own_pipe or registers.orig_rax != _WRITE or registers.rax != -errno.EPIPE & _ALL_BITS:
            return True
        registers.rax, registers.orig_rax = registers.rdx, -1
        kernel.set_registers(task.tid, registers)
        return False

    def _deliver(self, task: Task, entry: Entry) -> bool:
        """With the facts that it had when recorded."""
        if entry.signal != signal.SIGSTOP:
            kernel.set_signal_info(task.tid, entry.info)
        entry.is_done = True
        self.send_with(task, entry)
        return True


def _lets_in(task: Task, number: int) -> bool:
    """Whether rt_sigprocmask lets in a signal that may have been blocked."""
    how, mask = signed32(task.args[0]), memory.read_int(task.tid, task.args[1]) if task.args[1] else None
    if mask is None:
        return False
    is_named = bool(mask >> number - 1 & 1)
    return is_named if how == signal.SIG_UNBLOCK else how == signal.SIG_SETMASK and not is_named


def _is_call(entry: Entry, number: int) -> bool:
    """The call that it interrupted."""
    return number in (entry.event.result, _RESTART)


def _sleeps_there(task: Task, entry: Entry) -> bool:
    """It sleeps where the signal came, and lets it in."""
    return state_of(task) == "S" and _is_call(entry, call_asleep(task)) and not blocks(task, entry.signal)


def _is_too_early(task: Task, entry: Entry) -> bool:
    """It is to end a sleep that no event shows, and the task does not sleep yet; or it comes as a call begins."""
    if entry.event.args[2] == Moment.AT_NEXT_CALL:
        return True
    is_there = is_cut_short(task) and _is_call(entry, kernel.registers(task.tid).orig_rax)
    return entry.event.args[2] == Moment.IN_UNSEEN_CALL and not is_there
