"""Execution trees: what is read, and what is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rex.errors import UsageError
from rex.multiversion.tree import ExecutionTree, Node

GOOD = {"id": "a", "parent": None, "cost": 1, "size": 2}


def read(*nodes: object) -> ExecutionTree:
    return ExecutionTree.from_json({"nodes": list(nodes)})


def test_sums_and_shape() -> None:
    tree = read({**GOOD, "id": "c", "parent": "a", "size": None}, {**GOOD, "id": "b", "parent": "a", "cost": 4}, GOOD)
    assert tree.roots == ("a",)
    assert tree.leaves == ("c", "b")
    assert tree.total_s == 6
    assert tree.sequential_s == 7
    assert tree.largest_bytes == 2
    assert ExecutionTree.from_json(tree.as_json()).by_id == tree.by_id


def test_several_roots_and_numbers_as_ids() -> None:
    tree = read({**GOOD, "id": 1}, {**GOOD, "id": 2}, {**GOOD, "id": 3, "parent": 2})
    assert tree.roots == ("1", "2")
    assert tree.by_id["3"].parent == "2"


@pytest.mark.parametrize("nodes, word", [
    ([], "no nodes"),
    ([{**GOOD, "parent": "a"}], "own ancestor"),
    ([GOOD, {**GOOD, "id": "b", "parent": "c"}, {**GOOD, "id": "c", "parent": "b"}], "own ancestor"),
    ([{**GOOD, "parent": "z"}], "unknown parent"),
    ([GOOD, GOOD], "twice"),
    ([{**GOOD, "cost": -1}], "cost"),
    ([{**GOOD, "cost": float("nan")}], "cost"),
    ([{**GOOD, "cost": float("inf")}], "cost"),
    ([{**GOOD, "cost": "1"}], "cost"),
    ([{**GOOD, "cost": True}], "cost"),
    ([{**GOOD, "cost": 10**400}], "cost"),
    ([{**GOOD, "cost": None}], "cost"),
    ([{**GOOD, "size": -5}], "size"),
    ([{**GOOD, "size": []}], "size"),
    ([{"id": "a", "parent": None, "cost": 1}], "lacks 'size'"),
    ([{**GOOD, "id": ""}], "no name"),
    ([{**GOOD, "id": ["a"]}], "no name"),
    (["a"], "no object"),
])
def test_bad_nodes_are_one_line(nodes: list[object], word: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(*nodes)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [None, [], {}, {"nodes": 3}, "tree"])
def test_other_forms_are_refused(data: object) -> None:
    with pytest.raises(UsageError):
        ExecutionTree.from_json(data)


@pytest.mark.parametrize("text", ["", "{", "[" * 100000, "\x00"])
def test_files_that_are_no_json(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tree.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="not JSON"):
        ExecutionTree.load(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        ExecutionTree.load(tmp_path / "none.json")
    with pytest.raises(UsageError):
        ExecutionTree.load(tmp_path)
    (tmp_path / "latin").write_bytes(b'{"nodes": "\xff"}')
    with pytest.raises(UsageError, match="not JSON"):
        ExecutionTree.load(tmp_path / "latin")


def test_nodes_are_checked_also_without_json() -> None:
    with pytest.raises(UsageError):
        ExecutionTree([Node("a", None, -1.0, None)])
    with pytest.raises(UsageError):
        ExecutionTree([Node("a", None, 1.0, -1)])


def test_deep_trees_need_no_recursion() -> None:
    nodes = [{"id": k, "parent": k - 1 if k else None, "cost": 1, "size": None} for k in range(20_000)]
    assert ExecutionTree.from_json(json.loads(json.dumps({"nodes": nodes}))).total_s == 20_000
