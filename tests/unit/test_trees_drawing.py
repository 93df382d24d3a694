"""The picture of a step tree, and why steps differ."""

from __future__ import annotations

from rex.trees.describe import as_graph
from rex.trees.facts import ABSENT, FILE
from rex.trees.merge import Node, StepTree, _reasons
from rex.trees.step import Given, Step


def step(given: list[Given]) -> Step:
    program = {"program": "/p", "content": "x", "arguments": [], "environment": {}, "altered": {}, "standard": []}
    return Step((0,), frozenset({0}), "p", [program], given, [], [], 0, (), (), 0, 1.0)


def tree_of(needs: dict[str, set[str]]) -> StepTree:
    nodes = {name: Node(name, [("exp0", step([]))], ((), 0), needs=needed) for name, needed in needs.items()}
    return StepTree(nodes, {f"exp{number}": list(needs) for number in range(4)}, {})


def test_a_step_is_drawn_behind_those_that_it_needs_in_any_run() -> None:
    graph = as_graph(tree_of({"s1": {"s2"}, "s2": set()}))
    assert graph.nodes["s2"].event < graph.nodes["s1"].event
    circle = as_graph(tree_of({"s1": {"s2"}, "s2": {"s1"}}))
    assert len(circle.nodes) == 2


def test_many_runs_are_counted() -> None:
    tree = tree_of({"s1": set()})
    for number in (1, 2):
        tree.nodes["s1"].members.append((f"exp{number}", step([])))
    assert "[3 of 4 runs]" in as_graph(tree).nodes["s1"].label


def test_a_file_that_is_no_link_is_there() -> None:
    def given(sha256: str) -> Step:
        return step([Given(ABSENT, "/w/a", "lEINVAL", 0), Given(FILE, "/w/a", sha256, 0)])
    assert list(_reasons(given("1"), given("2"), {})) == ["input /w/a"]
