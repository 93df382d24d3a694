"""The calls of two experiments, process by process: in step, with another outcome, or skipped."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, Callable

from rex.expdiff.processes import Matches
from rex.expdiff.resync import CHANGED, SAME, SKIPPED_LEFT, WINDOW, resynchronise
from rex.expdiff.trace import Task, Trace
from rex.log import LogReader
from rex.syscalls.format import format_event

if TYPE_CHECKING:
    from rex.expdiff.spool import Entry

SHOWN = 8                # calls of a stretch that are kept with their text
_MAX_STRETCHES = 2000    # of one process; more are counted
_MAX_TEXTS = 20000       # of one comparison
_TEXT_CHARS = 400


@dataclass
class Skipped:
    """Calls that one log skipped in a stretch: how many, and the numbers of the first few."""

    count: int = 0
    first: int = -1
    last: int = -1
    events: list[int] = field(default_factory=list)

    def add(self, event: int) -> None:
        """Skip one more."""
        self.first = event if self.first < 0 else self.first
        self.last = event
        self.count += 1
        if len(self.events) < SHOWN:
            self.events.append(event)

    def as_json(self, texts: dict[int, str]) -> dict[str, Any]:
        """The stretch's one side as `--json` prints it."""
        return {"count": self.count, "first": self.first, "last": self.last,
                "calls": [{"event": event, "text": texts.get(event, "")} for event in self.events]}


@dataclass
class Stretch:
    """A place where two logs part: what each skipped, or one call with two outcomes."""

    is_changed: bool = False
    left: Skipped = field(default_factory=Skipped)
    right: Skipped = field(default_factory=Skipped)


@dataclass
class ProcessCalls:
    """How the calls of two matched tasks differ; of a task without counterpart one side is None."""

    left: int | None
    right: int | None
    name: str
    in_step: int = 0
    changed: int = 0
    skipped_left: int = 0
    skipped_right: int = 0
    stretches: list[Stretch] = field(default_factory=list)
    stretches_count: int = 0

    @property
    def is_same(self) -> bool:
        """Whether the canonical logs agree."""
        return self.left is not None and self.right is not None and not self.stretches_count

    def stretch(self, is_changed: bool) -> Stretch:
        """A new stretch, kept unless there are too many."""
        self.stretches_count += 1
        made = Stretch(is_changed)
        if len(self.stretches) < _MAX_STRETCHES:
            self.stretches.append(made)
        return made


@dataclass
class Calls:
    """The calls of two experiments compared.

    Attributes:
        processes: those that differ, in the order of the left log, then those only in the right one.
        texts: calls that are shown, as `rex log` prints them, by side and event number.
    """

    in_step: int = 0
    compared: int = 0
    processes: list[ProcessCalls] = field(default_factory=list)
    texts: tuple[dict[int, str], dict[int, str]] = field(default_factory=lambda: ({}, {}))

    def as_json(self) -> dict[str, Any]:
        """The calls as `--json` prints them."""
        return {"in_step": self.in_step, "processes_compared": self.compared, "processes": [
            {"left": each.left, "right": each.right, "name": each.name, "in_step": each.in_step,
             "changed": each.changed, "skipped_left": each.skipped_left, "skipped_right": each.skipped_right,
             "stretches_count": each.stretches_count, "stretches": [
                 {"kind": "changed" if stretch.is_changed else "skipped",
                  "left": stretch.left.as_json(self.texts[0]), "right": stretch.right.as_json(self.texts[1])}
                 for stretch in each.stretches]} for each in self.processes]}


def compare_calls(left: Trace, right: Trace, matches: Matches, window: int = WINDOW) -> Calls:
    """The calls of all tasks; times, process ids and their like never count."""
    found = Calls()
    for one, two in matches.items():
        each = _compare_task(left, right, one, two, window)
        found.in_step += each.in_step
        found.compared += 1
        if not each.is_same:
            found.processes.append(each)
    matched = set(matches.values())
    found.processes += [_alone(left, task, True) for task in left.tasks.values() if task.number not in matches]
    found.processes += [_alone(right, task, False) for task in right.tasks.values() if task.number not in matched]
    return found


def _compare_task(left: Trace, right: Trace, one: int, two: int, window: int) -> ProcessCalls:
    names = (left.tasks[one].name, right.tasks[two].name)
    found = ProcessCalls(one, two, names[0] if names[0] == names[1] else f"{names[0]} / {names[1]}")
    gap: Stretch | None = None
    for step in resynchronise(left.entries.entries(one), right.entries.entries(two), window):
        if step.kind == SAME:
            found.in_step += 1
            gap = None
        elif step.kind == CHANGED:
            found.changed += 1
            gap = None
            _note(found.stretch(True), step.left, step.right)
        else:
            gap = gap or found.stretch(False)
            _note(gap, step.left, step.right)
            if step.kind == SKIPPED_LEFT:
                found.skipped_left += 1
            else:
                found.skipped_right += 1
    return found


def _note(stretch: Stretch, left: "Entry | None", right: "Entry | None") -> None:
    if left:
        stretch.left.add(left[2])
    if right:
        stretch.right.add(right[2])


def _alone(trace: Trace, task: Task, is_left: bool) -> ProcessCalls:
    """A task without counterpart: all its calls are skipped."""
    found = ProcessCalls(task.number if is_left else None, None if is_left else task.number, task.name)
    stretch = found.stretch(False)
    side = stretch.left if is_left else stretch.right
    for _, _, event in trace.entries.entries(task.number):
        side.add(event)
    if is_left:
        found.skipped_left = side.count
    else:
        found.skipped_right = side.count
    return found


def add_texts(calls: Calls, open_logs: tuple[Callable[[], BinaryIO], Callable[[], BinaryIO]]) -> None:
    """Read both logs once more for the text of the calls that are shown."""
    for side, open_log in enumerate(open_logs):
        wanted: set[int] = set()
        for process in calls.processes:
            for stretch in process.stretches:
                if len(wanted) < _MAX_TEXTS:
                    wanted.update((stretch.right if side else stretch.left).events)
        if wanted:
            with LogReader(open_log()) as reader:
                calls.texts[side].update(_texts(reader, wanted))


class _Wanted:
    """Tells a reader which events to decode; it is asked once per event, in order."""

    def __init__(self, wanted: set[int]) -> None:
        self.number = -1
        self.wanted = wanted
        self.last = max(wanted)

    def __contains__(self, call: object) -> bool:
        self.number += 1
        return self.number in self.wanted or self.number > self.last


def _texts(reader: LogReader, wanted: set[int]) -> dict[int, str]:
    choice, found = _Wanted(wanted), {}
    for event in reader.select(choice):
        if choice.number > choice.last:
            break
        text = format_event(event)
        found[choice.number] = text if len(text) <= _TEXT_CHARS else text[:_TEXT_CHARS] + "…"
    return found
