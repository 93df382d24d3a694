"""Replay, call by call: which are answered from the log, which run and are corrected."""

from __future__ import annotations

import errno
import os
from typing import Callable

from rex.errors import OwnFailure
from rex.log.records import OUT, RESOLVED, Event
from rex.syscalls import BY_NAME, Call, Hook, Key, Policy
from rex.tracer.reference import memory
from rex.tracer.reference.calls import is_same_input, put_outputs
from rex.tracer.reference.descriptors import names_process
from rex.tracer.reference.kernel import SIGINFO_BYTES, signed32
from rex.tracer.reference.replay_files import perform_exec, perform_open
from rex.tracer.reference.replay_poll import POLLS, end_poll, perform_epoll_ctl, perform_poll
from rex.tracer.reference.replay_state import ReplayState
from rex.tracer.reference.script import Entry
from rex.tracer.reference.tasks import Task

_Performer = Callable[[ReplayState, Task, Entry], None]

_NR = {name: BY_NAME[name].nr for name in
       ("wait4", "waitid", "write", "writev", "read", "socket", "accept4", "mq_open", "pidfd_open", "bind")}
_P_PID = 1
_INFO_CODE, _INFO_PID = 8, slice(12, 16)       # si_code, si_pid in siginfo
_AF_UNIX, _SOCK_DGRAM, _SOCK_FLAGS = 1, 2, os.O_CLOEXEC | os.O_NONBLOCK


# ------------------------------------------------------------------ entries

def _emulate(state: ReplayState, task: Task, entry: Entry) -> None:
    bound = entry.event.data(RESOLVED) if task.nr == _NR["bind"] and entry.event.result == 0 else None
    if bound:
        state.overlay.bind(task, bound)
    state.signals.note_answer(task, entry.event)
    state.emulate(task, entry)


def _run(_state: ReplayState, task: Task, _entry: Entry) -> None:
    task.want_exit = True


def _take_turn(_state: ReplayState, _task: Task, entry: Entry) -> None:
    """It was only to wait for its turn."""
    entry.is_done = True


def _run_unless_failed(state: ReplayState, task: Task, entry: Entry) -> None:
    (_emulate if entry.event.result < 0 else _run)(state, task, entry)


def _recorded_child(event: Event) -> int:
    if event.call == _NR["wait4"]:
        return event.result
    info = event.data(OUT, 2)
    if event.result or info is None or len(info) < SIGINFO_BYTES:
        return 0
    return int.from_bytes(info[_INFO_PID], "little", signed=True)


def _wait(state: ReplayState, task: Task, entry: Entry) -> None:
    """For the very child that the log names, for as long as it takes."""
    recorded = _recorded_child(entry.event)
    real = state.real_tid(recorded) if recorded > 0 else 0
    args = task.args
    not_ends = os.WNOHANG | os.WUNTRACED | os.WCONTINUED
    if not real or not _was_end(entry.event):
        state.emulate(task, entry)
    elif task.nr == _NR["wait4"]:
        task.substitute(task.nr, real, args[1], args[2] & ~not_ends, args[3])
    else:
        task.substitute(task.nr, _P_PID, real, args[2], args[3] & ~not_ends)


def _was_end(event: Event) -> bool:
    """Whether the child had ended, and not only stopped or gone on."""
    if event.call == _NR["wait4"]:
        status = int.from_bytes(event.data(OUT, 1) or bytes(4), "little")
        return os.WIFEXITED(status) or os.WIFSIGNALED(status)
    info = event.data(OUT, 2) or b""
    return len(info) < 12 or int.from_bytes(info[_INFO_CODE:_INFO_CODE + 4], "little") in (
        os.CLD_EXITED, os.CLD_KILLED, os.CLD_DUMPED)


def is_output(stream: int, nr: int) -> bool:
    """Whether a call writes to the standard output or error that the experiment was given."""
    return stream in (2, 3) and nr in (_NR["write"], _NR["writev"])


def _is_output(task: Task) -> bool:
    return is_output(task.stream, task.nr)


def _output(state: ReplayState, task: Task, entry: Entry) -> None:
    """What the program writes to us reaches our own output; what differs is reported."""
    result = entry.event.result
    if result < 0:
        state.emulate(task, entry)
        return
    if not is_same_input(task, entry.event):
        state.mismatched(entry)
    if task.nr == _NR["write"] and result < task.args[2]:
        task.substitute(task.nr, task.args[0], task.args[1], result)
    task.want_exit = True


def _socket(state: ReplayState, task: Task, entry: Entry) -> None:
    """One that takes the descriptor and reaches nobody."""
    if entry.event.result < 0:
        state.emulate(task, entry)
        return
    given = {_NR["socket"]: task.args[1], _NR["accept4"]: task.args[3], _NR["mq_open"]: os.O_CLOEXEC}.get(task.nr, 0)
    task.substitute(_NR["socket"], _AF_UNIX, _SOCK_DGRAM | given & _SOCK_FLAGS, 0, 0)


def _pause(state: ReplayState, task: Task, entry: Entry) -> None:
    (_run if state.signals.send_after(task, entry) else _emulate)(state, task, entry)


def _limit(state: ReplayState, task: Task, entry: Entry) -> None:
    if task.args[2] and entry.event.result == 0:
        task.substitute(task.nr, 0, task.args[1], task.args[2], 0)
    else:
        state.emulate(task, entry)


def _pid(state: ReplayState, task: Task, entry: Entry) -> None:
    other = state.task_named(task.args[0] & 0xFFFFFFFF)
    if task.nr == _NR["pidfd_open"] and entry.event.result >= 0 and other:
        task.substitute(task.nr, other.tid, task.args[1], 0, 0)
    else:
        state.emulate(task, entry)


def _tree(state: ReplayState, task: Task, entry: Entry) -> None:
    if entry.event.result >= 0:
        state.overlay.change(task, entry.event)
    state.emulate(task, entry)


def _kill(state: ReplayState, task: Task, entry: Entry) -> None:
    """Who gets the signal has it in its own log, at its place."""
    if entry.event.result == 0:
        state.signals.note_sent(task)
    state.emulate(task, entry)


def _lock_question(state: ReplayState, task: Task, entry: Entry) -> None:
    lock = entry.event.data(OUT, 2)
    if lock and names_process(task):
        memory.write(task.tid, task.args[2], lock)
    _emulate(state, task, entry)


# The working directory (CHDIR) matters only to names, which the log has resolved.
_PERFORMERS: dict[Hook, _Performer] = {
    Hook.OPEN: perform_open, Hook.EXEC: perform_exec, Hook.FORK: _run_unless_failed,
    Hook.EXIT: _take_turn, Hook.CLOSE: _take_turn, Hook.STREAM: _run_unless_failed, Hook.TID: _run, Hook.WAIT: _wait, Hook.KILL: _kill,
    Hook.SLEEP: _emulate, Hook.PAUSE: _pause, Hook.POLL: perform_poll, Hook.SELECT: perform_poll,
    Hook.EPOLL_WAIT: perform_poll, Hook.EPOLL_CTL: perform_epoll_ctl, Hook.CHDIR: _emulate,
    Hook.TREE: _tree, Hook.RLIMIT: _limit, Hook.PID: _pid, Hook.SOCKET: _socket, Hook.ACCEPT: _socket, Hook.FCNTL: _lock_question,
}


def perform_call(state: ReplayState, task: Task, entry: Entry) -> None:
    """Do at the entry-stop what the call's hook says."""
    hook = task.call.hook if task.call else Hook.NONE
    default = _output if _is_output(task) else _emulate
    _PERFORMERS.get(hook, default)(state, task, entry)


# ------------------------------------------------------------------ exits

_MAKING = frozenset((Hook.OPEN, Hook.STREAM, Hook.SOCKET, Hook.ACCEPT, Hook.PID))
_NEEDED = frozenset((Hook.WAIT, Hook.FORK))     # calls whose failure here nothing can make good


def _failed(state: ReplayState, task: Task, entry: Entry, result: int) -> None:
    state.diverged(task, entry, "failed here")
    task.give(result)


def _descriptor_made(task: Task, entry: Entry, result: int) -> None:
    task.files.set(result, entry.event.stream)
    if entry.event.call != _NR["socket"]:
        put_outputs(task, entry.event)
    task.give(result)


def end_call(state: ReplayState, task: Task, entry: Entry, result: int) -> None:
    """At the exit-stop: put the log's outputs and result in the place of the kernel's."""
    hook, event = task.call.hook if task.call else Hook.NONE, entry.event
    if hook is Hook.EXEC:
        _failed(state, task, entry, result)
    elif hook in _MAKING:
        if result < 0:
            _failed(state, task, entry, result)
        else:
            _descriptor_made(task, entry, result)
    elif hook in POLLS:
        end_poll(task, entry)
    elif hook not in (Hook.PAUSE, Hook.EPOLL_CTL):
        if result < 0 <= event.result and (_is_output(task) or hook in _NEEDED):
            _failed(state, task, entry, result)
        else:
            if event.result >= 0:
                put_outputs(task, event)
            task.give(event.result)
    entry.is_done = True


# ------------------------------------------------------------------ what the log does not have

_REFUSALS = {Hook.EXEC: errno.ENOENT, Hook.TREE: errno.ENOENT, Hook.CHDIR: errno.ENOENT,
             Hook.SOCKET: errno.ENETUNREACH, Hook.ACCEPT: errno.ENETUNREACH,
             Hook.KILL: errno.ESRCH, Hook.PID: errno.ESRCH, Hook.PEER: errno.EPERM}


def perform_unmatched(state: ReplayState, task: Task, call: Call) -> None:
    """Nothing outside is asked: a call that would need it fails as if there were nothing."""
    if call.hook is Hook.OPEN:
        perform_open(state, task, None)
    elif call.hook in _REFUSALS:
        task.skip(-_REFUSALS[call.hook])
    elif call.hook is Hook.SLEEP:
        task.skip(0)
    elif call.hook is Hook.WAIT:
        _search_freely(state, task)
    elif call.hook is Hook.NONE and not _is_output(task):
        if call.policy is Policy.STREAM:
            task.skip(0 if task.nr == _NR["read"] else -errno.EIO)
        elif call.key is Key.PATH:
            task.skip(-errno.ENOENT)  # the rest of these asks the kernel about the process itself


def _search_freely(state: ReplayState, task: Task) -> None:
    """Look for the children that there are; only their names need translation."""
    at = 1 if task.nr == _NR["waitid"] else 0
    pid = signed32(task.args[at])
    real = state.real_tid(pid) if pid > 0 and (not at or task.args[0] == _P_PID) else 0
    if real:
        task.substitute(task.nr, *task.args[:at], real)
    task.want_exit = True


def end_free_search(state: ReplayState, task: Task, result: int) -> None:
    """At its exit-stop: the child by its recorded name."""
    task.give(state.recorded_tid(result) or result if result > 0 else result)


def scratch_made(task: Task, result: int) -> None:
    """The tracee has room for paths now; the call that needed it comes again.

    Raises:
        OwnFailure: it has none.
    """
    task.scratch_due = False
    if result < 0:
        raise OwnFailure("the program has no memory left for its replay", os.strerror(-result))
    task.space.scratch = result
    task.rewind()
