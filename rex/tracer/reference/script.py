"""The log as a replay needs it: for each task the answers that it will get, and the order between processes."""

from __future__ import annotations

import os
import struct
import time
from dataclasses import dataclass, field

from rex.errors import Damaged
from rex.log import LogReader
from rex.log.records import (DUP, EXIT, IN, MAPPED, NO_TASK, NOTE, OUT, PIPE, RANDOM, RESOLVED, RESULT, SHARED, SIGNAL, TASK, TSC,
                             Event, Moment)
from rex.syscalls import BY_NAME, CALLS, Hook, Key
from rex.tracer.reference.callkeys import CallKey, is_writing, key_of
from rex.tracer.reference.kernel import SIGINFO_BYTES

LOOKAHEAD = 20000
CLOCK_GETTIME = BY_NAME["clock_gettime"].nr

_OPEN, _CREAT, _OPENAT2 = (BY_NAME[name].nr for name in ("open", "creat", "openat2"))
_WRITES = frozenset((BY_NAME["write"].nr, BY_NAME["writev"].nr))
_FAULTS = frozenset((11, 7, 8, 4, 5, 31))       # SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS
_INFO = struct.Struct("<8xii")                  # siginfo: si_code, si_pid
_PAIR = struct.Struct("<ii")


def number_of(info: bytes) -> int:
    """si_signo: which signal it is."""
    return int.from_bytes(info[:4], "little")


def code_and_pid(info: bytes) -> tuple[int, int]:
    """si_code, above 0 where the kernel itself raised the signal; and who sent it or ended."""
    code, pid = _INFO.unpack_from(info)
    return code, pid


def is_fault(number: int, info: bytes) -> bool:
    """Whether the program's own instruction raised the signal."""
    return number in _FAULTS and code_and_pid(info)[0] > 0


@dataclass(eq=False)
class Entry:
    """One event of the log, and whether it has happened in the replay.

    `number` is its place in the log, `place` among the events of its task.
    """

    event: Event
    number: int
    place: int = 0
    is_done: bool = False
    is_ordered: bool = False

    @property
    def signal(self) -> int:
        """The number of its signal, or 0."""
        return self.event.args[0] if self.event.call == SIGNAL else 0

    @property
    def info(self) -> bytes:
        """The siginfo of that signal."""
        return self.event.data(OUT) or b""

    @property
    def is_asynchronous(self) -> bool:
        """Whether it is a signal that somebody has to send."""
        return bool(self.signal) and len(self.info) >= SIGINFO_BYTES and not is_fault(self.signal, self.info)


@dataclass(eq=False)
class Script:
    """What the log holds for one task, in its order.

    `tid` is its number when recorded; `clock_at_ns` is when it last read a clock, at first the
    replay's start.
    """

    index: int = NO_TASK
    tid: int = 0
    birth: Event | None = None
    exit: Entry | None = None
    entries: list[Entry] = field(default_factory=list)
    cursor: int = 0
    clock_at_ns: int = field(default_factory=time.monotonic_ns)
    _by_key: dict[CallKey, list[Entry]] = field(default_factory=dict)
    _heads: dict[CallKey, int] = field(default_factory=dict)

    def inherited(self) -> list[tuple[int, int]]:
        """Descriptors of the first task that came from outside, with their streams."""
        data = (self.birth.data(OUT) if self.birth else None) or b""
        return list(_PAIR.iter_unpack(data[:len(data) // _PAIR.size * _PAIR.size]))

    def add(self, entry: Entry, key: CallKey) -> None:
        """The task's next event."""
        entry.place = len(self.entries)
        self.entries.append(entry)
        self._by_key.setdefault(key, []).append(entry)

    def next(self) -> Entry | None:
        """The first event that has not happened yet."""
        entries = self.entries
        while self.cursor < len(entries) and entries[self.cursor].is_done:
            self.cursor += 1
        return entries[self.cursor] if self.cursor < len(entries) else None

    def awaits_unblock(self) -> bool:
        """Whether its next event is a signal that came as rt_sigprocmask let it in."""
        following = self.next()
        return bool(following and following.signal) and following.event.args[2] == Moment.AT_UNBLOCK

    def after(self, entry: Entry) -> Entry | None:
        """The first after another that has not happened yet."""
        places = range(entry.place + 1, len(self.entries))
        return next((self.entries[i] for i in places if not self.entries[i].is_done), None)

    def _first(self, key: CallKey) -> Entry | None:
        same, head = self._by_key.get(key, ()), self._heads.get(key, 0)
        while head < len(same) and same[head].is_done:
            head += 1
        self._heads[key] = head
        return same[head] if head < len(same) else None

    def find(self, key: CallKey) -> Entry | None:
        """The first event of that key that has not happened yet and is not far off."""
        found = self._first(key)
        self.next()
        return found if found and found.place < self.cursor + LOOKAHEAD else None

    def last(self, key: CallKey) -> Entry | None:
        """The last event of that key that has happened."""
        return next((e for e in reversed(self._by_key.get(key, ())) if e.is_done), None)

    def finish(self) -> None:
        """What is left will not happen."""
        for entry in self.entries[self.cursor:]:
            entry.is_done = True


class Log:
    """All events: by task, and in the order that processes must keep."""

    def __init__(self, path: str) -> None:
        """Read a log.

        Raises:
            Damaged, TooNew: as LogReader; or an event of a task that was never born.
        """
        self._scripts: list[Script] = []
        self._children: dict[tuple[int, int], Script] = {}
        self.has_threads = False
        entries: list[Entry] = []
        with LogReader(path) as reader:
            for number, event in enumerate(reader):
                entries.append(Entry(event, number))
                self._add(entries[-1])
        self.count = len(entries)
        self.changed = {path for entry in entries for path in _changed_paths(entry.event)}
        self._ordered = [entry for entry in entries if self._is_ordered(entry.event)]
        for entry in self._ordered:
            entry.is_ordered = True
        self._head = 0                # no event of these lies before it that has not happened

    def _add(self, entry: Entry) -> None:
        event = entry.event
        if event.task > len(self._scripts):
            raise Damaged("the log is damaged", f"at event {entry.number}: task {event.task} was never born")
        script = self.script(event.task)
        if event.call == TASK:
            script.birth, script.tid = event, event.args[3]
            self._children[event.args[0], event.args[1]] = script
            self.has_threads |= event.args[4] != script.tid
            entry.is_done = True
        elif event.call == EXIT:
            script.exit = entry
        elif event.call not in (NOTE, DUP, PIPE, RANDOM, SHARED, MAPPED, RESULT):
            script.add(entry, _key(event))

    def script(self, task: int) -> Script:
        """What the log holds for a task, which may be nothing."""
        while len(self._scripts) <= task:
            self._scripts.append(Script(len(self._scripts)))
        return self._scripts[task]

    def scripts_from(self, task: int) -> list[Script]:
        """Those of this task and all that were born later."""
        return self._scripts[task:]

    def named(self, recorded_tid: int) -> Script | None:
        """By process id as recorded; of several, the last to begin."""
        return next((s for s in reversed(self._scripts) if s.birth and s.tid == recorded_tid), None)

    def child(self, parent: int, ordinal: int) -> Script | None:
        """What it holds for a task's child of that ordinal."""
        return self._children.get((parent, ordinal))

    def is_turn(self, entry: Entry) -> bool:
        """Whether all has happened that other processes do before it."""
        if not entry.is_ordered:
            return True
        ordered = self._ordered
        while self._head < len(ordered) and ordered[self._head].is_done:
            self._head += 1
        for i in range(self._head, len(ordered)):
            other = ordered[i]
            if other.number >= entry.number:
                break
            if not other.is_done and other.event.task != entry.event.task:
                return False
        return True

    def _is_ordered(self, event: Event) -> bool:
        call = CALLS.get(event.call)
        if event.call == EXIT:
            return True
        if call is None or event.result < 0:
            return False
        if call.hook in (Hook.TREE, Hook.EXIT) or (call.hook is Hook.CLOSE and not event.stream):
            return True
        if event.call in _WRITES:
            return event.stream in (2, 3)
        return call.hook is Hook.OPEN and not event.stream and event.data(RESOLVED) in self.changed


def _key(event: Event) -> CallKey:
    call = CALLS.get(event.call)
    if call is None:
        return event.call, None
    return key_of(call, event.data(IN) if call.key is Key.PATH else None, event.stream, event.args)


def _changed_paths(event: Event) -> list[bytes]:
    call = CALLS.get(event.call)
    if call is None or event.result < 0 or not (call.hook is Hook.TREE or _is_writing_open(event)):
        return []
    return event.all_data(RESOLVED)


def _is_writing_open(event: Event) -> bool:
    if CALLS[event.call].hook is not Hook.OPEN or event.stream:
        return False
    if event.call in (_OPENAT2, _CREAT):
        return True                   # openat2 keeps its flags in memory: they are not in the log
    return is_writing(event.args[1] if event.call == _OPEN else event.args[2])


def name_of(nr: int) -> str:
    """A call or special event as a divergence names it."""
    if nr in CALLS:
        return CALLS[nr].name
    return {SIGNAL: "signal", TSC: "rdtsc"}.get(nr, "?")


def describe(entry: Entry | None) -> str:
    """An event as a divergence quotes it."""
    if entry is None:
        return "nothing more"
    event, path = entry.event, entry.event.data(IN)
    if path is not None and event.call in CALLS and CALLS[event.call].key is Key.PATH:
        return f'{name_of(event.call)} "{os.fsdecode(path)}"'
    return name_of(event.call)


