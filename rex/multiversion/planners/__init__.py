"""Planners by name. Only this module is meant to be imported from outside."""

from __future__ import annotations

from dataclasses import dataclass

from rex.errors import UsageError
from rex.multiversion.planners.best import Problem, plan_best, plan_cover, prove_bound
from rex.multiversion.planners.deadline import Fit, fit_versions
from rex.multiversion.planners.greedy import plan_lfu, plan_none, plan_prp
from rex.multiversion.planners.online import plan_online
from rex.multiversion.sequence import ReplaySequence, without_idle
from rex.multiversion.tree import ExecutionTree

ALGORITHMS: tuple[str, ...] = ("best", "pc", "prp-v1", "prp-v2", "lfu", "online", "none")


@dataclass(frozen=True)
class Plan:
    """A replay sequence, what it costs, and what any other costs at least."""

    algorithm: str
    budget_bytes: int
    sequence: ReplaySequence
    cost_s: float
    lower_bound_s: float
    sequential_s: float

    @property
    def gap(self) -> float:
        """How much cheaper, as a part of the lower bound, a plan might be at most."""
        if self.cost_s <= self.lower_bound_s:
            return 0.0
        return self.cost_s / self.lower_bound_s - 1 if self.lower_bound_s else float("inf")

    @property
    def saving(self) -> float:
        """Part of the sequential seconds that the plan does not spend."""
        return 1 - self.cost_s / self.sequential_s if self.sequential_s else 0.0


def make_plan(tree: ExecutionTree, budget_bytes: int, algorithm: str = "best") -> Plan:
    """Order the cells so that every version runs and checkpoints fit the budget.

    Args:
        tree: one leaf per version; costs in seconds, checkpoint sizes in bytes.
        budget_bytes: what the cache may hold at any step; 0 means no cache.
        algorithm: one of `ALGORITHMS`.
    Raises:
        UsageError: no such algorithm, or a negative budget.
    """
    if algorithm not in ALGORITHMS:
        raise UsageError(f"no such planner: {algorithm}", advice=f"there are {', '.join(ALGORITHMS)}")
    if budget_bytes < 0:
        raise UsageError(f"the cache cannot hold {budget_bytes} bytes")
    problem = Problem(tree, budget_bytes)
    if algorithm == "best":
        sequence, bound_s = plan_best(problem)
    else:
        sequence = _plan_simply(problem, algorithm)
        bound_s = prove_bound(problem, sequence.cost_s(tree))
    sequence = ReplaySequence(without_idle(sequence.ops))
    return Plan(algorithm, budget_bytes, sequence, sequence.cost_s(tree), bound_s, tree.sequential_s)


def plan_deadline(tree: ExecutionTree, budget_bytes: int, deadline_s: float, algorithm: str = "best") -> tuple[Fit, Plan]:
    """Choose as many versions as can be replayed in a time, and plan those.

    Raises:
        UsageError: no version fits, or as `make_plan`.
    """
    fit = fit_versions(tree, deadline_s, lambda chosen: make_plan(chosen, budget_bytes, algorithm).cost_s)
    return fit, make_plan(fit.tree, budget_bytes, algorithm)


def _plan_simply(problem: Problem, algorithm: str) -> ReplaySequence:
    """The sequence of a planner that proves nothing itself."""
    if algorithm == "pc":
        return plan_cover(problem, 1)
    if algorithm == "none":
        return plan_none(problem.skeleton)
    if algorithm == "lfu":
        return plan_lfu(problem.tree, problem.budget_bytes)
    if algorithm == "online":
        return plan_online(problem.tree, problem.budget_bytes)
    return plan_prp(problem.skeleton, problem.budget_bytes, per_byte=algorithm == "prp-v2")
