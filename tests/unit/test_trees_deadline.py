"""Runs that fit a time: never more than it, nearly as many as any choice, and the bound holds."""

from __future__ import annotations

import itertools
import random

import pytest

from rex.errors import UsageError
from rex.trees.costs import execute_s
from rex.trees.deadline import fit_runs, planned_s
from rex.trees.keeping import plan_kept
from rex.trees.merge import Node, StepTree
from rex.trees.step import Step


def make_step(begins_at: int, seconds: float, against: tuple[str, ...] = ()) -> Step:
    return Step((begins_at,), frozenset({begins_at}), "", [{"content": "x"}], [], [], [], 0, (), against, begins_at, seconds, seconds)


def random_tree(draw: random.Random) -> StepTree:
    """Up to six runs of steps, of which many are shared; seconds differ from run to run, and some steps run always."""
    tree = StepTree()
    names = [f"exp{number}" for number in range(draw.randint(1, 6))]
    for number in range(draw.randint(1, 9)):
        base_s, against = draw.choice((0.0, draw.uniform(0, 10))), draw.choice(((), (), (), ("it reads the clock",)))
        members = [(name, make_step(number, base_s * draw.uniform(0.9, 1.1), against)) for name in names if draw.random() < 0.5]
        if members:
            tree.nodes[f"s{number}"] = Node(f"s{number}", members, ((), number))
    for name in names:
        tree.runs[name], tree.seconds[name] = [node.id for node in tree.nodes.values() if name in node.runs], 0.0
        tree.around_s[name] = draw.choice((0.0, 0.1))
    return tree


@pytest.mark.parametrize("workers", [1, 2])
def test_against_every_choice(workers: int) -> None:
    draw, missed, of = random.Random(workers), 0, 0
    for _ in range(150):
        tree = random_tree(draw)
        budget_bytes = draw.choice((None, 0))

        def cost_of(part: StepTree) -> float:
            return planned_s(part, plan_kept(part, budget_bytes), workers)

        deadline_s = draw.uniform(0, 1.1) * cost_of(tree)
        most = max((len(names) for size in range(len(tree.runs) + 1) for names in itertools.combinations(tree.runs, size)
                    if not names or cost_of(tree.only(set(names))) <= deadline_s), default=0)
        try:
            fit = fit_runs(tree, deadline_s, cost_of, workers)
        except UsageError:
            assert most == 0
            continue
        assert cost_of(tree.only(set(fit.runs))) <= deadline_s and len(fit.runs) <= most <= fit.at_most
        missed, of = missed + (len(fit.runs) < most), of + 1
    assert of > 90 and missed <= 0.02 * of


def test_runs_side_by_side_wait_for_a_shared_step() -> None:
    tree = StepTree({"s1": Node("s1", [("a", make_step(1, 4.0)), ("b", make_step(1, 5.0))], ((), 0)),
                     "s2": Node("s2", [("b", make_step(2, 1.0))], ((), 0))}, {"a": ["s1"], "b": ["s1", "s2"]}, {"a": 4.0, "b": 6.0}, {"a": 0.0, "b": 0.0})
    assert planned_s(tree, plan_kept(tree, None), 1) == pytest.approx(planned_s(tree, plan_kept(tree, None), 2)) == pytest.approx(5.0, rel=0.06)


def test_what_no_run_can_meet_is_refused() -> None:
    tree = StepTree({"s1": Node("s1", [("a", make_step(1, 4.0))], ((), 0))}, {"a": ["s1"]}, {"a": 4.0}, {"a": 0.0})
    with pytest.raises(UsageError, match="no run can be replayed in 3.00 s: the shortest takes 4.20 s"):
        fit_runs(tree, 3.0, lambda part: plan_kept(part, None).cost_s)
