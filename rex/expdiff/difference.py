"""What a comparison finds: differences, gathered in components."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rex.expdiff.calls import Calls

DIFFERS, ONLY_LEFT, ONLY_RIGHT = "differs", "only_left", "only_right"

COMMAND, ENVIRONMENT, MACHINE = "command", "environment", "machine"
APPARATUS, INPUTS, OUTPUTS = "apparatus", "inputs", "outputs"
STDOUT, STDERR, STATUS = "standard output", "standard error", "exit status"


@dataclass(frozen=True)
class Difference:
    """One thing that two experiments do not share.

    Attributes:
        item: what differs: a variable, a fact, a path.
        kind: differs, only_left or only_right.
        left, right: the two values as JSON knows them; None where it is not there.
        notes: what is known about the difference, one sentence each.
        details: more of it for machines; with depth 2 what `bytesdiff.detail_of` tells.
        left_path, right_path: of a file, its paths; "" where it is not there.
    """

    item: str
    kind: str = DIFFERS
    left: Any = None
    right: Any = None
    notes: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    left_path: str = ""
    right_path: str = ""

    def as_json(self) -> dict[str, Any]:
        """The difference as `--json` prints it."""
        told = {"item": self.item, "kind": self.kind, "left": self.left, "right": self.right,
                "notes": list(self.notes)}
        return {**told, **self.details}


# How near a thing lies to the beginning of a story. The loader's cache names all
# libraries of a machine, so it differs together with whatever is really the reason.
# Files that are read because of a variable follow it. Processor times and process ids matter less often than dates, and what an
# interpreter asks for as it starts hardly ever; clocks that only run are read all the time, also by Python for itself.
FILE, CACHE, VARIABLE, FOLLOWING, PLACE, LOOK, CHANCE, MEASURE, STARTING, STARTING_DATE, RUNNING, STARTING_MEASURE = range(12)


@dataclass(frozen=True)
class Suspect:
    """Something in which two experiments differ, and when a process of one side met it.

    Attributes:
        what: as it stands in a sentence.
        component, item: the difference that it is.
    """

    what: str
    component: str
    item: str
    rank: int = FILE
    verb: str = ""       # what a process did with it, with "and " behind; "" for nothing to say


@dataclass(frozen=True)
class Cause:
    """The most probable reason why one output differs.

    Attributes:
        output: the item of the output.
        suspect: None if nothing that led to it differs.
        event: when it was met, in the log of `side` (0: left, 1: right).
        way: the processes from there to the output, in the order of time.
    """

    output: str
    suspect: Suspect | None
    event: int
    side: int
    way: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The reason in one sentence."""
        if self.suspect is None:
            return f"{self.output}: nothing on the way to it differs in the records"
        return f"{self.output}: most probably because {self.suspect.what}; {', '.join(self.way)}"

    def as_json(self) -> dict[str, Any]:
        """The cause as `--json` prints it."""
        told: dict[str, Any] = {"output": self.output, "sentence": self.sentence}
        if self.suspect:
            told.update(component=self.suspect.component, item=self.suspect.item, event=self.event,
                        side="left" if self.side == 0 else "right", way=list(self.way))
        return told


@dataclass(frozen=True)
class Parting:
    """The first difference that a process met.

    Attributes:
        process: its program and its number, in the second experiment if it is there.
        what: the difference in words.
        component, item: the difference that it is.
        events: the event on either side; None where that side met nothing. 0: before the process did anything.
        earlier: what differed before, and seldom matters: variables that nothing shows to be used, times of files, caches.
    """

    process: str
    what: str
    component: str
    item: str
    events: tuple[int | None, int | None]
    earlier: tuple[str, ...] = ()
    is_sure: bool = True      # more than a time or a name at which it looked

    @property
    def sentence(self) -> str:
        """It in words."""
        one, two = self.events
        known = [f"event {one} of both"] if one and one == two else [
            f"event {event} of the {side}" for event, side in ((one, "first"), (two, "second")) if event]
        before = f" (before it: {self.earlier[0]}{f', and {len(self.earlier) - 1} more' if len(self.earlier) > 1 else ''})" if self.earlier else ""
        return f"{self.process}, {', '.join(known) or 'at its start'}: {self.what}{before}"

    def as_json(self) -> dict[str, Any]:
        """It for machines."""
        return {"process": self.process, "what": self.what, "component": self.component, "item": self.item,
                "event_left": self.events[0], "event_right": self.events[1], "earlier": list(self.earlier)}


@dataclass
class Comparison:
    """What was found, by component, in the order of the report.

    Attributes:
        by_nature: what differs between any two runs, such as times: counted, never decisive.
        causes: the most probable reason of each output that differs.
        calls: with depth 3, the calls of all processes; what differs in them is never decisive,
            because how a program gets at its inputs is no result.
        partings: of each process the first thing that it was given otherwise.
        within: outputs that differ, but only as the rules of the comparison allow: counted and named, never decisive.
    """

    depth: int
    components: dict[str, list[Difference]] = field(default_factory=dict)
    by_nature: list[Difference] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    calls: "Calls | None" = None
    within: list[Difference] = field(default_factory=list)
    partings: list[Parting] = field(default_factory=list)

    @property
    def is_same(self) -> bool:
        """Whether nothing that matters differs."""
        return not any(self.components.values())

    def as_json(self) -> dict[str, Any]:
        """The comparison as `--json` prints it."""
        told = {"same": self.is_same, "depth": self.depth,
                "components": [{"name": name, "count": len(found),
                                "differences": [each.as_json() for each in found]}
                               for name, found in self.components.items()],
                "within_tolerance": [each.as_json() for each in self.within],
                "by_nature": [each.as_json() for each in self.by_nature],
                "causes": [each.as_json() for each in self.causes],
                "partings": [each.as_json() for each in self.partings]}
        return {**told, "calls": self.calls.as_json()} if self.calls else told


def compare_values(left: dict[str, Any], right: dict[str, Any]) -> list[Difference]:
    """The differences of two sets of named values, by name."""
    found = []
    for name in sorted(left.keys() | right.keys()):
        if name not in right:
            found.append(Difference(name, ONLY_LEFT, left[name], None))
        elif name not in left:
            found.append(Difference(name, ONLY_RIGHT, None, right[name]))
        elif left[name] != right[name]:
            found.append(Difference(name, DIFFERS, left[name], right[name]))
    return found
