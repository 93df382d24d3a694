"""Which events of a log somebody wants to see: by call, task, process, path or number."""

from __future__ import annotations

import fnmatch
from typing import Iterator

from rex import codec
from rex.errors import UsageError
from rex.log.reader import LogReader
from rex.log.records import IN, LOADER, RESOLVED, SCRIPT, SPECIAL_NAMES, TASK, Event
from rex.syscalls import BY_NAME, CALLS

SIDE = 20             # events shown on either side of one
_LAST = 1 << 63


class Numbering:
    """Tells a reader which events to decode, and counts all of them.

    The reader asks once per event, in order: so events keep their numbers
    though most are never decoded.
    """

    def __init__(self, calls: frozenset[int] | None, first: int, last: int) -> None:
        self.number = -1
        self._calls = calls
        self._first = first
        self._last = last

    def __contains__(self, call: object) -> bool:
        self.number += 1
        if self.number > self._last:
            return True   # decoded once, so that the loop around it can end
        return call in _KNOWLEDGE or self.number >= self._first and (
            self._calls is None or call in self._calls)


# Decoded always: they tell which process a task belongs to.
_KNOWLEDGE = frozenset({0x8000})


class Choice:
    """Which events to show."""

    def __init__(self, calls: frozenset[int] | None, task: int | None, pid: int | None,
                 pattern: str | None, around: int | None) -> None:
        self.calls = calls
        self._task = task
        self._pid = pid
        self._pattern = pattern
        self.first = max(0, around - SIDE) if around is not None else 0
        self.last = around + SIDE if around is not None else _LAST
        self._streams: dict[int, bool] = {}
        self.pids: dict[int, int] = {}

    @property
    def needs_all(self) -> bool:
        """Whether every event must be decoded: streams are known by the event that made them."""
        return self._pattern is not None

    def takes(self, number: int, event: Event) -> bool:
        """Whether the event is to be shown; learns from each that it is asked about."""
        if event.call == TASK:
            self.pids[event.task] = event.args[4]
        on_path = self._is_on_path(event) if self._pattern is not None else True
        return (self.first <= number <= self.last and on_path
                and (self.calls is None or event.call in self.calls)
                and (self._task is None or event.task == self._task)
                and (self._pid is None or self.pids.get(event.task) == self._pid))

    def _is_on_path(self, event: Event) -> bool:
        """By a name it gives, or by the stream that such a call opened."""
        found = any(matches(path, self._pattern or "") for path in paths_of(event))
        if event.stream > 3 and event.result >= 0 and makes_descriptor(event):
            self._streams[event.stream] = found
        return found or self._streams.get(event.stream, False)


def makes_descriptor(event: Event) -> bool:
    """Whether the call gave a new descriptor."""
    return event.call in CALLS and CALLS[event.call].ret == "fd"


def paths_of(event: Event) -> list[str]:
    """Every path in an event: as the program gave it, and as it was resolved."""
    call = CALLS.get(event.call)
    found = []
    for arg, kind, data in event.fields:
        is_name = kind == IN and call and arg < len(call.args) and call.args[arg].word == "path"
        if is_name or kind in (RESOLVED, SCRIPT, LOADER):
            found.append(codec.text(data))
    return list(dict.fromkeys(found))


def matches(path: str, pattern: str) -> bool:
    """Whether a path fits the glob; one without a slash is held against the last name."""
    name = path if "/" in pattern else path.rpartition("/")[2]
    return fnmatch.fnmatchcase(name, pattern)


def find_calls(names: tuple[str, ...]) -> frozenset[int] | None:
    """Numbers of the calls named: openat, open*, %file, signal; None for all.

    Raises:
        UsageError: there is no such call.
    """
    if not names:
        return None
    known = [(name.lower(), nr) for nr, name in SPECIAL_NAMES.items()]   # exit is both
    known += [(name, call.nr) for name, call in BY_NAME.items()]
    chosen: set[int] = set()
    for name in ",".join(names).split(","):
        found = ({nr for nr, call in CALLS.items() if name[1:] in call.marks} if name[:1] == "%"
                 else {nr for each, nr in known if fnmatch.fnmatchcase(each, name.lower())})
        if not found:
            raise UsageError(f"no system call named {name}", "",
                             "write a name, a glob, %file, %net, ..., or task, signal, exit, tsc, note")
        chosen |= found
    return frozenset(chosen)


def chosen_events(reader: LogReader, choice: Choice) -> Iterator[tuple[int, Event]]:
    """The events to show, each with its number."""
    calls = None if choice.needs_all else choice.calls
    numbering = Numbering(calls, 0 if choice.needs_all else choice.first, choice.last)
    for event in reader.select(numbering):
        if numbering.number > choice.last:
            return
        if choice.takes(numbering.number, event):
            yield numbering.number, event


def call_name(event: Event) -> str:
    """The call's name; TASK, SIGNAL, ... for what is no call."""
    if event.call in SPECIAL_NAMES:
        return SPECIAL_NAMES[event.call]
    return CALLS[event.call].name if event.call in CALLS else f"syscall_{event.call:#x}"
