"""WfCommons instances of both schema generations."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from rex.errors import UsageError
from rex.workflow.wfcommons import Storage, is_wfcommons, read_wfcommons

NEW: dict[str, Any] = {"name": "w", "schemaVersion": "1.5", "workflow": {
    "specification": {
        "tasks": [{"id": "a", "name": "first", "parents": [], "children": ["b"], "outputFiles": ["x", "y"]},
                  {"id": "b", "name": "second", "parents": ["a"], "children": [], "inputFiles": ["x"]}],
        "files": [{"id": "x", "sizeInBytes": 100}, {"id": "y", "sizeInBytes": 50}]},
    "execution": {"tasks": [{"id": "a", "runtimeInSeconds": 3.5}, {"id": "b", "runtimeInSeconds": 2}]}}}
OLD: dict[str, Any] = {"name": "w", "schemaVersion": "1.2", "workflow": {"tasks": [
    {"name": "first", "id": "1", "runtime": 3.5, "parents": [],
     "files": [{"link": "output", "name": "x", "size": 150}, {"link": "input", "name": "i", "size": 9}]},
    {"name": "second", "id": "2", "runtime": 2, "parents": ["first"], "files": []}]}}


@pytest.mark.parametrize("data, ids", [(NEW, ("a", "b")), (OLD, ("1", "2"))])
def test_both_generations_give_the_same_graph(data: dict[str, Any], ids: tuple[str, ...]) -> None:
    assert is_wfcommons(data)
    dag = read_wfcommons(data, Storage(bytes_per_s=100.0, latency_s=0.5))
    assert dag.ids == ids and dag.preds == ((), (0,)) and dag.weights == (3.5, 2)
    assert dag.output_bytes == (150, 0) and dag.checkpoint_costs == dag.recovery_costs == (2.0, 0.5)


def change(path: list[Any], value: Any) -> dict[str, Any]:
    data = copy.deepcopy(NEW)
    place = data["workflow"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return data


@pytest.mark.parametrize("path, value, said", [
    (["execution", "tasks", 0, "runtimeInSeconds"], -1.64, "'a': runtimeInSeconds is -1.64"),
    (["execution", "tasks", 0], {"id": "a"}, "task 'a' has no runtimeInSeconds"),
    (["execution", "tasks"], [], "'a' has no runtimeInSeconds"),
    (["specification", "files"], [], "writes an unknown file"),
    (["specification", "tasks"], 3, 'no list "tasks"'),
    (["specification", "tasks", 1, "parents"], ["zz"], "unknown task"),
    (["specification", "tasks", 0, "parents"], ["b"], "cycle"),
    (["specification", "tasks", 0], {}, "neither id nor name"),
])
def test_broken_instances_are_one_clear_line(path: list[Any], value: Any, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_wfcommons(change(path, value), Storage())
    assert said in str(caught.value)


def test_our_own_graphs_are_not_taken_for_instances() -> None:
    assert not is_wfcommons({"tasks": []}) and not is_wfcommons([])


def test_impossible_storage_is_refused() -> None:
    with pytest.raises(UsageError):
        Storage(bytes_per_s=0)
