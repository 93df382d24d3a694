"""Nodes, names, differences, and how the graph is drawn."""

from __future__ import annotations

import random

import pytest

from rex.errors import Damaged, NotFound, UsageError
from rex.notebook.graph import Graph, Node, check_name


def graph(*parents: tuple[int, int, str]) -> Graph:
    found = Graph()
    for number, parent, branch in parents:
        found.add(Node(number, parent, f"cell {number}", branch=branch, changed={"v": number},
                       views={"v": {"kind": "int", "text": str(number)}}))
    return found


FORKED = ((1, 0, "main"), (2, 1, "main"), (3, 2, "main"), (4, 2, "branch-1"), (7, 4, "branch-1"))


def test_ids_names_and_steps_back_resolve() -> None:
    found = graph(*FORKED)
    found.apply({"kind": "tag", "name": "good", "node": 2})
    assert [found.resolve(text) for text in ("3", "-1", "-2", "good", "main", "branch-1", "head")] == [
        3, 4, 2, 2, 3, 7, 7]
    assert found.resolve("-4") == 0
    for text in ("5", "-5", "nosuch", "", "--1", "1.5"):
        with pytest.raises(NotFound):
            found.resolve(text)


def test_running_on_from_an_older_state_makes_a_branch() -> None:
    found = graph(*FORKED[:3])
    assert found.next_branch() == ("main", False)
    found.apply({"kind": "head", "node": 1, "name": ""})
    assert found.next_branch() == ("branch-1", True)
    found.apply({"kind": "branch", "name": "branch-1", "node": 1})
    assert found.next_branch() == ("branch-2", True)
    found.apply({"kind": "head", "node": 3, "name": "main"})
    assert found.next_branch() == ("main", False)


def test_differences_follow_the_paths() -> None:
    found = graph(*FORKED)
    found.nodes[7].changed["w"] = "new"
    found.nodes[4].removed = frozenset({"v"})
    found.nodes[4].changed.clear()
    found.nodes[7].changed.pop("v")
    changes = {change.name: change.kind for change in found.difference(3, 7)}
    assert changes == {"v": "removed", "w": "added"}
    assert [c.kind for c in found.difference(7, 3)] == ["added", "removed"]
    assert found.difference(2, 2) == []
    [change] = found.difference(2, 3)
    assert change.kind == "changed" and change.old["text"] == "2" and change.new["text"] == "3"


def test_hostile_nodes_and_notes_are_refused_or_passed_over() -> None:
    found = graph(*FORKED)
    for node in (Node(3, 1), Node(9, 8), Node(0, 0), Node(-1, 0)):
        with pytest.raises(Damaged):
            found.add(node)
    for note in ({}, {"kind": "tag"}, {"kind": "head", "node": 99}, {"kind": "tag", "name": 5, "node": 1},
                 {"kind": "branch", "name": "x", "node": "1"}, {"kind": ["tag"], "name": "x"}):
        found.apply(note)
    assert found.head == 7 and found.tags == {} and found.branches == {"main": 3, "branch-1": 7}


def test_drawing_is_right_for_random_trees() -> None:
    for seed in range(60):
        chance = random.Random(seed)
        found = Graph()
        for number in range(1, 30):
            parent = chance.choice([0, *range(1, number)]) if chance.random() < 0.3 else number - 1
            found.add(Node(number, parent, branch=f"b{number}"))
        rows = found.rows()
        assert [node.number for _, node in rows if node] == list(range(29, 0, -1))
        column: dict[int, int] = {}
        for drawing, node in rows:
            if node is not None:
                assert drawing.count("●") == 1
                column[node.number] = drawing.index("●")
                for other in found.nodes.values():   # a line leads down to every parent not yet drawn
                    if other.number > node.number and other.parent and other.parent < node.number:
                        assert len(drawing) > 1 or other.parent == node.number
        width = max(len(drawing) for drawing, _ in rows)
        assert width <= 2 * 29


def test_names() -> None:
    assert check_name("good-one/2") == "good-one/2"
    for name in ("", "12", "-x", "a b", "head", "x" * 101, "a\n"):
        with pytest.raises(UsageError):
            check_name(name)
