"""Record: stops in, log out."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import struct
import time

from rex.errors import OwnFailure
from rex.hostfailure import advice
from rex.log import LogWriter
from rex.log.records import (DUP, EXIT, IN, NO_ARG, NO_TASK, NOTE, OUT, RESOLVED, TASK, TEXT, TSC, Event,
                             Field)
from rex.syscalls import BY_NAME, Hook, Policy
from rex.tracer.plan import Plan, Report
from rex.tracer.reference import kernel, memory, paths
from rex.tracer.reference.auxv import hide_vdso_read, tells_vector
from rex.tracer.reference.calls import capture_inputs, capture_outputs, read_deref
from rex.tracer.reference.descriptors import (TOLD_BYTES, closes_pipe, is_descriptor_call, is_unlogged,
                                              is_duplicating, names_process, note_closing, note_duplicate)
from rex.tracer.reference.kernel import signed32
from rex.tracer.reference.loop import Handler
from rex.tracer.reference.record_files import Ledger
from rex.tracer.reference.record_exec import read_exec, read_program
from rex.tracer.reference.record_signals import Signals
from rex.tracer.reference.spawn import Standard
from rex.tracer.reference.tasks import INTERRUPTED, Task

_EXIT_GROUP = BY_NAME["exit_group"].nr
_BIND = BY_NAME["bind"].nr
_RESTART = BY_NAME["restart_syscall"].nr
_IOCTL, _TIOCGPTPEER = BY_NAME["ioctl"].nr, 0x5441
_WRITES = frozenset((BY_NAME["write"].nr, BY_NAME["writev"].nr))
_MAX_INHERITED, _LAST_INHERITED = 63, 1024
_STANDARD_STREAMS = 3
_PAIR = struct.Struct("<ii")
_NO_ARGS = (0, 0, 0, 0, 0, 0)


class Recorder(Handler):
    """Writes the kernel's answers to each task."""

    def __init__(self, plan: Plan, standard: Standard) -> None:
        super().__init__(standard)
        self._began_ns = time.monotonic_ns()
        self._log = LogWriter(plan.log, is_plain=True)
        self._ledger = Ledger(plan.control, plan.hints, standard)
        self._withhold = plan.withhold
        self._streams = _STANDARD_STREAMS
        self._vectors: set[int] = set()                  # streams that show an auxiliary vector
        # Writes to one outside file by several tasks are let in one after another,
        # so that their order in the log is their order in the file.
        self._writer: Task | None = None
        self._counter = kernel.TimeStampCounter()
        self._signals = Signals(self._append, self._append_special)
        if plan.control >= 0:
            os.set_inheritable(plan.control, False)
        if plan.hints >= 0:
            os.set_inheritable(plan.hints, False)

    def finish(self, status: int) -> Report:
        """Close the log; what there is to report."""
        try:
            self._log.finish()
        except OSError as error:
            raise _unwritten(error) from error
        report = Report(status, self._log.count, self._now())
        self._ledger.report(report)
        return report

    def abandon(self) -> None:
        """Leave the log unfinished."""
        self._log.abandon()

    # -------------------------------------------------------------- events

    def _now(self) -> int:
        # In steps of 1024 ns: nobody needs more, and the rest is noise that would be most of a stored log.
        return (time.monotonic_ns() - self._began_ns) & ~1023

    def _append(self, event: Event) -> None:
        try:
            self._log.append(event)
        except OSError as error:
            raise _unwritten(error) from error

    def _event(self, task: Task, result: int, fields: list[Field], stream: int) -> Event:
        return Event(task.nr, task.index, result, task.args, tuple(fields), 0, stream, self._now())

    def _append_special(self, call: int, task: Task, result: int = 0, args: tuple[int, ...] = (),
                        data: bytes | None = None, kind: int = OUT) -> None:
        fields = () if data is None else ((NO_ARG, kind, data),)
        self._append(Event(call, task.index, result, (*args, *_NO_ARGS[len(args):]), fields, 0, 0, self._now()))

    def note(self, task: Task, message: str) -> None:
        """Something that the user must know."""
        self._append_special(NOTE, task, data=os.fsencode(message), kind=TEXT)

    def _new_stream(self) -> int:
        self._streams += 1
        return self._streams

    # -------------------------------------------------------------- entry

    def entry(self, task: Task) -> None:
        """Prepare for the call's event, and keep what the call is about to change."""
        call = task.call
        task.returned_at = 0
        if task.stepping:             # it was restarted
            self._signals.step_led_on(task, True)
        if task.nr == _RESTART:
            _restart(task)
            return
        task.pending = None
        task.stream = 0
        if call is None:
            if task.nr >= 0:
                self.note(task, f"system call {task.nr} is newer than this Rex and was refused")
            task.skip(-errno.ENOSYS)
            return
        is_external = task.find_stream()
        ends_pipe = closes_pipe(task)
        if is_unlogged(task, is_external, ends_pipe):
            return
        if (ends_pipe or not is_descriptor_call(task)) and self._signals.comes(task):
            return
        if call.hook is Hook.EXIT or ends_pipe:
            if task.nr == _EXIT_GROUP and not task.executed:
                self._note_channels(task)
            self._append(self._event(task, 0, _names(task), task.stream))
            return
        task.want_exit = True
        if is_descriptor_call(task):
            note_closing(task)
        if names_process(task):
            return
        # What moves inside the kernel cannot be logged; libc opens a terminal's name instead of its peer.
        if call.hook is Hook.PEER:
            self._refuse(task, errno.EPERM)
            return
        if call.hook is Hook.COPY or (task.nr == _IOCTL and task.args[1] & 0xFFFFFFFF == _TIOCGPTPEER):
            self._refuse(task, errno.EINVAL)
            return
        paths.read_names(task)
        read_deref(task, call)
        self._enter_hook(task, call.hook)

    def _enter_hook(self, task: Task, hook: Hook) -> None:
        if hook is Hook.OPEN:
            self._ledger.before_open(task)
        elif hook is Hook.TREE:
            self._ledger.before_change(task)
        elif hook is Hook.EXEC:
            read_exec(self, self._ledger, task)
            if task.exec_refused:
                self._refuse(task, task.exec_refused)
        elif task.nr in _WRITES and task.stream in (2, 3):
            task.held = self._writer is not None
            self._writer = self._writer or task

    def _refuse(self, task: Task, error: int) -> None:
        self._append(self._event(task, -error, _names(task), task.stream))
        task.skip(-error)

    def _next_writer(self) -> None:
        self._writer = next((task for task in self.tasks if task.held), None)
        if self._writer:
            self._writer.held = False
            self._writer.resume()

    # -------------------------------------------------------------- exit

    def exit(self, task: Task, result: int) -> None:
        """Write the call's event."""
        call = task.call
        assert call is not None, "calls without declaration have no exit-stop"
        if task is self._writer:
            self._next_writer()
        if is_descriptor_call(task):
            note_duplicate(task, result)
            self._note_standard(task, result)
            return
        if result in INTERRUPTED:    # whether it restarts, the signal will tell
            left = capture_outputs(task, 0) if call.hook is Hook.SLEEP else []
            task.pending = self._event(task, -errno.EINTR, _names(task) + left, task.stream)
            return
        fields = _names(task) + capture_outputs(task, result)
        if task.stream and call.policy is Policy.STREAM:
            fields += capture_inputs(task, result)
        stream = self._exit_hook(task, call.hook, result, fields)
        event = self._event(task, result, fields, stream)
        is_vector = task.stream in self._vectors and call.policy is Policy.STREAM
        self._append(hide_vdso_read(task, event) if is_vector else event)
        task.returned_at = task.regs.rip

    def _note_descriptor(self, task: Task, fd: int, path: bytes) -> None:
        """What a descriptor stands for: only so is it known what processes hand to each other.
        Replays pass over it."""
        args = (paths.flags_of_fd(task.tid, fd), *_NO_ARGS[1:])
        self._append(Event(DUP, task.index, fd, args, ((NO_ARG, RESOLVED, path),), 0, task.files.stream(fd),
                           self._now()))

    def _note_standard(self, task: Task, fd: int) -> None:
        if is_duplicating(task) and 0 <= fd < _STANDARD_STREAMS:
            path = paths.path_of_fd(task.tid, fd)
            if path is not None:
                self._note_descriptor(task, fd, path)

    def _note_channels(self, task: Task) -> None:
        """At the end of a process that never executed a program: what it may have shared with
        its parent beyond the standard descriptors."""
        for fd in paths.descriptors(task.tid):
            path = paths.path_of_fd(task.tid, fd) if fd >= _STANDARD_STREAMS and not task.files.stream(fd) else None
            if path and path.startswith((b"pipe:", b"anon_inode:", b"/memfd:")):
                self._note_descriptor(task, fd, path)

    def _exit_hook(self, task: Task, hook: Hook, result: int, fields: list[Field]) -> int:
        """Add what the hook knows of a call that has ended; the event's stream."""
        if hook is Hook.TREE:
            fields += self._ledger.after_change(task, result)
        elif result < 0:
            return task.stream
        elif hook is Hook.OPEN:
            more, is_external, stream = self._ledger.opened(task, result)
            fields += more
            stream = stream or (self._new_stream() if is_external else 0)
            if more:
                task.files.set(result, stream)
            if stream and tells_vector(paths.path_of_fd(task.tid, result) or b""):
                self._vectors.add(stream)
            return stream
        elif names_process(task):
            size = TOLD_BYTES[signed32(task.args[1])]
            told = memory.read(task.tid, task.args[2], size) if size else None
            fields += [] if told is None else [(2, OUT, told)]
        elif task.nr == _BIND:
            fields += self._ledger.bound(task)
        elif hook is Hook.CHDIR:
            cwd = paths.path_of_fd(task.tid, kernel.AT_FDCWD)
            fields += [] if cwd is None else [(0, RESOLVED, cwd)]
        elif hook in (Hook.SOCKET, Hook.ACCEPT, Hook.STREAM):
            stream = task.files.stream(result) or self._new_stream()   # signalfd may change one
            task.files.set(result, stream)
            return stream
        return task.stream

    def execed(self, task: Task) -> None:
        """Write execve's event: its new program has not yet run."""
        task.executed = True
        args, fields = read_program(self._ledger, task, self._withhold)
        self._append(Event(task.nr, task.index, 0, args, tuple(fields), 0, 0, self._now()))

    # -------------------------------------------------------------- tasks

    def born(self, parent: Task | None, task: Task, flags: int) -> None:
        """Name the task by its parent and its place among the parent's children."""
        ordinal = 0
        if parent:
            ordinal = parent.children
            parent.children += 1
        args = (parent.index if parent else NO_TASK, ordinal, flags, task.tid, task.tid, task.index)
        self._append_special(TASK, task, args=args, data=None if parent else self._inherit(task))

    def _inherit(self, task: Task) -> bytes:
        """Descriptors that the first process has from outside, as pairs with their streams."""
        pairs: list[bytes] = []
        for fd in range(_LAST_INHERITED):
            if len(pairs) < _MAX_INHERITED and self._is_inherited(fd):
                stream = fd + 1 if fd < _STANDARD_STREAMS else self._new_stream()
                task.files.set(fd, stream)
                pairs.append(_PAIR.pack(fd, stream))
        return b"".join(pairs)

    def _is_inherited(self, fd: int) -> bool:
        """Plain files are archived, so that no call on them need stop; but of output the order matters."""
        try:
            source = self.standard.source(fd)
            mode, flags = os.fstat(source).st_mode, fcntl.fcntl(source, fcntl.F_GETFL)
            if source == fd and not os.get_inheritable(fd):
                return False
        except OSError:
            return False
        return fd in (1, 2) or not stat.S_ISREG(mode) or (fd == 0 and flags & os.O_ACCMODE != os.O_RDONLY)

    def ended(self, task: Task, status: int) -> None:
        """Write its end."""
        if task is self._writer:
            self._next_writer()
        task.held = False
        if task.stepping:
            self._signals.step_led_on(task, False)
        self._signals.ended(task)
        self._append_special(EXIT, task, status, (task.user_us, task.system_us))

    # -------------------------------------------------------------- signals

    @property
    def is_patient(self) -> bool:
        """Nothing waits for us to look."""
        return not self._signals.holds_back

    def idle(self) -> None:
        """Look after signals that are held back."""
        self._signals.look()

    def signal(self, task: Task, number: int) -> bool:
        """Write it, or hold it back."""
        return self._signals.take(task, number)

    def stepped(self, task: Task) -> None:
        """After one step into a handler."""
        self._signals.stepped(task)

    def tsc(self, task: Task, with_aux: bool) -> tuple[int, int]:
        """Read the counter, and write it; what a loader reads for itself means nothing."""
        value, auxiliary = self._counter.read()
        auxiliary = auxiliary if with_aux else 0
        if not with_aux and task.is_in_loader:
            return value, auxiliary
        self._append_special(TSC, task, value, (auxiliary,))
        return value, auxiliary


def _unwritten(error: OSError) -> OwnFailure:
    return OwnFailure("the log could not be written", error.strerror or "", advice(error.errno) or "look at the disk")


def _names(task: Task) -> list[Field]:
    at = paths.name_args(task.nr)
    return [(arg, IN, path) for arg, path in ((at.path, task.path), (at.path2, task.path2))
            if arg >= 0 and path is not None]


def _restart(task: Task) -> None:
    """A call that the kernel goes on with after a signal that had no handler."""
    if task.pending:
        task.nr, task.args, task.stream = task.pending.call, task.pending.args, task.pending.stream
        task.pending = None
        task.want_exit = True
