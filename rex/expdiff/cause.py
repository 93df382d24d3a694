"""Why an output differs: back along who read and wrote what, to the first thing that differs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator

from rex.expdiff.difference import CACHE, CHANCE, FILE, FOLLOWING, LOOK, PLACE, MEASURE, RUNNING, STARTING, STARTING_DATE, STARTING_MEASURE, VARIABLE, Cause, Difference, Suspect
from rex.expdiff.shapes import RANDOM
from rex.expdiff.trace import DATE, DURATION, END, Trace

_CACHES = frozenset(("/etc/ld.so.cache",))
_CHANCES = {RANDOM: (CHANCE, STARTING), DATE: (CHANCE, STARTING_DATE), DURATION: (RUNNING, RUNNING)}   # at work, and as the program starts
_NEAR = 16   # siblings on either side that a pipe may connect


@dataclass
class Suspects:
    """What may be the reason, as one side knows it.

    Attributes:
        files: by path.
        streams: by process and name of the stream.
        given: differences that the experiment had from its start, with their ranks.
        commands: tasks that were started with another command than their counterparts.
    """

    files: dict[str, Suspect] = field(default_factory=dict)
    streams: dict[tuple[int, str], Suspect] = field(default_factory=dict)
    given: list[Suspect] = field(default_factory=list)
    commands: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Step:
    """A process on the way to an output: what it did that matters, and for whom."""

    process: int
    until: int           # events behind this one cannot matter
    made: str            # "wrote /x", "started", "may have piped to"
    next: "Step | None"
    near: int = END      # the event that made it
    told: bool = True    # whether what its children found out can have come to it in time
    distance: int = 0    # processes between it and the output


class Story:
    """Who read and wrote what in one experiment."""

    def __init__(self, trace: Trace, suspects: Suspects) -> None:
        self.trace = trace
        self.suspects = suspects
        self._reads: dict[int, list[tuple[int, str]]] = {}
        self._writers: dict[str, list[tuple[int, int]]] = {}
        for (process, path), event in trace.reads.items():
            self._reads.setdefault(process, []).append((event, path))
        for (process, path), event in trace.looks.events.items():
            if path in suspects.files and (process, path) not in trace.reads:
                self._reads.setdefault(process, []).append((event, path))
        for (process, path), event in trace.writes.items():
            self._writers.setdefault(path, []).append((event, process))
        for each in (*self._reads.values(), *self._writers.values()):
            each.sort()
        self._by_process: dict[int, list[tuple[int, Suspect]]] = {}
        for (process, name), suspect in suspects.streams.items():
            flow = trace.flows.get((process, "read", name))
            if flow:
                self._by_process.setdefault(process, []).append((flow.event, suspect))
        for (process, kind), events in trace.chance.items():
            what, begun = f"{trace.name(process)} asked for {kind}", self._begin_of_work(process)
            for event in events:
                rank = _CHANCES.get(kind, (MEASURE, STARTING_MEASURE))[event <= begun]
                self._by_process.setdefault(process, []).append((event, Suspect(what, "by nature", kind, rank)))
        self._find_family()

    def _begin_of_work(self, process: int) -> int:
        """The event with which a program opened what its command line names, as an interpreter its script; 0 if it names nothing."""
        task = self.trace.tasks.get(process)
        named = {word.removeprefix("./") for word in task.execs[-1].command[1:]} if task and task.execs else set()
        return next((event for event, path in self._reads.get(process, ())
                     if any(path == word or path.endswith("/" + word) for word in named if word)), 0)

    def _find_family(self) -> None:
        """Processes by parent, in order of creation, and the place of each among its siblings."""
        self._children: dict[int, list[int]] = {}
        self._places: dict[int, int] = {}
        for number, task in sorted(self.trace.tasks.items()):
            if task.parent is not None and not task.is_thread:
                siblings = self._children.setdefault(self._leader(task.parent), [])
                self._places[number] = len(siblings)
                siblings.append(number)

    def _leader(self, task: int) -> int:
        known = self.trace.tasks.get(task)
        return known.leader if known else task

    def writers(self, path: str) -> list[tuple[int, int]]:
        """The processes that wrote a file, each with the event of that."""
        return sorted((process, event) for event, process in self._writers.get(path, ()))

    def reach(self, starts: list[Step], through_pipes: bool) -> list[Step]:
        """Every process that can have led to the starts, with the latest event that matters in it.

        Pipes between processes leave no trace in a log. With through_pipes each
        child may have sent its parent something, and each process its siblings
        that lived at the same time.
        """
        found: dict[tuple[int, bool], Step] = {}
        waiting = deque(starts)   # the nearest first: so ways are short
        while waiting:
            step = waiting.popleft()
            known = [found.get((step.process, told)) for told in {True, step.told}]
            if any(each and each.until >= step.until for each in known):
                continue
            found[step.process, step.told] = step
            waiting.extend(self._before(step))
            if through_pipes:
                waiting.extend(self._piped(step))
        return list(found.values())

    def _before(self, step: Step) -> Iterator[Step]:
        task = self.trace.tasks.get(step.process)
        if task and task.parent is not None:
            yield Step(self._leader(task.parent), task.start, f"started {self.trace.name(step.process)}", step, task.start,
                       step.process in self.suspects.commands, step.distance + 1)
        for event, path in self._reads.get(step.process, ()):
            if event > step.until:
                break
            for written, writer in self._writers.get(path, ()):
                if written > event:
                    break
                if writer != step.process or not step.told:   # or a child of its, through what it opened
                    yield Step(writer, event, f"wrote {self.trace.logical(path)}", step, written, True, step.distance + 1)

    def _piped(self, step: Step) -> Iterator[Step]:
        me = self.trace.tasks.get(step.process)
        if me is None:
            return
        name = self.trace.name(step.process)
        # What children sent a parent reached the child that it started then only through its command.
        for number in self._children.get(step.process, ()) if step.told else ():
            child = self.trace.tasks[number]
            if child.start <= step.until:
                yield Step(number, min(child.end, step.until), f"may have sent data to {name}", step, child.end, True, step.distance + 1)
        siblings = self._children.get(self._leader(me.parent), []) if me.parent is not None else []
        place = self._places.get(step.process, 0)
        for number in siblings[max(0, place - _NEAR):place + _NEAR + 1]:
            other = self.trace.tasks[number]
            if number != step.process and other.start < min(me.end, step.until) and other.end > me.start:
                yield Step(number, min(other.end, step.until), f"may have piped to {name}", step, other.end, True,
                           step.distance + 1)

    def met(self, step: Step) -> Iterator[tuple[int, Suspect]]:
        """What differs of all that a process had read, until it did what matters; with its events."""
        reads = self._reads.get(step.process, [])
        for event, path in reads[:bisect_right(reads, (step.until, "\U0010ffff"))]:
            if path in self.suspects.files:
                yield event, self.suspects.files[path]
        for event, suspect in self._by_process.get(step.process, ()):
            if event <= step.until:
                yield event, suspect
        task = self.trace.tasks.get(step.process)
        if task is None or task.parent is None:
            for suspect in self.suspects.given:
                yield 0, suspect


_Start = tuple[int, int]   # a process, and the event with which it wrote
_Found = tuple[tuple[bool, int, int, int, int, str, int], Suspect, Step]
Prefer = Callable[[str, Suspect], bool]


class Detective:
    """Finds the most probable reason why outputs differ, from the stories of both sides."""

    def __init__(self, left: Story, right: Story, prefer: Prefer | None = None) -> None:
        """prefer: whether something is a better reason for an output than all others, as is known from other experiments."""
        self._stories, self._prefer = (left, right), prefer
        self._known: dict[tuple[str | _Start, ...], _Found | None] = {}

    def find(self, output: str, starts: tuple[list[_Start], list[_Start]]) -> Cause:
        """The most probable reason why an output differs.

        The earliest of all that differs on the way to it, of the best rank and on either side. Pipes
        are followed only where files give no reason: what they add is possible, not known.

        Args:
            starts: the processes that wrote it, on either side, each with the event of that.
        """
        key = (output if self._prefer else "", *starts[0], (-1, -1), *starts[1])
        if key not in self._known:   # many outputs of one process have one reason
            self._known[key] = self._search(output, starts)
        found = self._known[key]
        if found is None:
            return Cause(output, None, 0, 0, ())
        (*_, event, _, side), suspect, step = found
        return Cause(output, suspect, event, side, tell_way(self._stories[side], suspect, step, output))

    def _search(self, output: str, starts: tuple[list[_Start], list[_Start]]) -> _Found | None:
        best: _Found | None = None
        for through_pipes in (False, True):
            for side, (story, processes) in enumerate(zip(self._stories, starts)):
                first = [Step(process, END, "", None, event) for process, event in processes]
                for step in story.reach(first, through_pipes):
                    for event, suspect in story.met(step):
                        # Chance is nobody's first cause: there the nearest counts, not the earliest.
                        is_chance = suspect.rank >= CHANCE
                        is_other = self._prefer is not None and not self._prefer(output, suspect)
                        order = (is_other, suspect.rank, step.distance if is_chance else 0, abs(event - step.near) if is_chance else 0,
                                 event, suspect.item, side)
                        if best is None or order < best[0]:
                            best = (order, suspect, step)
            if best is not None and best[1].rank == FILE:
                break
        return best


def tell_way(story: Story, suspect: Suspect, first: Step, output: str) -> tuple[str, ...]:
    """The processes from a suspect to an output, one phrase each."""
    verb = suspect.verb or {"inputs": "read it and ", "apparatus": "ran or loaded it and "}.get(suspect.component, "")
    told: list[str] = []
    step: Step | None = first
    while step is not None:
        told.append(f"{story.trace.name(step.process)} {verb}{step.made or 'wrote ' + output}")
        step, verb = step.next, ""
    return tuple(told)


def rank_of(path: str) -> int:
    """How near a file lies to the beginning of a story."""
    return CACHE if path in _CACHES else FILE


# What the C library reads because of these variables bears no trace of their values.
_LOCALE = re.compile(r"LC_[A-Z]+|LANG|LANGUAGE|LOCPATH")
_OF_LOCALES = re.compile(r"/locale|/gconv|/i18n/")
_WORDS = re.compile(r"[A-Za-z0-9]+")


def names_file(variable: Difference, path: str) -> bool:
    """Whether a file was probably read because of what a variable holds: a path of it, or its words in their order."""
    if _LOCALE.fullmatch(variable.item) and _OF_LOCALES.search(path):
        return True
    words = "/".join(["", *_WORDS.findall(path), ""])
    for value in (variable.left, variable.right):
        for part in value.split(":") if isinstance(value, str) else ():
            named = "/".join(_WORDS.findall(part))
            if named and f"/{named}/" in words:
                return True
    return False
