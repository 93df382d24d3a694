"""Random trees: planners against the search over all replays, and against each other."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from rex.errors import UsageError
from rex.multiversion.cachespace import CacheSpace
from rex.multiversion.planners import ALGORITHMS, make_plan, plan_deadline
from rex.multiversion.planners.best import Problem
from rex.multiversion.planners.bound import CoverBound
from rex.multiversion.planners.exact import find_optimum
from rex.multiversion.planners.skeleton import build_skeleton
from rex.multiversion.sequence import check
from rex.multiversion.tree import ExecutionTree, Node


@st.composite
def draw_trees(draw: st.DrawFn, most: int) -> ExecutionTree:
    """Trees of 1 to `most` nodes; parents near the node make them high, far ones broad."""
    count = draw(st.integers(1, most))
    reach = draw(st.sampled_from([2, 4, most]))
    nodes = []
    for k in range(count):
        parent = None if not k else str(draw(st.integers(max(0, k - reach), k - 1)))
        size = draw(st.one_of(st.none(), st.integers(0, 30), st.integers(5, 30)))
        nodes.append(Node(str(k), parent, float(draw(st.integers(0, 20))), size))
    return ExecutionTree(nodes)


@st.composite
def draw_pages(draw: st.DrawFn, most: int) -> tuple[ExecutionTree, dict[str, frozenset[tuple[int, str]]]]:
    """A tree whose cells write pages, and what each state's memory is: page -> the cell that wrote it last."""
    count = draw(st.integers(1, most))
    states: dict[str, dict[int, str]] = {}
    nodes = []
    for k in range(count):
        parent = None if not k else str(draw(st.integers(max(0, k - 4), k - 1)))
        written = draw(st.sets(st.integers(0, 14), max_size=8))
        state = {**states.get(parent or "", {}), **{page: str(k) for page in written}}
        for page in draw(st.sets(st.sampled_from(sorted(state)), max_size=3)) if state else ():
            del state[page]                   # given back
        states[str(k)] = state
        kept = sum(1 for writer in state.values() if writer == str(k))
        nodes.append(Node(str(k), parent, float(draw(st.integers(0, 20))), len(state), kept))
    return ExecutionTree(nodes), {name: frozenset(state.items()) for name, state in states.items()}


def space_of(tree: ExecutionTree) -> CacheSpace[str]:
    nodes = tree.by_id
    return CacheSpace({name: node.parent for name, node in nodes.items()},
                      {name: node.size_bytes for name, node in nodes.items()},
                      {name: node.written_bytes for name, node in nodes.items()})


@settings(max_examples=200)
@given(draw_pages(12), st.data())
def test_checkpoints_never_take_more_than_they_are_charged(drawn: tuple[ExecutionTree, dict[str, Any]],
                                                           data: st.DataObject) -> None:
    tree, states = drawn
    cached = data.draw(st.sets(st.sampled_from(tree.order), min_size=1))
    charged = space_of(tree).bytes_of(cached)
    assert len(frozenset().union(*(states[name] for name in cached))) <= charged
    assert charged <= sum(tree.by_id[name].size_bytes for name in cached)
    for name in cached:
        assert space_of(tree).bytes_of(cached - {name}) <= charged, "giving one up never costs memory"


@settings(max_examples=100)
@given(draw_pages(11), st.integers(0, 25))
def test_best_is_the_optimum_when_memory_is_shared(drawn: tuple[ExecutionTree, Any], budget_bytes: int) -> None:
    tree = drawn[0]
    optimum = find_optimum(build_skeleton(tree), budget_bytes)
    best = make_plan(tree, budget_bytes)
    assert abs(check(tree, optimum.ops, budget_bytes).cost_s - best.cost_s) < 1e-9 and best.gap == 0
    plain = ExecutionTree(replace(node, written_bytes=None) for node in tree.by_id.values())
    assert best.cost_s <= make_plan(plain, budget_bytes).cost_s + 1e-9
    problem = Problem(tree, budget_bytes)
    bound_s = CoverBound(problem.least_skeleton, problem.least_facts).bound(budget_bytes)
    assert bound_s <= best.cost_s + 1e-6


@settings(max_examples=40)
@given(draw_pages(40), st.integers(0, 40))
def test_every_plan_is_legal_when_memory_is_shared(drawn: tuple[ExecutionTree, Any], budget_bytes: int) -> None:
    tree = drawn[0]
    best = make_plan(tree, budget_bytes)
    for algorithm in ALGORITHMS:
        made = make_plan(tree, budget_bytes, algorithm)
        assert abs(check(tree, made.sequence.ops, budget_bytes).cost_s - made.cost_s) < 1e-9
        assert best.lower_bound_s - 1e-9 <= best.cost_s <= made.cost_s + 1e-9


@settings(max_examples=150)
@given(draw_trees(12), st.integers(0, 70))
def test_best_is_the_optimum_up_to_twelve_nodes(tree: ExecutionTree, budget_bytes: int) -> None:
    optimum = find_optimum(build_skeleton(tree), budget_bytes)
    cost_s = check(tree, optimum.ops, budget_bytes).cost_s
    best = make_plan(tree, budget_bytes)
    assert abs(best.cost_s - cost_s) < 1e-9
    assert best.gap == 0


@settings(max_examples=60)
@given(draw_trees(9), st.integers(0, 60), st.integers(0, 60))
def test_a_deadline_is_kept_and_nobody_has_more_versions_than_its_bound(tree: ExecutionTree, budget_bytes: int, deadline_s: int) -> None:
    most = max((len(leaves) for number in range(1, len(tree.leaves) + 1) for leaves in itertools.combinations(tree.leaves, number)
                if find_optimum(build_skeleton(tree.only(leaves)), budget_bytes).cost_s(tree.only(leaves)) <= deadline_s), default=0)
    if not most:
        with pytest.raises(UsageError, match="no version can be replayed"):
            plan_deadline(tree, budget_bytes, deadline_s)
        return
    fit, plan = plan_deadline(tree, budget_bytes, deadline_s)
    assert plan.cost_s <= deadline_s
    assert 1 <= len(fit.tree.leaves) <= most <= fit.at_most
    if not any(node.size_bytes is None for node in tree.by_id.values()) and budget_bytes >= sum(node.size_bytes or 0 for node in tree.by_id.values()):
        assert len(fit.tree.leaves) == most


@settings(max_examples=60)
@given(draw_trees(13), st.integers(0, 70), st.integers(1, 4))
def test_no_sequence_is_below_the_bound(tree: ExecutionTree, budget_bytes: int, width: int) -> None:
    problem = Problem(tree, budget_bytes)
    optimum = find_optimum(problem.skeleton, budget_bytes)
    bound_s = CoverBound(problem.skeleton, problem.facts, width=width).bound(budget_bytes)
    assert bound_s <= optimum.cost_s(tree) + 1e-6


@settings(max_examples=40)
@given(draw_trees(40), st.integers(0, 150))
def test_every_plan_is_legal_and_none_below_best(tree: ExecutionTree, budget_bytes: int) -> None:
    best = make_plan(tree, budget_bytes)
    for algorithm in ALGORITHMS:
        made = make_plan(tree, budget_bytes, algorithm)
        assert abs(check(tree, made.sequence.ops, budget_bytes).cost_s - made.cost_s) < 1e-9
        assert best.lower_bound_s - 1e-9 <= best.cost_s <= made.cost_s + 1e-9


@settings(max_examples=60)
@given(draw_trees(11), st.integers(0, 60))
def test_the_skeleton_loses_nothing(tree: ExecutionTree, budget_bytes: int) -> None:
    """The search on the skeleton and on the whole tree, node by node, agree."""
    whole = build_skeleton(tree)
    whole.__init__()
    numbers = {}
    for name in tree.order:
        node = tree.by_id[name]
        size = 1 << 62 if node.size_bytes is None else node.size_bytes
        parent = -1 if node.parent is None else numbers[node.parent]
        numbers[name] = whole.add(parent, [name], node.cost_s, size)
    short = find_optimum(build_skeleton(tree), budget_bytes).cost_s(tree)
    assert abs(short - find_optimum(whole, budget_bytes).cost_s(tree)) < 1e-9
