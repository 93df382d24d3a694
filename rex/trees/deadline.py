"""Which runs fit a time: as many as possible, what they share counted once.

A run is a set of steps here, not a path of a tree, so the best choice is not known: k sets with the smallest union are hard to find.
Runs are added greedily from several first ones, and a bound says how many any choice has at most.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rex.errors import UsageError
from rex.trees.costs import execute_s, put_back_s
from rex.trees.keeping import KeepPlan, may_be_left_out
from rex.trees.merge import StepTree
from rex.types import format_duration

# Steps looked at, at most, while runs are chosen: a second or so.
_EFFORT = 2_000_000
# Of a run: its steps that others may stand for, by node, and the seconds of those that run always.
_Parts = tuple[dict[str, float], float]


@dataclass(frozen=True)
class Fit:
    """The runs chosen, in the archive's order, and how many any choice has at most."""

    runs: tuple[str, ...]
    at_most: int


def planned_s(tree: StepTree, plan: KeepPlan, workers: int) -> float:
    """Seconds that the replay takes with so many runs side by side."""
    if workers == 1:
        return plan.cost_s
    steps: dict[str, list[tuple[int, str, float, float]]] = {name: [] for name in tree.runs}
    for node in tree.nodes.values():
        for name, step in node.members:
            steps[name].append((step.begins_at, node.id, execute_s(step), put_back_s(step)))
    free, done_at = [0.0] * workers, dict[str, float]()
    for name in tree.runs:
        now = heapq.heappop(free) + tree.around_s[name]
        for _, node_id, execute, put_back in sorted(steps[name]):
            if node_id in done_at:
                now = max(now, done_at[node_id]) + put_back
                continue
            now += execute
            if node_id in plan.kept:
                done_at[node_id] = now
        heapq.heappush(free, now)
    return max(free)


def fit_runs(tree: StepTree, deadline_s: float, cost_of: Callable[[StepTree], float], workers: int = 1) -> Fit:
    """Choose runs whose replay takes at most the deadline.

    Args:
        cost_of: the seconds that the plan of a tree takes.
    Raises:
        UsageError: no run fits.
    """
    parts = _parts(tree)
    alone = {name: sum(shared.values()) + always for name, (shared, always) in parts.items()}
    possible = {name: parts[name] for name in parts if alone[name] <= deadline_s * workers}
    at_most = _bound(possible, deadline_s * workers)
    best: list[str] = []
    for first in sorted(possible, key=alone.__getitem__)[:max(1, _EFFORT // (sum(map(len, tree.runs.values())) * len(tree.runs) + 1))]:
        chosen: list[str] = []
        for name in _nearest_first(possible, first):
            if len(chosen) < at_most and cost_of(tree.only({*chosen, name})) <= deadline_s:
                chosen.append(name)
        best = max(best, chosen, key=len)
        if len(best) == at_most:
            break
    if not best:
        raise UsageError(f"no run can be replayed in {format_duration(deadline_s)}",
                         f"the shortest takes {format_duration(min(alone.values()))}", "give a longer --deadline")
    return Fit(tuple(name for name in tree.runs if name in best), at_most)


def _parts(tree: StepTree) -> dict[str, _Parts]:
    """The steps of each run; one that several have counts the least of their seconds."""
    shared: dict[str, dict[str, float]] = {name: {} for name in tree.runs}
    always = dict(tree.around_s)
    for node in tree.nodes.values():
        if may_be_left_out(node):
            least_s = min(execute_s(step) for _, step in node.members)
            for name in node.runs:
                shared[name][node.id] = least_s
        else:
            for name, step in node.members:
                always[name] += execute_s(step)
    return {name: (shared[name], always[name]) for name in tree.runs}


def _bound(parts: dict[str, _Parts], work_s: float) -> int:
    """No choice has more runs: each is charged its share of a step, as if all that have it were chosen."""
    count: dict[str, int] = {}
    for shared, _ in parts.values():
        for node_id in shared:
            count[node_id] = count.get(node_id, 0) + 1
    charged = sorted(sum(seconds / count[node_id] for node_id, seconds in shared.items()) + always for shared, always in parts.values())
    number, spent_s = 0, 0.0
    while number < len(charged) and spent_s + charged[number] <= work_s * (1 + 1e-12):
        spent_s += charged[number]
        number += 1
    return number


def _nearest_first(parts: dict[str, _Parts], first: str) -> Iterator[str]:
    """All runs, each time the one that adds the least seconds to those before."""
    left, known = dict(parts), set[str]()
    name = first
    while True:
        yield name
        known.update(left.pop(name)[0])
        if not left:
            return
        name = min(left, key=lambda other: left[other][1] + sum(seconds for node_id, seconds in left[other][0].items() if node_id not in known))
