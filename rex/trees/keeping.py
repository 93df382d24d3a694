"""Which steps' outputs a replay of many runs keeps for later runs, under a budget of bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rex.trees.costs import execute_s, put_back_s, size_of
from rex.trees.merge import Node, StepTree

KEEP_NOTHING = -1     # a budget that not even an empty file fits
# What one run after the other does with a step: executes it, keeps its outputs, puts them back, lets go of them.
EXECUTE, KEEP, PUT_BACK, LET_GO = "CT", "CP", "PB", "EV"
Op = tuple[str, str]


@dataclass
class KeepPlan:
    """What is kept, and what that comes to; seconds of processor time (rex/trees/costs.py).

    Attributes:
        kept: ids of the steps whose outputs are kept from their first run to their last.
        cost_s: what the replay takes; bound_s: no choice of steps takes less.
        alone_s: without anything kept.
        peak_bytes: of outputs kept at the same time.
    """

    kept: frozenset[str]
    cost_s: float
    bound_s: float
    alone_s: float
    peak_bytes: int

    @property
    def gap(self) -> float:
        """How much cheaper, as a part of the bound, a plan might be at most."""
        return max(self.cost_s / self.bound_s - 1, 0.0) if self.bound_s else 0.0

    @property
    def saving(self) -> float:
        """Part of the seconds without anything kept that the plan does not spend."""
        return 1 - self.cost_s / self.alone_s if self.alone_s else 0.0


@dataclass(frozen=True)
class _Choice:
    """A step that may be kept, from one place among the runs to another."""

    id: str
    begin: int
    end: int
    size_bytes: int
    saves_s: float


def may_be_left_out(node: Node) -> bool:
    """Whether a step's outputs can stand for it wherever it comes again."""
    return node.step.is_known and not any(step.against for _, step in node.members)


def plan_kept(tree: StepTree, budget_bytes: int | None) -> KeepPlan:
    """Choose the steps whose outputs are kept from their first run to their last.

    The most seconds saved per byte come first, as long as what is kept together fits. Without a budget all is kept that saves anything.
    """
    choices = _choices(tree)
    used = [0] * len(tree.runs)
    kept: set[str] = set()
    cost_s = alone_s = sum(tree.around_s.values()) + sum(execute_s(step) for node in tree.nodes.values() for _, step in node.members)
    for each in choices:
        if budget_bytes is None or max(used[each.begin:each.end + 1]) + each.size_bytes <= budget_bytes:
            kept.add(each.id)
            cost_s -= each.saves_s
            for place in range(each.begin, each.end + 1):
                used[place] += each.size_bytes
    return KeepPlan(frozenset(kept), cost_s, alone_s - _most_saved_s(choices, len(tree.runs), budget_bytes), alone_s, max(used, default=0))


def _choices(tree: StepTree) -> list[_Choice]:
    """Steps that may be kept and whose outputs take less than they do, the most seconds per byte first."""
    order = {name: place for place, name in enumerate(tree.runs)}
    found = []
    for node in tree.nodes.values():
        if len(node.members) > 1 and may_be_left_out(node):
            places = [order[name] for name, _ in node.members]
            saves_s = sum(execute_s(step) - put_back_s(step) for _, step in node.members[1:])
            if saves_s > 0:
                found.append(_Choice(node.id, places[0], places[-1], size_of(node.step), saves_s))
    return sorted(found, key=lambda each: (-each.saves_s / (each.size_bytes + 1), each.id))


def _most_saved_s(choices: list[_Choice], runs: int, budget_bytes: int | None) -> float:
    """No choice saves more: at each place what is kept there fits, the last of it perhaps in part."""
    most_s = all_s = sum(each.saves_s for each in choices)
    for place in range(runs if budget_bytes is not None else 0):
        left, here_s = budget_bytes or 0, 0.0
        there = [each for each in choices if each.begin <= place <= each.end]
        for each in there:
            if budget_bytes == KEEP_NOTHING:
                break
            part = min(1.0, left / each.size_bytes) if each.size_bytes else 1.0
            here_s += part * each.saves_s
            left -= int(part * each.size_bytes)
        most_s = min(most_s, all_s - sum(each.saves_s for each in there) + here_s)
    return most_s


def steps_in_order(tree: StepTree, plan: KeepPlan) -> Iterator[tuple[str, list[Op]]]:
    """What each run does with its steps, one run after the other."""
    last = {node.id: node.members[-1][0] for node in tree.nodes.values() if node.id in plan.kept}
    done: set[str] = set()
    for name, ids in tree.runs.items():
        ops: list[Op] = []
        for each in ids:
            ops.append((PUT_BACK if each in done else EXECUTE, each))
            if each in plan.kept and each not in done:
                done.add(each)
                ops.append((KEEP, each))
        yield name, ops + [(LET_GO, each) for each in dict.fromkeys(ids) if last.get(each) == name]
