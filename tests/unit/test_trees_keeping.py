"""What is kept for later runs: never more than the budget, and no choice saves more than the bound says."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from rex.archive.manifest import FileState
from rex.trees.costs import execute_s, put_back_s
from rex.trees.cut import Run
from rex.trees.keeping import EXECUTE, KEEP, LET_GO, PUT_BACK, plan_kept, steps_in_order
from rex.trees.merge import Node, StepTree, merge_steps
from rex.trees.step import Left, Step


def make_step(busy_s: float, size: int) -> Step:
    return Step((0,), frozenset({0}), "", [{"content": "x"}], [], [Left("/a", FileState("file", 0o644, size=size))], [], 0, (), (), 0, busy_s=busy_s)


def random_tree(draw: random.Random) -> StepTree:
    names = [f"exp{number}" for number in range(draw.randint(1, 5))]
    tree = StepTree(around_s=dict.fromkeys(names, 0.1))
    for number in range(draw.randint(1, 7)):
        step = make_step(draw.uniform(0, 3), draw.choice((0, 1, 50, 70, 10**10)))
        if members := [(name, replace(step, busy_s=step.busy_s * draw.uniform(0.9, 1.1))) for name in names if draw.random() < 0.6]:
            tree.nodes[f"s{number}"] = Node(f"s{number}", members, ((), number))
    tree.runs = {name: [node.id for node in tree.nodes.values() if name in node.runs] for name in names}
    return tree


def cost_s(tree: StepTree, kept: set[str], budget_bytes: int | None) -> float | None:
    """What a replay takes that follows the sequence, counted op by op; None where it keeps more than it may."""
    plan = replace(plan_kept(tree, None), kept=frozenset(kept))
    sizes = {node.id: node.step.left[0].state.size for node in tree.nodes.values() if node.step.left[0].state}
    total, held = sum(tree.around_s.values()), set[str]()
    for run, ops in steps_in_order(tree, plan):
        for what, each in ops:
            step = next(step for name, step in tree.nodes[each].members if name == run)
            if what == PUT_BACK:
                assert each in held
            held = held | {each} if what == KEEP else held - {each} if what == LET_GO else held
            total += put_back_s(step) if what == PUT_BACK else execute_s(step) if what == EXECUTE else 0.0
            if budget_bytes is not None and sum(sizes[one] for one in held) > budget_bytes:
                return None
    assert not held
    return total


def test_the_sequence_costs_what_the_plan_says_and_the_bound_holds() -> None:
    draw, loose = random.Random(1), 0
    for _ in range(200):
        tree, budget_bytes = random_tree(draw), draw.choice((None, 0, 60, 120))
        plan = plan_kept(tree, budget_bytes)
        assert plan.cost_s == pytest.approx(cost_s(tree, set(plan.kept), budget_bytes))
        several = [node.id for node in tree.nodes.values() if len(node.members) > 1]
        costs = (cost_s(tree, set(kept), budget_bytes) for size in range(len(several) + 1) for kept in itertools.combinations(several, size))
        best = min(cost for cost in costs if cost is not None)
        assert plan.bound_s <= best * (1 + 1e-9) and best <= plan.cost_s * (1 + 1e-9)
        loose += plan.gap > 0.3
    assert loose < 40


def test_what_is_copied_longer_than_it_computes_is_executed_each_time() -> None:
    tree = StepTree({"s1": Node("s1", [("a", make_step(0.1, 10**12)), ("b", make_step(0.1, 10**12))], ((), 0))}, {"a": ["s1"], "b": ["s1"]},
                    around_s={"a": 0.0, "b": 0.0})
    plan = plan_kept(tree, None)
    assert not plan.kept and plan.cost_s == plan.bound_s == plan.alone_s


def test_a_step_takes_the_median_of_its_recordings() -> None:
    def run(name: str, busy_s: float, is_put_back: bool = False) -> Run:
        experiment: Any = SimpleNamespace(name=name, manifest=SimpleNamespace(duration_s=1.0))
        program: dict[str, Any] = {"program": "/p", "content": "x"}
        return Run(experiment, [replace(make_step(busy_s, 1), programs=[program], key="k", result="r", is_put_back=is_put_back)], 0.0, 0)

    def planned_s(*runs: Run) -> float:
        return plan_kept(merge_steps(list(runs)), None).cost_s

    others = [run("b", 0.2), run("c", 0.3), run("d", 0.0, is_put_back=True)]
    assert planned_s(run("a", 2.0), *others) == pytest.approx(planned_s(run("a", 0.3), *others))
    assert planned_s(run("a", 0.3), *others) > 0.3
