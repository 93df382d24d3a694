"""Which versions fit a time: as many as possible.

Source: Manne et al., CHEX, PVLDB 15(6), 2022, figure 9a, which counts the versions that a time is enough for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rex.errors import UsageError
from rex.multiversion.tree import ExecutionTree
from rex.types import format_duration

# Of k versions: the seconds of all their cells, each computed once, and the nested pairs of their last cells.
_Union = tuple[float, "_Chosen"]
_Chosen = str | tuple["_Chosen", "_Chosen"] | None
CostOf = Callable[[ExecutionTree], float]


@dataclass(frozen=True)
class Fit:
    """The versions chosen, as a tree of their own, and how many any choice has at most."""

    tree: ExecutionTree
    at_most: int


def fit_versions(tree: ExecutionTree, deadline_s: float, cost_of: CostOf, workers: int = 1) -> Fit:
    """Choose versions whose replay takes at most the deadline.

    Of each number, from the largest that any cache would allow, the versions that share most are tried and those that take least
    alone. The first that fit are added to, while others fit beside them.

    Args:
        deadline_s: seconds for all of them.
        cost_of: the seconds that the plan of a tree takes.
        workers: processes side by side that the plan has.
    Raises:
        UsageError: no version fits.
    """
    unions = cheapest_unions(tree)
    work_s = deadline_s * workers
    at_most = max((k for k, (seconds, _) in enumerate(unions) if seconds <= work_s), default=0)
    alone = sorted(tree.leaves, key=lambda leaf: tree.only([leaf]).total_s)
    for number in range(at_most, 0, -1):
        for leaves in (list(_leaves(unions[number][1])), alone[:number]):
            if cost_of(tree.only(leaves)) <= deadline_s:
                return Fit(_grow(tree, leaves, deadline_s, cost_of, work_s), at_most)
    raise UsageError(f"no version can be replayed in {format_duration(deadline_s)}",
                     f"the shortest takes {format_duration(unions[1][0])}", "give a longer --deadline")


def _grow(tree: ExecutionTree, leaves: list[str], deadline_s: float, cost_of: CostOf, work_s: float) -> ExecutionTree:
    """Add versions, those first whose own cells take least, as long as all fit."""
    chosen = tree.only(leaves)
    others = {leaf: math.fsum(tree.by_id[name].cost_s for name in tree.only([leaf]).by_id if name not in chosen.by_id)
              for leaf in tree.leaves if leaf not in chosen.by_id}
    for leaf in sorted(others, key=others.__getitem__):
        wider = tree.only([*chosen.leaves, leaf])
        if wider.total_s <= work_s and cost_of(wider) <= deadline_s:
            chosen = wider
    return chosen


def cheapest_unions(tree: ExecutionTree) -> list[_Union]:
    """For each number k of versions, from 0: the k whose cells, each computed once, take least.

    A dynamic program over the tree, in O(versions squared) steps.
    """
    best: dict[str | None, list[_Union]] = {}
    for name in reversed(tree.order):
        below: list[_Union] = [(0.0, None)]
        for child in tree.children[name]:
            below = _merge(below, best.pop(child))
        cost_s = tree.by_id[name].cost_s
        best[name] = [(0.0, None), *[(seconds + cost_s, chosen) for seconds, chosen in below[1:]]] if len(below) > 1 else [(0.0, None), (cost_s, name)]
    found: list[_Union] = [(0.0, None)]
    for root in tree.roots:
        found = _merge(found, best[root])
    return found


def _merge(one: list[_Union], other: list[_Union]) -> list[_Union]:
    """Versions of two subtrees that share nothing."""
    merged: list[_Union] = [(math.inf, None)] * (len(one) + len(other) - 1)
    for i, (seconds, chosen) in enumerate(one):
        for k, (more_s, more) in enumerate(other):
            if seconds + more_s < merged[i + k][0]:
                merged[i + k] = (seconds + more_s, chosen if more is None else more if chosen is None else (chosen, more))
    return merged


def _leaves(chosen: _Chosen) -> Iterator[str]:
    stack = [chosen]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            yield top
        elif top is not None:
            stack.extend(top)
