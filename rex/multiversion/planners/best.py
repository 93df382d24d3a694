"""Our own planner, and the proof that goes with every plan.

Work is counted, not timed, so that a plan does not depend on the machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rex.multiversion.planners.bound import CoverBound
from rex.multiversion.planners.cover import CoverPlanner, EffortSpent
from rex.multiversion.planners.exact import StatesSpent, find_optimum
from rex.multiversion.planners.greedy import plan_prp
from rex.multiversion.planners.parts import write_sequence
from rex.multiversion.planners.skeleton import Facts, Skeleton, build_skeleton, find_facts
from rex.multiversion.sequence import ReplaySequence
from rex.multiversion.tree import ExecutionTree

# Rooms are rounded to the budget over these, one after the other, until the
# effort suffices; 0 is no rounding, 1 all or nothing.
DIVISORS = (0, 512, 128, 32, 8, 1)
TOLERANCE = 1e-9
SMALL_TREE, MIDDLE_TREE = 12, 24
"""Skeleton nodes up to which the search for the optimum runs to its end, or is tried."""


@dataclass(frozen=True)
class Effort:
    """Child menus that planner and bound may look at, and states of the search."""

    plan: int
    bound: int
    states: int

    @classmethod
    def suit(cls, nodes: int) -> "Effort":
        """At most 2 s in all for 1,000 nodes and 20 s for 10,000 on one core."""
        return cls(50_000 + 25 * nodes, 345_000 + 110 * nodes, 10_000)


@dataclass
class Problem:
    """A tree and a budget, with what all planners of one call share."""

    tree: ExecutionTree
    budget_bytes: int

    def __post_init__(self) -> None:
        self.skeleton: Skeleton = build_skeleton(self.tree)
        self.facts: Facts = find_facts(self.skeleton)
        # What holds for the least that checkpoints can take holds for what they do take.
        self.least_skeleton, self.least_facts = self.skeleton, self.facts
        if self.skeleton.shares_memory:
            self.least_skeleton = self.skeleton.as_if_beside_parents(self.budget_bytes)
            self.least_facts = find_facts(self.least_skeleton)
        self.effort = Effort.suit(len(self.tree.by_id))

    def without_sharing(self) -> "Problem":
        """The same with checkpoints that share no memory: its plans are legal here, too."""
        nodes = (replace(node, written_bytes=None) for node in self.tree.by_id.values())
        return Problem(ExecutionTree(nodes), self.budget_bytes)

    def quanta(self) -> list[int]:
        """Bytes to round by, from none to the coarsest."""
        return [max(1, self.budget_bytes // divisor) if divisor else 1 for divisor in DIVISORS]


def plan_cover(problem: Problem, width: int) -> ReplaySequence:
    """The plan of `CoverPlanner`, with rooms rounded as little as the effort allows."""
    effort = problem.effort.plan // width
    for quantum in problem.quanta():
        planner = CoverPlanner(problem.skeleton, problem.facts, width=width, quantum=quantum, effort=effort)
        try:
            return write_sequence(problem.skeleton, planner.plan(problem.budget_bytes))
        except EffortSpent:
            effort //= 2
    return plan_prp(problem.skeleton, problem.budget_bytes, per_byte=False)


def prove_bound(problem: Problem, cost_s: float) -> float:
    """The best lower bound that the effort allows; stops once it reaches `cost_s`."""
    best = problem.tree.total_s
    for width, effort in ((1, problem.effort.bound // 4), (2, problem.effort.bound)):
        if is_closed(cost_s, best):
            return cost_s
        prover = CoverBound(problem.least_skeleton, problem.least_facts, width=width, effort=effort)
        try:
            best = max(best, prover.bound(problem.budget_bytes))
        except EffortSpent:
            continue
    return cost_s if is_closed(cost_s, best) else best


def is_closed(cost_s: float, bound_s: float) -> bool:
    """True when the two differ by no more than sums of floats do."""
    return cost_s - bound_s <= TOLERANCE * max(cost_s, 1.0)


def plan_best(problem: Problem) -> tuple[ReplaySequence, float]:
    """The cheapest of PC, the wider program and, on small trees, the search.

    Returns:
        The sequence and a lower bound, in seconds, on the cost of any sequence;
        they are equal when the plan is proven optimal.
    """
    tree = problem.tree
    best = plan_cover(problem, 1)
    bound_s = tree.total_s
    if not is_closed(best.cost_s(tree), bound_s):
        others = [plan_cover(problem, 2)]
        if problem.skeleton.shares_memory:
            plain = problem.without_sharing()
            others += [plan_cover(plain, 1), plan_cover(plain, 2)]
        best = min([best, *others], key=lambda found: found.cost_s(tree))
        bound_s = prove_bound(problem, best.cost_s(tree))
    if len(problem.skeleton) <= MIDDLE_TREE and not is_closed(best.cost_s(tree), bound_s):
        is_small = len(problem.skeleton) <= SMALL_TREE
        try:
            best = find_optimum(problem.skeleton, problem.budget_bytes,
                                10**9 if is_small else problem.effort.states)
            bound_s = best.cost_s(tree)
        except StatesSpent:
            pass
    cost_s = best.cost_s(tree)
    return best, cost_s if is_closed(cost_s, bound_s) else bound_s
