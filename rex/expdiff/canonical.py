"""The canonical form of a log: failed calls dropped, reads and writes joined, identities logical."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, BinaryIO, Callable, Iterable

from rex import codec
from rex.expdiff.looks import ABSENT, REFUSED, Looks
from rex.expdiff.names import Names
from rex.expdiff.packages import installed
from rex.expdiff.shapes import LOAD, RANDOM, READ, SHAPES, Shape, stable_part
from rex.expdiff.spool import Spool
from rex.expdiff.trace import DATE, DURATION, PROCESS_ID, PROCESSOR_TIME, STANDARD, Exec, Task, Trace
from rex.log import LogReader
from rex.log.records import (ARGV, EXIT, IN, LOADER, NOTE, OUT, RESOLVED, SCRIPT, SIGNAL, SWITCH,
                             TASK, TSC, Event)
from rex.log.uses import READ as FILE_READ, REMOVE, WRITE, file_uses, is_exclusive, open_flags
from rex.syscalls import Hook

_SIGNALS = "signals of children and timers"
_COUNTER = "processor's counter"
_NATURAL_SIGNALS = frozenset((14, 17, 26, 27))   # ALRM, CHLD, VTALRM, PROF: when they come is the scheduler's
_KERNEL_STATE = (b"/proc/loadavg", b"/proc/uptime", b"/proc/stat", b"/proc/meminfo", b"/proc/vmstat",
                 b"/proc/cpuinfo",
                 b"/proc/self/", b"/proc/thread-self/", b"/proc/net/", b"/proc/pressure/", b"/proc/interrupts",
                 b"/proc/diskstats", b"/proc/sys/kernel/random/", b"/sys/fs/cgroup/", b"/dev/urandom", b"/dev/random")
_COUNTED = frozenset((FILE_READ, WRITE, REMOVE))
_DATES = (0, 5, 11)   # REALTIME, its coarse form, TAI
_OF_PROCESSOR = (2, 3)   # PROCESS_CPUTIME_ID, THREAD_CPUTIME_ID
_DIRECTORY = 0o200000 # O_DIRECTORY
_NONBLOCK = 1         # GRND_NONBLOCK
_CACHED = 1 << 17
_LOW = 0xFFFFFFFF


@dataclass
class _Run:
    """Reads or writes of one stream that follow each other, joined into one."""

    direction: str
    source: str
    event: int
    size: int
    digest: Any


class Canonical:
    """Reads the events of one experiment once and makes its trace."""

    def __init__(self, cwd: str, spool: Spool | None = None) -> None:
        self.names = Names(codec.raw(cwd))
        self.trace = Trace(spool)
        self.trace.looks = Looks(cwd)
        self.trace.logical = self.names.logical_text
        self.trace.certain = self.names.certain_text
        self._runs: dict[int, _Run] = {}
        self._streams = dict(STANDARD)
        self._natural_streams: set[str] = set()
        self._files: dict[int, dict[int, bytes]] = {}   # by process: what descriptors were opened on
        self._folders: dict[tuple[int, int], str] = {}   # by process and descriptor: directories that were opened
        self._pids: dict[int, int] = {}
        self._digests: dict[Any, int] = {}
        self._special: dict[int, Callable[[int, Event], None]] = {
            TASK: self._begin, EXIT: self._end, SIGNAL: self._signal, TSC: self._counter,
            NOTE: lambda number, event: None, SWITCH: lambda number, event: None}

    def read(self, events: Iterable[Event]) -> Trace:
        """The trace of these events."""
        trace, special, shapes = self.trace, self._special, SHAPES
        number = -1
        for number, event in enumerate(events):
            call = event.call
            if call in special:
                special[call](number, event)
            elif event.result < 0:
                trace.failed += 1
                if event.result in ABSENT or event.result == REFUSED:
                    trace.looks.take(number, event, self._leader(event.task))
            elif call in shapes:
                self._call(number, event, shapes[call])
        for task in list(self._runs):
            self._finish_run(task)
        trace.events = number + 1
        return trace

    def _task(self, number: int) -> Task:
        task = self.trace.tasks.get(number)
        if task is None:   # a log cut short, or made by hand
            task = self.trace.tasks[number] = Task(number, leader=number)
        return task

    def _leader(self, task: int) -> int:
        known = self.trace.tasks.get(task)
        return known.leader if known else self._task(task).leader

    def _begin(self, number: int, event: Event) -> None:
        parent, ordinal, _, tid, pid, leader = event.args
        known = self.trace.tasks.get(parent)
        self.trace.tasks[event.task] = Task(
            event.task, None if parent == _LOW else parent, ordinal, leader if leader != _LOW else event.task,
            number, inherited=known.name if known else "")
        if leader in (event.task, _LOW):
            self.trace.looks.begin(event.task, self._leader(parent) if known else _LOW)
        if leader != event.task:
            self._files.setdefault(event.task, self._files.setdefault(leader, {}))
        elif known:
            self._files[event.task] = dict(self._files.get(known.leader, {}))
        self._pids[tid] = self._pids[pid] = event.task
        self._pids[tid] = event.task

    def _end(self, number: int, event: Event) -> None:
        self._task(event.task).end = number
        self._entry(event.task, ("exit",), event.result, number)

    def _signal(self, number: int, event: Event) -> None:
        if event.args[0] in _NATURAL_SIGNALS:
            self.trace.by_nature(_SIGNALS, event.args[0])
        else:
            self._entry(event.task, ("signal", event.args[0]), 0, number)

    def _counter(self, number: int, event: Event) -> None:
        self.trace.by_nature(_COUNTER, event.result)

    def _digest(self, value: Any) -> int:
        found = self._digests.get(value)
        if found is None:
            if len(self._digests) >= _CACHED:
                self._digests.clear()
            found = self._digests[value] = int.from_bytes(
                hashlib.blake2b(repr(value).encode(), digest_size=8).digest(), "little")
        return found

    def _entry(self, task: int, key: tuple[Any, ...], data: Any, number: int) -> None:
        if task in self._runs:
            self._finish_run(task)
        self.trace.entries.add(task, self._digest(key), self._digest(data), number)

    def _finish_run(self, task: int) -> None:
        run = self._runs.pop(task)
        self.trace.entries.add(task, self._digest((run.direction, run.source)),
                               int.from_bytes(run.digest.digest(), "little"), run.event)

    def _call(self, number: int, event: Event, shape: Shape) -> None:
        self.trace.looks.take(number, event, self._leader(event.task))
        if shape.result == "fd" and event.stream > 3:
            self._name_stream(event, shape)
        if shape.moves and event.stream:
            self._move(number, event, shape)
            return
        if shape.name.startswith("getdents") and event.result > 0:
            self._list(number, event, shape)
        hook = shape.hook
        if hook is Hook.OPEN or hook is Hook.EXEC or hook is Hook.TREE:
            self._use(number, event, shape)
        if asked := _asked_chance(event, shape):
            self.trace.ask(self._leader(event.task), asked, number)
        if shape.nature:
            self.trace.by_nature(shape.nature, hash((event.result, event.fields)))
            return
        self._entry(event.task, self._key(event, shape), self._outcome(event, shape), number)

    def _key(self, event: Event, shape: Shape) -> tuple[Any, ...]:
        """What was asked for, in names that any run shares."""
        args = event.args
        parts: list[Any] = [shape.name]
        for place, arg in enumerate(shape.fds):
            parts.append(self._streams.get(event.stream) if event.stream and not place and shape.result != "fd"
                         else self._descriptor(event.task, args[arg] & _LOW))
        for arg in shape.values:
            parts.append(args[arg] & _LOW)
        for arg in shape.pids:
            parts.append(self._relation(event.task, args[arg] & _LOW))
        ins = shape.ins
        for arg, kind, data in event.fields:
            word = ins.get(arg) if kind == IN else None
            if word == "path":
                path = event.data(RESOLVED, arg) or data
                parts.append(self.names.logical(path) if path else self._descriptor(event.task, args[0] & _LOW))
            elif word:
                parts.append(data)
        return tuple(parts)

    def _outcome(self, event: Event, shape: Shape) -> tuple[Any, ...]:
        """What it gave, without what always differs."""
        parts: list[Any] = []
        if shape.result == "pid":
            parts.append(self._relation(event.task, event.result))
        elif shape.result not in ("fd", "addr", "none", "seconds"):
            parts.append(event.result)
        is_given = shape.fds[:1] == (0,) or bool(shape.outs) and event.data(IN, 1) == b""
        for arg, kind, data in event.fields:
            if is_given and event.args[0] & _LOW < 3 and shape.outs.get(arg) in ("stat", "statx"):
                continue   # of a standard stream: what is behind it is not the experiment's
            if kind == OUT and arg in shape.outs:
                parts.append(stable_part(shape.outs[arg], data))
            elif kind == ARGV:
                parts += [self.names.argument(part) for part in data.split(b"\0")]
            elif kind in (SCRIPT, LOADER):
                parts.append(self.names.logical(data))
        return tuple(parts)

    def _descriptor(self, task: int, fd: int) -> Any:
        known = self._files.get(self._leader(task), {}).get(fd)
        return known if known is not None else fd if fd < 3 else "descriptor"

    def _relation(self, task: int, pid: int) -> Any:
        """A process id, from where the task stands."""
        if pid in (0, _LOW):
            return pid
        known = self._pids.get(pid)
        if known is None:
            return "process"
        mine = self._task(task)
        if known in (task, mine.leader):
            return "self"
        if known == mine.parent:
            return "parent"
        return "child" if self._task(known).parent in (task, mine.leader) else "relative"

    def _name_stream(self, event: Event, shape: Shape) -> None:
        path = event.data(RESOLVED) or event.data(IN, 1) or event.data(IN, 0)
        if shape.hook is Hook.OPEN and path:
            name = codec.text(self.names.logical(path))
            if path.startswith(_KERNEL_STATE) or path[6:7].isdigit() and path.startswith(b"/proc/"):
                self._natural_streams.add(name)
        elif shape.hook is Hook.DUP or shape.name == "fcntl":
            return
        else:
            name = shape.name
        self._streams[event.stream] = name

    def _move(self, number: int, event: Event, shape: Shape) -> None:
        """Join bytes to those that the task moved just before, and to all of the process."""
        wanted = OUT if shape.moves == READ else IN
        data = b"".join([data for arg, kind, data in event.fields
                         if kind == wanted and arg in shape.data_args])
        if shape.result == "len":
            data = data[:event.result]
        if not data:
            return
        source = self._streams.get(event.stream) or f"stream {event.stream}"
        if source in self._natural_streams:
            self.trace.by_nature(LOAD, hash(data))
            self.trace.ask(self._leader(event.task), source, number)
            return
        self.trace.move(self._leader(event.task), shape.moves, source, data, number)
        run = self._runs.get(event.task)
        if run is None or run.direction != shape.moves or run.source != source:
            if run is not None:
                self._finish_run(event.task)
            run = self._runs[event.task] = _Run(shape.moves, source, number, 0, hashlib.blake2b(digest_size=8))
        run.size += len(data)
        run.digest.update(data)

    def _use(self, number: int, event: Event, shape: Shape) -> None:
        """Which files the call read or wrote."""
        leader = self._leader(event.task)
        paths = event.all_data(RESOLVED)
        if shape.hook is Hook.EXEC:
            self._execute(number, event)
        elif shape.hook is Hook.TREE:
            if shape.name.startswith(("mkdir", "link", "symlink")) and paths:
                self.names.made(paths[-1])
        elif paths and not event.stream:
            if is_exclusive(open_flags(event)):
                self.names.made(paths[0])
            self._files.setdefault(leader, {})[event.result] = self.names.logical(paths[0])
            if open_flags(event) & _DIRECTORY:
                self._folders[leader, event.result] = codec.text(paths[0])
        for path, kind in file_uses(event):
            if kind in _COUNTED:
                self.trace.use(leader, codec.text(path), number, kind != FILE_READ)

    def _list(self, number: int, event: Event, shape: Shape) -> None:
        """What a directory has, of a folder of Python packages which these are."""
        leader = self._leader(event.task)
        path = self._folders.get((leader, event.args[0] & _LOW), "")
        names = codec.text(stable_part(shape.outs[1], event.data(OUT, 1) or b"")).split("\0")
        if path:
            self.trace.looks.list(number, leader, path, names)
        if path.endswith(("/site-packages", "/dist-packages")):
            self.trace.packages.update(installed(names))

    def _execute(self, number: int, event: Event) -> None:
        path = event.data(RESOLVED) or event.data(IN) or b""
        argv = (event.data(ARGV) or b"").split(b"\0")[:-1]
        task = self._task(event.task)
        scripts = event.all_data(SCRIPT)
        label = [self.names.logical(part) for part in (path, *scripts)]
        label += [self.names.argument(part) for part in argv]
        task.execs.append(Exec(number, codec.text(path), tuple(codec.text(part) for part in argv),
                               tuple(codec.text(part) for part in label)))


def _asked_chance(event: Event, shape: Shape) -> str:
    """What a call got that a program may act upon: the date, random numbers, a time that passed, its number; "" for none.

    The eight bytes that every C library asks for are left out.
    """
    if shape.name in ("gettimeofday", "time") or (
            shape.name == "clock_gettime" and event.args[0] & _LOW in _DATES):
        return DATE
    if shape.nature == RANDOM and not (event.result == 8 and event.args[2] & _LOW == _NONBLOCK):
        return RANDOM
    if shape.name in ("times", "getrusage"):
        return PROCESSOR_TIME
    if shape.name == "clock_gettime":
        return PROCESSOR_TIME if event.args[0] & _LOW in _OF_PROCESSOR else DURATION
    return PROCESS_ID if shape.name in ("getpid", "gettid", "getppid") else ""


def read_trace(log: BinaryIO, cwd: str, spool: Spool | None = None) -> Trace:
    """The trace of a log.

    Args:
        log: its decompressed bytes; closed in the end.
        cwd: working directory of the experiment.
        spool: takes the entries; None for a new one.
    Raises:
        Damaged, TooNew: the log cannot be read.
    """
    with LogReader(log) as reader:
        return Canonical(cwd, spool).read(reader)
