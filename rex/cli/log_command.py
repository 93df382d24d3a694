"""rex log"""

from __future__ import annotations

import fnmatch
import json
import sys
from typing import TYPE_CHECKING, Any, Iterator

import click

from rex.cli.options import named_by_options
from rex.cli.table import guarded, open_ref
from rex.errors import UsageError
from rex.text import quoted

if TYPE_CHECKING:
    from rex.log import Event, LogReader

_SIDE = 20            # events shown on either side of --around
_BATCH_LINES = 512    # lines handed to the kernel at once
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
        self.first = max(0, around - _SIDE) if around is not None else 0
        self.last = around + _SIDE if around is not None else _LAST
        self._streams: dict[int, bool] = {}
        self.pids: dict[int, int] = {}

    @property
    def needs_all(self) -> bool:
        """Whether every event must be decoded: streams are known by the event that made them."""
        return self._pattern is not None

    def takes(self, number: int, event: "Event") -> bool:
        """Whether the event is to be shown; learns from each that it is asked about."""
        from rex.log.records import TASK
        if event.call == TASK:
            self.pids[event.task] = event.args[4]
        on_path = self._is_on_path(event) if self._pattern is not None else True
        return (self.first <= number <= self.last and on_path
                and (self.calls is None or event.call in self.calls)
                and (self._task is None or event.task == self._task)
                and (self._pid is None or self.pids.get(event.task) == self._pid))

    def _is_on_path(self, event: "Event") -> bool:
        """By a name it gives, or by the stream that such a call opened."""
        found = any(matches(path, self._pattern or "") for path in paths_of(event))
        if event.stream > 3 and event.result >= 0 and makes_descriptor(event):
            self._streams[event.stream] = found
        return found or self._streams.get(event.stream, False)


def makes_descriptor(event: "Event") -> bool:
    """Whether the call gave a new descriptor."""
    from rex.syscalls import CALLS
    return event.call in CALLS and CALLS[event.call].ret == "fd"


def paths_of(event: "Event") -> list[str]:
    """Every path in an event: as the program gave it, and as it was resolved."""
    from rex import codec
    from rex.log.records import IN, LOADER, RESOLVED, SCRIPT
    from rex.syscalls import CALLS
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
    from rex.log.records import SPECIAL_NAMES
    from rex.syscalls import BY_NAME, CALLS
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


def chosen_events(reader: "LogReader", choice: Choice) -> Iterator[tuple[int, "Event"]]:
    """The events to show, each with its number."""
    calls = None if choice.needs_all else choice.calls
    numbering = Numbering(calls, 0 if choice.needs_all else choice.first, choice.last)
    for event in reader.select(numbering):
        if numbering.number > choice.last:
            return
        if choice.takes(numbering.number, event):
            yield numbering.number, event


def call_name(event: "Event") -> str:
    """The call's name; TASK, SIGNAL, ... for what is no call."""
    from rex.log.records import SPECIAL_NAMES
    from rex.syscalls import CALLS
    if event.call in SPECIAL_NAMES:
        return SPECIAL_NAMES[event.call]
    return CALLS[event.call].name if event.call in CALLS else f"syscall_{event.call:#x}"


def event_json(number: int, event: "Event", pid: int | None) -> dict[str, Any]:
    """An event for machines; data is text in which bytes that are not UTF-8 are lone surrogates."""
    from rex import codec
    from rex.log.records import FIELD_NAMES, NO_ARG
    from rex.syscalls.format import format_event
    return {"event": number, "task": event.task, "pid": pid, "call": call_name(event),
            "args": [f"{value:#x}" for value in event.args], "result": event.result,
            "time_s": event.time_ns / 1e9, "stream": event.stream,
            "paths": paths_of(event), "text": format_event(event),
            "fields": [{"arg": None if arg == NO_ARG else arg, "type": FIELD_NAMES.get(kind, str(kind)),
                        "data": codec.text(data)} for arg, kind, data in event.fields]}


def lines(reader: "LogReader", choice: Choice, as_json: bool, times: bool,
          around: int | None) -> Iterator[str]:
    """What to print, line by line."""
    from rex.syscalls.format import format_event
    width = len(str(reader.count)) if reader.count else 7
    for number, event in chosen_events(reader, choice):
        if as_json:
            yield json.dumps(event_json(number, event, choice.pids.get(event.task)))
            continue
        mark = ">" if number == around else " " if around is not None else ""
        when = f"{event.time_ns / 1e9:.6f} " if times else ""
        yield f"{mark}{number:{width}} {event.task:3}  {when}{format_event(event)}"


def write_lines(found: Iterator[str]) -> None:
    """Write lines in batches: one write for each would cost more than to format it."""
    batch: list[str] = []
    for line in found:
        batch.append(line)
        if len(batch) >= _BATCH_LINES:
            sys.stdout.write("\n".join(batch) + "\n")
            batch.clear()
    if batch:
        sys.stdout.write("\n".join(batch) + "\n")


@click.command("log", epilog="Example: rex log EXP:exp0 --call %file --path '*.csv'   "
               "Exit: 0 done, 2 bad request, 10 no such experiment, 12 format too new, 13 log damaged.")
@click.argument("ref", metavar="[ARCHIVE[:EXP]]", default="__default")
@click.option("--task", type=click.IntRange(min=0), help="Only this task (thread), as the log numbers it.")
@click.option("--pid", type=click.IntRange(min=0), help="Only the process that had this process id.")
@click.option("--path", "pattern", metavar="GLOB",
              help="Only calls that name such a path, or use a stream that was opened by it.")
@click.option("--call", "names", multiple=True, metavar="NAME",
              help="Only these calls: openat, 'open*', %file, signal; may be repeated.")
@click.option("--around", type=click.IntRange(min=0), metavar="N",
              help=f"Event N and {_SIDE} on either side.")
@click.option("-t", "--times", is_flag=True, help="Also seconds since the start.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@named_by_options("ref")
@guarded
def command(ref: str, task: int | None, pid: int | None, pattern: str | None, names: tuple[str, ...],
            around: int | None, times: bool, as_json: bool) -> int:
    """Print the syscall log of an experiment in strace's notation: event
    number, task, call. Unfinished experiments have one too."""
    from rex.log import LogReader
    _, experiment = open_ref(ref)
    if experiment.is_session:
        raise UsageError(f"{experiment.name} is a notebook session", "no system call was logged",
                         f"see: rex notebook log {quoted(ref)}")
    choice = Choice(find_calls(names), task, pid, pattern, around)
    with LogReader(experiment.open_log()) as reader:
        if around is not None and reader.is_finished and around >= reader.count:
            raise UsageError(f"there is no event {around}", f"the log has {reader.count} events")
        write_lines(lines(reader, choice, as_json, times, around))
        if not reader.is_finished:
            sys.stdout.flush()
            click.echo(f"rex: the log of {experiment.name} is unfinished: the experiment is "
                       f"{experiment.state}", err=True)
    return 0
