"""Steps of several runs merged: equal ones are one node; of others, why they differ."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from statistics import median

from rex.trees import costs
from rex.trees.cut import Run
from rex.trees.facts import ABSENT, FILE, LIST
from rex.trees.step import Given, Step

_LIBRARY = ".so"
_NOT_THERE = ("ENOENT", "ENOTDIR")       # other errors are those of a file that is there, but is no link
Slot = tuple[tuple[str, ...], int]


@dataclass
class Node:
    """A step of one run or more.

    Attributes:
        id: s and a number, in the order in which runs met them.
        members: the runs, and the step in each.
        needs: nodes whose files it was given.
        slot: its programs, and how many steps of these came before it.
        variant_of: the node of an earlier run that was in its place; reasons: what differs, most telling first.
        is_random: whether the same was given to that one, and another thing came out.
    """

    id: str
    members: list[tuple[str, Step]]
    slot: Slot
    needs: set[str] = field(default_factory=set)
    variant_of: str = ""
    reasons: list[str] = field(default_factory=list)
    is_random: bool = False

    @property
    def step(self) -> Step:
        """The step as its first run has it."""
        return self.members[0][1]

    @property
    def seconds(self) -> float:
        """What it takes, on average."""
        return sum(step.seconds for _, step in self.members) / len(self.members)

    @property
    def runs(self) -> list[str]:
        """Names of the runs that it is in, once each."""
        return list(dict.fromkeys(name for name, _ in self.members))


@dataclass
class StepTree:
    """All runs, with every distinct step once.

    Attributes:
        nodes: by id, in the order in which runs met them.
        runs: by name, the ids of its steps in order; seconds: how long each run took.
        around_s: by name, what a replay of it takes besides its steps.
    """

    nodes: dict[str, Node] = field(default_factory=dict)
    runs: dict[str, list[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    around_s: dict[str, float] = field(default_factory=dict)

    def only(self, names: set[str]) -> "StepTree":
        """The tree of some of its runs."""
        nodes = {}
        for node in self.nodes.values():
            if members := [member for member in node.members if member[0] in names]:
                nodes[node.id] = replace(node, members=members)
        seconds, around_s = ({name: value for name, value in of.items() if name in names} for of in (self.seconds, self.around_s))
        return StepTree(nodes, {name: ids for name, ids in self.runs.items() if name in names}, seconds, around_s)

    @property
    def alone_s(self) -> float:
        """Seconds in steps, one run after another."""
        return sum(step.seconds for node in self.nodes.values() for _, step in node.members)

    @property
    def shared_s(self) -> float:
        """Seconds in steps, each distinct one once."""
        return sum(node.seconds for node in self.nodes.values())


def merge_steps(runs: list[Run]) -> StepTree:
    """Make steps one node where they were given the same and left the same, both known by content."""
    tree = StepTree()
    known: dict[tuple[str, str], Node] = {}
    slots: dict[Slot, list[Node]] = {}
    for run in runs:
        ids, writers, counts = tree.runs.setdefault(run.name, []), dict[str, str](), dict[tuple[str, ...], int]()
        tree.seconds[run.name] = run.seconds
        tree.around_s[run.name] = costs.around_s(run.outside_s, run.processes)
        for step in run.steps:
            programs = tuple(each["program"] for each in step.programs)
            counts[programs] = number = counts.get(programs, -1) + 1
            node = known.get((step.key, step.result)) if step.is_known else None
            if node:
                node.members.append((run.name, step))
            else:
                node = tree.nodes[f"s{len(tree.nodes) + 1}"] = Node(f"s{len(tree.nodes) + 1}", [(run.name, step)], (programs, number))
                if step.is_known:
                    known[step.key, step.result] = node
                _explain(node, run.name, slots.setdefault(node.slot, []), writers)
                slots[node.slot].append(node)
            node.needs.update(writers[each.path] for each in step.given if writers.get(each.path, node.id) != node.id)
            writers.update((path, node.id) for path in step.writes)
            ids.append(node.id)
    for node in tree.nodes.values():
        node.members = _with_median(node.members)
    return tree


def _with_median(members: list[tuple[str, Step]]) -> list[tuple[str, Step]]:
    """Each recording that executed a step is a sample of what it takes, some made while the machine was busy."""
    busy_s = median([step.busy_s for _, step in members if not step.is_put_back] or [0.0])
    return [(name, step if step.is_put_back else replace(step, busy_s=busy_s)) for name, step in members]


def _explain(node: Node, run: str, others: list[Node], writers: dict[str, str]) -> None:
    """Say what differs from the most similar node of another run in the same place."""
    best = min((other for other in others if run not in other.runs), key=lambda other: len(_given_differ(node.step, other.step)), default=None)
    if best is None:
        return
    node.variant_of = best.id
    node.reasons = list(_reasons(node.step, best.step, writers))
    if node.step.key == best.step.key and node.step.result != best.step.result and node.step.is_known and best.step.is_known:
        node.is_random = best.is_random = True
        sources = sorted({*node.step.sources, *best.step.sources}) or ["unknown source"]
        node.reasons = [f"nondeterministic: {', '.join(sources)}"]
    elif not node.reasons:
        node.reasons = ["cannot be compared: the archive lacks the content of a file between steps"]


def _given_differ(one: Step, two: Step) -> list[tuple[Given | None, Given | None]]:
    """What was given to one or the other, or with another value."""
    mine, its = ({(each.kind, each.path): each for each in step.counted} for step in (one, two))
    keys = dict.fromkeys([*mine, *its])
    return [(mine.get(key), its.get(key)) for key in keys
            if (mine.get(key) and mine[key].value) != (its.get(key) and its[key].value)]


def _reasons(step: Step, other: Step, writers: dict[str, str]) -> Iterator[str]:
    for mine, its in zip(step.programs, other.programs):
        yield from _program_reasons(mine, its)
    executed = {each["program"] for each in step.programs}
    absent = [{each.path for each in one.given if each.kind == ABSENT and each.value.endswith(_NOT_THERE)} for one in (step, other)]
    told: set[str] = set()
    inputs: list[str] = []
    libraries: list[str] = []
    for mine_given, its_given in _given_differ(step, other):
        given = mine_given or its_given
        assert given
        path, name = given.path, os.path.basename(given.path)
        if path in told or path in executed:
            continue
        told.add(path)
        was_there, is_there = (path not in names for names in reversed(absent))
        change = "" if was_there == is_there else ": there now" if is_there else ": not there now"
        if path in writers:
            inputs.insert(0, f"upstream step {writers[path]}: {path}")
        elif given.kind == LIST:
            inputs.append(f"names in {path}")
        elif given.kind == FILE and (name.endswith(_LIBRARY) or f"{_LIBRARY}." in name):
            libraries.append(f"library {path}{change}")
        else:
            inputs.append(f"input {path}{change}")
    yield from [*libraries, *inputs]


def _program_reasons(mine: dict[str, object], its: dict[str, object]) -> Iterator[str]:
    if mine["content"] != its["content"]:
        yield f"program {mine['program']}"
    one, two = mine["arguments"], its["arguments"]
    assert isinstance(one, list) and isinstance(two, list)
    for number in range(max(len(one), len(two))):
        before, now = (words[number] if number < len(words) else None for words in (two, one))
        if before != now:
            yield f"argument {number}: {_quoted(before)} -> {_quoted(now)}"
    for word, part in (("variable", "environment"), ("inherited", "altered")):
        here, there = mine[part], its[part]
        assert isinstance(here, dict) and isinstance(there, dict)
        for name in sorted({*here, *there}):
            if here.get(name) != there.get(name):
                yield f"{word} {name}: {_quoted(there.get(name))} -> {_quoted(here.get(name))}"
    if mine["standard"] != its["standard"]:
        yield "a standard descriptor leads elsewhere"


def _quoted(value: object) -> str:
    if value is None:
        return "(none)"
    text = str(value)
    return repr(text if len(text) <= 60 else text[:57] + "...")
