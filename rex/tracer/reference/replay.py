"""Replay: the log in, answers to stops out.

Each task has its own queue of events. A call takes the first event left that
is equal in call and key (path, stream, clock), so that threads whose timing
differs still find their answers. Between processes, events that others can
see keep the order of the log: a task that comes early is held.
"""

from __future__ import annotations

import errno
import os
import signal
import time

from rex.log.records import SIGNAL, TSC
from rex.syscalls import BY_NAME, CALLS, Call, Hook, Key, Policy
from rex.tracer.plan import Difference, Divergence, Plan, Report
from rex.tracer.reference import kernel, memory, paths
from rex.tracer.reference.calls import CallKey, fork_flags, key_of, put_outputs
from rex.tracer.reference.descriptors import closes_pipe, is_descriptor_call, is_unlogged, names_process, note_closing, note_duplicate
from rex.tracer.reference.loop import Handler
from rex.tracer.reference.overlay import Overlay
from rex.tracer.reference.replay_calls import (end_call, end_free_search, is_output, perform_call, perform_unmatched,
                                               scratch_made)
from rex.tracer.reference.replay_clock import find_reading, go_on, note_reading
from rex.tracer.reference.replay_files import answer_own_stat, end_own_stat, execed, opener_of, perform_open
from rex.tracer.reference.replay_poll import POLLS, EpollKey, end_free_wait, forget_epoll, wait_freely
from rex.tracer.reference.replay_signals import PATIENCE_NS, Signals
from rex.tracer.reference.script import CLOCK_GETTIME, Entry, Log, Script, describe, name_of
from rex.tracer.reference.replay_steps import Steps
from rex.tracer.reference.spawn import Standard
from rex.tracer.reference.tasks import CLONE_THREAD, INTERRUPTED, Task, state_of

_GETRANDOM, _RESTART = BY_NAME["getrandom"].nr, BY_NAME["restart_syscall"].nr
_SIGPROCMASK = BY_NAME["rt_sigprocmask"].nr
_PAUSE, _SIGTIMEDWAIT = BY_NAME["pause"].nr, BY_NAME["rt_sigtimedwait"].nr
_TAKING = frozenset(BY_NAME[name].nr for name in ("read", "readv", "recvfrom", "recvmsg", "recvmmsg"))
_CLONE3, _FORKS = BY_NAME["clone3"].nr, frozenset((BY_NAME["fork"].nr, BY_NAME["vfork"].nr))
_CLONE_PARENT_SETTID, _CLONE_CHILD_SETTID = 0x00100000, 0x01000000
_ARGS_CHILD_TID, _ARGS_PARENT_TID = 16, 24      # in struct clone_args
_TSC_KEY: CallKey = (TSC, None)
_SHARED_CLOCK = frozenset(((CLOCK_GETTIME, time.CLOCK_REALTIME),))


class Replayer(Handler):
    """Tells each task what the log says."""

    def __init__(self, plan: Plan, standard: Standard) -> None:
        super().__init__(standard)
        self.report = Report()
        self.log = Log(plan.log)
        self.overlay = Overlay(plan, self.report)
        self.signals = Signals(self.log)
        self.watched: dict[EpollKey, set[int]] = {}   # see replay_poll
        self.steps = Steps(plan, self.log)

    def finish(self, status: int) -> Report:
        """What there is to report."""
        self.report.status = status
        # Of tasks that there never were: a replay that follows its log to the end has none of them.
        for script in self.log.scripts_from(0) if self.report.divergences else []:
            self._miss_outputs(script)
        return self.report

    def become(self) -> None:
        """The terminal's signals are for us; descriptors that came from outside are stood in for."""
        os.setsid()
        for fd, _ in self.log.script(0).inherited():
            if fd > 2:
                null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
                if null == fd:
                    os.set_inheritable(fd, True)
                else:
                    os.dup2(null, fd)
                    os.close(null)

    # -------------------------------------------------------------- divergence

    def diverged(self, task: Task, entry: Entry | None, why: str) -> None:
        """Replay and log disagree; entry is what the log has instead, None for the task's next."""
        report = self.report
        entry = entry or task.script.next()
        report.divergences += 1
        if report.divergence is None:
            asked = name_of(task.nr)
            if task.path is not None:
                asked += f' "{os.fsdecode(task.path)}"'
            number = entry.number if entry else self.log.count
            report.divergence = Divergence(number, task.script.index, self.log.has_threads, why, asked, describe(entry))

    def _miss_outputs(self, script: Script) -> None:
        """What the log has as written, and never was."""
        for entry in script.entries[script.cursor:]:
            if not entry.is_done and entry.event.result > 0 and is_output(entry.event.stream, entry.event.call):
                self.mismatched(entry)

    def mismatched(self, entry: Entry | None, stream: int = 0) -> None:
        """The program wrote other bytes than recorded; None: after all that it wrote then."""
        self.report.mismatches += 1
        if self.report.difference is None:
            number = entry.number if entry else self.log.count
            self.report.difference = Difference(number, stream or (entry.event.stream if entry else 0), self.log.has_threads)

    def signal(self, task: Task, number: int) -> bool:
        """The log says when signals come."""
        task.last_stop_ns = time.monotonic_ns()
        return self.signals.take(task, number)

    # -------------------------------------------------------------- calls

    def emulate(self, task: Task, entry: Entry) -> None:
        """The log answers, the kernel is not asked."""
        put_outputs(task, entry.event)
        note_reading(task, entry.event)
        self.signals.send_with(task, entry)
        task.skip(entry.event.result)
        entry.is_done = True

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
            self.signals.send_at_unblock(task)
        is_external, ends_pipe = task.find_stream(), closes_pipe(task)
        if task.nr == _RESTART or is_unlogged(task, is_external, ends_pipe):
            return
        if is_descriptor_call(task) and not ends_pipe:
            note_closing(task)
            if call.hook is Hook.CLOSE:
                forget_epoll(self, task)
            task.want_exit = True
            return
        if not self.signals.send_before(task, following):
            self._answer(task, call)

    def _answer(self, task: Task, call: Call) -> None:
        paths.read_names(task)
        key = key_of(call, task.path, task.stream, task.args)
        task.matched = self._match(task, key)
        if answer_own_stat(self, task):
            if task.matched:
                task.matched.is_done = True
            task.matched = None
        elif task.matched:
            self._perform(task, task.matched)
        else:
            self._unmatched(task, call, key)

    def _match(self, task: Task, key: CallKey) -> Entry | None:
        script, expected = task.script, task.script.next()
        if not task.has_shared_work:
            found = script.find(key)
            if found and found is not expected and not found.is_ordered:
                self.diverged(task, expected, "skipped")
            return found
        call = CALLS.get(key[0])
        found = self._find_shared(task, call) if call else None
        if found is None:
            is_clock = key[0] == CLOCK_GETTIME and not task.is_single
            found = find_reading(task, key) if is_clock else script.find(key)
        if found is None and call and (call.key in (Key.PATH, Key.STREAM) or key in _SHARED_CLOCK
                                       or call.nr == _GETRANDOM):
            found = self.log.find_sibling(script, key)
        return found

    def _find_shared(self, task: Task, call: Call) -> Entry | None:
        """The answer about a descriptor that another thread may have opened when recorded."""
        is_about_one = call.policy is Policy.EMULATE and call.args and call.args[0].word in ("fd", "dirfd")
        opener = opener_of(task) if is_about_one and not task.path else None
        return self.log.find_by_opener(opener, call.nr) if opener else None

    def _is_doomed(self, task: Task) -> bool:
        ending = task.script.exit
        return bool(ending and ending.event.result & 0x7F == signal.SIGKILL and not task.script.next())

    def _await_kill(self, task: Task) -> None:
        """It comes when the log has nothing more of the process's other threads either; see idle."""
        if all(self._is_doomed(mate) for mate in self.tasks if mate.leader is task.leader):
            os.kill(task.leader.tid, signal.SIGKILL)
        else:
            task.substitute(_PAUSE)
            task.want_exit = False

    def _never_returned(self, task: Task, call: Call) -> bool:
        """A thread whose log has ended made no further call that returned: it waits now as it did."""
        is_taking = task.stream and (task.nr in _TAKING or call.hook is Hook.ACCEPT)
        is_waiting = is_taking or call.hook is Hook.PAUSE or task.nr == _SIGTIMEDWAIT
        return bool(is_waiting and not task.is_single and task.script.birth and not task.script.next())

    def _unmatched(self, task: Task, call: Call, key: CallKey) -> None:
        """The answer given last to an equal call may do."""
        may_repeat = call.policy is Policy.EMULATE or (call.hook is Hook.OPEN and task.has_shared_work)
        last = self.log.find_last(task.script, key) if may_repeat else None
        if self._is_doomed(task):
            self._await_kill(task)
            return
        if names_process(task):      # logs of former versions do not have it
            return
        if self._never_returned(task, call):
            task.substitute(_PAUSE)
            task.want_exit = False
            return
        if call.hook in POLLS and wait_freely(self, task, None):
            return                    # threads wait as often as they have to
        if call.hook in (Hook.SLEEP, Hook.WAIT) and task.has_shared_work:
            perform_unmatched(self, task, call)
            return
        is_new_thread = call.hook is Hook.FORK and fork_flags(task) & CLONE_THREAD
        is_extra = task.script.birth is None and task.leader is not task
        if not is_new_thread and not is_extra and (last is None or not task.has_shared_work):
            self.diverged(task, None, "repeated" if last else "not in the log")
        if last is None and is_output(task.stream, task.nr):
            self.mismatched(task.script.next(), task.stream)
        if last and call.hook is Hook.OPEN:
            task.matched = last
            perform_open(self, task, last)
        elif last:
            put_outputs(task, last.event)
            go_on(task)
            task.skip(last.event.result)
        else:
            perform_unmatched(self, task, call)

    def _is_ready(self, task: Task, entry: Entry) -> bool:
        return self.log.is_turn(entry, task.script.index) and self.signals.is_answerable(task, entry)

    def _perform(self, task: Task, entry: Entry) -> None:
        task.held = not self._is_ready(task, entry)
        if not task.held:
            perform_call(self, task, entry)

    def exit(self, task: Task, result: int) -> None:
        """Correct what the kernel answered."""
        task.last_stop_ns = time.monotonic_ns()
        if task.scratch_due:
            scratch_made(task, result)
        elif task.stat_as:
            end_own_stat(task)
        elif is_descriptor_call(task):
            note_duplicate(task, result)
        elif result in INTERRUPTED and not task.injected:
            task.rewind()             # by a signal that the log does not have here: again, once that is dropped
        elif task.matched:
            self._correct(task, task.matched, result)
        elif task.call and task.call.hook is Hook.WAIT:
            end_free_search(self, task, result)
        elif task.call and task.call.hook in POLLS:
            end_free_wait(self, task, result)

    def _correct(self, task: Task, entry: Entry, result: int) -> None:
        end_call(self, task, entry, result)
        if entry.is_done:
            self.signals.send_with(task, entry)

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
            due, entry = self.signals.is_due(task, all_sleep), task.matched
            if self._is_doomed(task) and (all_sleep or self.signals.is_sent_to(task, signal.SIGKILL)):
                os.kill(task.leader.tid, signal.SIGKILL)
            elif due:
                self.signals.send(task, due)
                is_sent = True
            elif task.held and entry and (earliest is None or entry.number < earliest[0]):
                earliest = entry.number, task, entry
        if earliest and all_sleep and not is_sent:
            self.report.forced += 1
            self._go_ahead(*earliest[1:])

    def _go_ahead(self, task: Task, entry: Entry) -> None:
        task.held = False
        perform_call(self, task, entry)
        if not task.held:
            task.resume()

    # -------------------------------------------------------------- tasks

    def born(self, parent: Task | None, task: Task, flags: int) -> None:
        """Give the task its script, and its recorded number where it looks for it."""
        script: Script | None = None
        if parent is None:
            script = self.log.script(0)
        elif parent.script.birth:
            script = self.log.child(parent.script.index, bool(flags & CLONE_THREAD), parent.next_children)
        task.last_stop_ns = time.monotonic_ns()
        task.script = script or Script()
        if script is None or not script.birth:
            self._take_unknown(task, flags)
        elif parent is None:
            for fd, stream in script.inherited():
                task.files.set(fd, stream)
        else:
            in_parent, in_child = _tid_addresses(parent)
            task.child_tid_at = in_child if flags & _CLONE_CHILD_SETTID else 0
            self.steps.born(parent, task)
            if flags & _CLONE_PARENT_SETTID and parent.nr not in _FORKS:
                _set_tid(parent, in_parent, script.tid)

    def _take_unknown(self, task: Task, flags: int) -> None:
        """A runtime may need one more thread, or one fewer; a process it may not."""
        task.script = Script()
        if flags & CLONE_THREAD:
            task.script.process = task.leader.script.process
        else:
            self.diverged(task, None, "a task that the log does not have")

    def start(self, task: Task) -> None:
        """The kernel has stored the real number by now."""
        _set_tid(task, task.child_tid_at, task.script.tid)
        self.steps.start(task)

    def stepped(self, task: Task) -> None:
        """As after the start: nothing else steps."""
        _set_tid(task, task.child_tid_at, task.script.tid)

    def execed(self, task: Task) -> None:
        """Give the new program its recorded stack."""
        execed(self, task)

    def ended(self, task: Task, status: int) -> None:
        """What the log still has for it will not happen; for a thread, another may do it yet."""
        script, left = task.script, task.script.next()
        task.held = False
        if left and left.event.call < SIGNAL and task.leader is task and not task.has_shared_work:
            self.diverged(task, left, "ended early")
            self._miss_outputs(script)
        if task.leader.threads <= 1:
            for one in self.log.process_scripts(script):
                one.finish()
        if script.exit:
            script.exit.is_done = True
        self.steps.ended(task)

    def tsc(self, task: Task, with_aux: bool) -> tuple[int, int]:
        """The counter as logged, or as it was last."""
        if not with_aux and kernel.registers(task.tid).rip in task.space.loader:
            return 0, 0
        entry = self._match(task, _TSC_KEY)
        last = entry or task.script.last(_TSC_KEY)
        if entry:
            entry.is_done = True
        return (last.event.result & (1 << 64) - 1, last.event.args[0] & 0xFFFFFFFF) if last else (0, 0)

    def task_named(self, recorded_tid: int) -> Task | None:
        """The living task that had this number when recorded."""
        return next((task for task in self.tasks if task.script.tid == recorded_tid), None)

    def recorded_tid(self, real_tid: int) -> int:
        """The number that a task, or a child that has ended, had when recorded; 0 if unknown."""
        return next((task.script.tid for task in self.tasks.named() if task.tid == real_tid), 0)

    def real_tid(self, recorded_tid: int) -> int:
        """The number of a task, also of a child that has ended; 0 if unknown."""
        return next((task.tid for task in self.tasks.named()
                     if task.tid and task.script.tid == recorded_tid), 0)


def _set_tid(task: Task, at: int, tid: int) -> None:
    if at and tid:
        memory.write_u32(task.tid, at, tid)


def _tid_addresses(parent: Task) -> tuple[int, int]:
    """Where the parent and the child look for the child's number."""
    if parent.nr != _CLONE3:
        return parent.args[2], parent.args[3]
    return (memory.read_int(parent.tid, parent.args[0] + _ARGS_PARENT_TID) or 0,
            memory.read_int(parent.tid, parent.args[0] + _ARGS_CHILD_TID) or 0)
