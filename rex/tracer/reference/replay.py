"""Replay: the log in, answers to stops out.

Each task has its own queue of events. A call takes the first event left that
is equal in call and key (path, stream, clock). Between processes, events that others can
see keep the order of the log: a task that comes early is held.
"""

from __future__ import annotations

import errno
import os
import signal
import time

from rex.log.records import SIGNAL, TSC
from rex.syscalls import BY_NAME, Call, Hook, Policy
from rex.tracer.plan import Plan, Report
from rex.tracer.reference import memory, paths
from rex.tracer.reference.callkeys import CallKey, key_of
from rex.tracer.reference.calls import put_outputs
from rex.tracer.reference.descriptors import closes_pipe, is_descriptor_call, is_unlogged, note_closing, note_duplicate
from rex.tracer.reference.limits import unsupported
from rex.tracer.reference.loop import Handler
from rex.tracer.reference.overlay import Overlay
from rex.tracer.reference.replay_calls import (end_call, end_free_search, is_output, perform_call, perform_unmatched,
                                               scratch_made)
from rex.tracer.reference.replay_clock import go_on
from rex.tracer.reference.replay_files import execed
from rex.tracer.reference.replay_poll import forget_epoll
from rex.tracer.reference.replay_signals import PATIENCE_NS, Signals
from rex.tracer.reference.replay_state import ReplayState
from rex.tracer.reference.script import Entry, Log, Script
from rex.tracer.reference.replay_steps import Steps
from rex.tracer.reference.spawn import Standard
from rex.tracer.reference.tasks import INTERRUPTED, Task, state_of

_RESTART = BY_NAME["restart_syscall"].nr
_SIGPROCMASK = BY_NAME["rt_sigprocmask"].nr
_CLONE3, _FORKS = BY_NAME["clone3"].nr, frozenset((BY_NAME["fork"].nr, BY_NAME["vfork"].nr))
_CLONE_PARENT_SETTID, _CLONE_CHILD_SETTID = 0x00100000, 0x01000000
_ARGS_CHILD_TID, _ARGS_PARENT_TID = 16, 24      # in struct clone_args
_TSC_KEY: CallKey = (TSC, None)


class Replayer(Handler):
    """Tells each task what the log says."""

    def __init__(self, plan: Plan, standard: Standard) -> None:
        super().__init__(standard)
        log, report = Log(plan.log), Report()
        if log.has_threads:
            raise unsupported("threads")
        self._has_stdin = not plan.no_stdin
        self.state = ReplayState(log, report, Overlay(plan, report), Signals(log), standard, self.tasks)
        self.steps = Steps(plan, log)

    def finish(self, status: int) -> Report:
        """What there is to report."""
        self.state.report.status = status
        # Of tasks that there never were: a replay that follows its log to the end has none of them.
        for script in self.state.log.scripts_from(0) if self.state.report.divergences else []:
            self._miss_outputs(script)
        return self.state.report

    def become(self) -> None:
        """The terminal's signals are for us; descriptors that came from outside are stood in for."""
        os.setsid()
        inherited = [fd for fd, _ in self.state.log.script(0).inherited()]
        for fd in (0, 1, 2):
            os.set_inheritable(fd, fd in inherited or (fd == 0 and self._has_stdin))
        for fd in inherited:
            if fd > 2:
                null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
                if null == fd:
                    os.set_inheritable(fd, True)
                else:
                    os.dup2(null, fd)
                    os.close(null)

    def _miss_outputs(self, script: Script) -> None:
        """What the log has as written, and never was."""
        for entry in script.entries[script.cursor:]:
            if not entry.is_done and entry.event.result > 0 and is_output(entry.event.stream, entry.event.call):
                self.state.mismatched(entry)

    def signal(self, task: Task, number: int) -> bool:
        """The log says when signals come."""
        task.last_stop_ns = time.monotonic_ns()
        return self.state.signals.take(task, number)

    # -------------------------------------------------------------- calls

    def entry(self, task: Task) -> None:
        """Find the call's event, and do by it."""
        call, following = task.call, task.script.next()
        task.last_stop_ns = time.monotonic_ns()
        task.matched = None
        task.stream = 0
        if task.skipped:
            return                    # it exits
        if call is None:
            task.skip(-errno.ENOSYS)
            return
        if task.nr == _SIGPROCMASK:
            self.state.signals.send_at_unblock(task)
        is_external, ends_pipe = task.find_stream(), closes_pipe(task)
        if task.nr == _RESTART or is_unlogged(task, is_external, ends_pipe):
            return
        if is_descriptor_call(task) and not ends_pipe:
            note_closing(task)
            if call.hook is Hook.CLOSE:
                forget_epoll(self.state, task)
            task.want_exit = True
            return
        if not self.state.signals.send_before(task, following):
            self._answer(task, call)

    def _answer(self, task: Task, call: Call) -> None:
        paths.read_names(task)
        key = key_of(call, task.path, task.stream, task.args)
        task.matched = self._match(task, key)
        if task.matched:
            self._perform(task, task.matched)
        else:
            self._unmatched(task, call, key)

    def _match(self, task: Task, key: CallKey) -> Entry | None:
        found, expected = task.script.find(key), task.script.next()
        if found and found is not expected and not found.is_ordered:
            self.state.diverged(task, expected, "skipped")
        return found

    def _is_doomed(self, task: Task) -> bool:
        ending = task.script.exit
        return bool(ending and ending.event.result & 0x7F == signal.SIGKILL and not task.script.next())

    def _unmatched(self, task: Task, call: Call, key: CallKey) -> None:
        """The answer given last to an equal call may do."""
        if self._is_doomed(task):
            os.kill(task.tid, signal.SIGKILL)
            return
        last = task.script.last(key) if call.policy is Policy.EMULATE else None
        self.state.diverged(task, None, "repeated" if last else "not in the log")
        if last:
            put_outputs(task, last.event)
            go_on(task)
            task.skip(last.event.result)
            return
        if is_output(task.stream, task.nr):
            self.state.mismatched(task.script.next(), task.stream)
        perform_unmatched(self.state, task, call)

    def _is_ready(self, task: Task, entry: Entry) -> bool:
        return self.state.log.is_turn(entry)

    def _perform(self, task: Task, entry: Entry) -> None:
        task.held = not self._is_ready(task, entry)
        if not task.held:
            perform_call(self.state, task, entry)

    def exit(self, task: Task, result: int) -> None:
        """Correct what the kernel answered."""
        task.last_stop_ns = time.monotonic_ns()
        if task.scratch_due:
            scratch_made(task, result)
        elif is_descriptor_call(task):
            note_duplicate(task, result)
        elif result in INTERRUPTED and not task.injected:
            task.rewind()             # by a signal that the log does not have here: again, once that is dropped
        elif task.matched:
            self._correct(task, task.matched, result)
        elif task.call and task.call.hook is Hook.WAIT:
            end_free_search(self.state, task, result)

    def _correct(self, task: Task, entry: Entry, result: int) -> None:
        end_call(self.state, task, entry, result)
        if entry.is_done:
            self.state.signals.send_with(task, entry)

    def settle(self) -> None:
        """Let go on whose turn has come; each may make it another's."""
        while any(self._release(task) for task in self.tasks if task.held):
            pass

    def _release(self, task: Task) -> bool:
        entry = task.matched
        if entry is None or not self._is_ready(task, entry):
            return False
        self._perform(task, entry)
        if not task.held:
            task.resume()
        return True

    # -------------------------------------------------------------- waiting that the log must end

    def _do_all_sleep(self) -> bool:
        now_ns = time.monotonic_ns()
        return not any(now_ns - task.last_stop_ns < PATIENCE_NS or (not task.held and state_of(task) in ("R", "D"))
                       for task in self.tasks)

    def idle(self) -> None:
        """Send what is due; where nothing else can move, give up the order of one event."""
        earliest: tuple[int, Task, Entry] | None = None
        all_sleep, is_sent = self._do_all_sleep(), False
        for task in self.tasks:
            due, entry = self.state.signals.is_due(task, all_sleep), task.matched
            if self._is_doomed(task) and (all_sleep or self.state.signals.is_sent_to(task, signal.SIGKILL)):
                os.kill(task.tid, signal.SIGKILL)
            elif due:
                self.state.signals.send(task, due)
                is_sent = True
            elif task.held and entry and (earliest is None or entry.number < earliest[0]):
                earliest = entry.number, task, entry
        if earliest and all_sleep and not is_sent:
            self.state.report.forced += 1
            self._go_ahead(*earliest[1:])

    def _go_ahead(self, task: Task, entry: Entry) -> None:
        task.held = False
        perform_call(self.state, task, entry)
        if not task.held:
            task.resume()

    # -------------------------------------------------------------- tasks

    def born(self, parent: Task | None, task: Task, flags: int) -> None:
        """Give the task its script, and its recorded number where it looks for it."""
        script: Script | None = None
        if parent is None:
            script = self.state.log.script(0)
        elif parent.script.birth:
            script = self.state.log.child(parent.script.index, parent.children)
            parent.children += 1
        task.last_stop_ns = time.monotonic_ns()
        task.script = script or Script()
        task.awaits_unblock = task.script.awaits_unblock
        if script is None or not script.birth:
            self.state.diverged(task, None, "a task that the log does not have")
        elif parent is None:
            for fd, stream in script.inherited():
                task.files.set(fd, stream)
        else:
            in_parent, in_child = _tid_addresses(parent)
            task.child_tid_at = in_child if flags & _CLONE_CHILD_SETTID else 0
            self.steps.born(parent, task)
            if flags & _CLONE_PARENT_SETTID and parent.nr not in _FORKS:
                _set_tid(parent, in_parent, script.tid)

    def start(self, task: Task) -> None:
        """The kernel has stored the real number by now."""
        _set_tid(task, task.child_tid_at, task.script.tid)
        self.steps.start(task)

    def stepped(self, task: Task) -> None:
        """As after the start: nothing else steps."""
        _set_tid(task, task.child_tid_at, task.script.tid)

    def execed(self, task: Task) -> None:
        """Give the new program its recorded stack."""
        execed(self.state, task)

    def ended(self, task: Task, status: int) -> None:
        """What the log still has for it will not happen."""
        script, left = task.script, task.script.next()
        task.held = False
        if left and left.event.call < SIGNAL:
            self.state.diverged(task, left, "ended early")
            self._miss_outputs(script)
        script.finish()
        if script.exit:
            script.exit.is_done = True
        self.steps.ended(task)

    def tsc(self, task: Task, with_aux: bool) -> tuple[int, int]:
        """The counter as logged, or as it was last."""
        if not with_aux and task.is_in_loader:
            return 0, 0
        entry = self._match(task, _TSC_KEY)
        last = entry or task.script.last(_TSC_KEY)
        if entry:
            entry.is_done = True
        return (last.event.result & (1 << 64) - 1, last.event.args[0] & 0xFFFFFFFF) if last else (0, 0)


def _set_tid(task: Task, at: int, tid: int) -> None:
    if at and tid:
        memory.write_u32(task.tid, at, tid)


def _tid_addresses(parent: Task) -> tuple[int, int]:
    """Where the parent and the child look for the child's number."""
    if parent.nr != _CLONE3:
        return parent.args[2], parent.args[3]
    return (memory.read_int(parent.tid, parent.args[0] + _ARGS_PARENT_TID) or 0,
            memory.read_int(parent.tid, parent.args[0] + _ARGS_CHILD_TID) or 0)
