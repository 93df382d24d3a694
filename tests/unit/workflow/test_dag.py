"""Graphs and schedules are refused with one clear line unless they make sense."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from rex.errors import UsageError
from rex.workflow.dag import (Dag, Failures, Schedule, build_dag, dag_as_json, read_dag, read_json,
                              read_schedule)

from .examples import make_dag


def task(name: object = "a", preds: object = (), **changes: object) -> dict[str, object]:
    row: dict[str, object] = {"id": name, "weight": 1.0, "checkpoint_cost": 0.1, "recovery_cost": 0.1,
                              "preds": list(preds) if isinstance(preds, tuple) else preds}
    return {key: value for key, value in {**row, **changes}.items() if value != "absent"}


def test_a_graph_survives_its_json() -> None:
    dag = make_dag([1.0, 2.0, 3.0], [(), (0,), (0, 1)], sizes=[5, 6, 7])
    assert read_dag(json.loads(json.dumps(dag_as_json(dag)))) == dag
    assert dag.exits == {2} and dag.succs == ((1, 2), (2,), ()) and dag.t_inf == 6.0
    assert dag.kept_bytes([0, 2]) == 12


def test_tasks_may_come_in_any_order_and_have_integer_ids() -> None:
    dag = build_dag([task(2, (1,)), task(1)])
    assert dag.ids == ("2", "1") and dag.topological_order == (1, 0)
    assert dag.kept_bytes([0]) is None


def test_a_predecessor_named_twice_counts_once() -> None:
    assert build_dag([task("a"), task("b", ("a", "a"))]).preds == ((), (0,))


@pytest.mark.parametrize("tasks, said", [
    ([task("a", ("b",)), task("b", ("a",))], "cycle: "),
    ([task("a", ("a",))], "cycle: a -> a"),
    ([task("a", ("x",))], "unknown task: 'x'"),
    ([task("a"), task("a")], "two tasks are called 'a'"),
    ([task("a", weight=-1)], "'a': weight is -1"),
    ([task("a", weight=math.nan)], "weight is nan"),
    ([task("a", weight=math.inf)], "weight is inf"),
    ([task("a", weight=10**400)], "weight is 1000"),
    ([task("a", weight="3")], "weight is '3'"),
    ([task("a", weight=True)], "weight is True"),
    ([task("a", weight="absent")], "'a' has no weight"),
    ([task("a", checkpoint_cost="absent")], "'a' has no checkpoint_cost"),
    ([task("a", recovery_cost=None)], "'a' has no recovery_cost"),
    ([task("absent")], "task number 1 has no id"),
    ([task("a", "b")], "preds is not a list"),
    ([task("a", [["b"]])], "unknown task"),
    (["a"], "task number 1 is not an object"),
    ([], "no tasks"),
    ([task("a", output_bytes=1), task("b")], "'b' has no output_bytes"),
    ([task("a", output_bytes=-1)], "output_bytes is -1"),
])
def test_bad_graphs_are_refused(tasks: list[dict[str, object]], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_dag({"tasks": tasks})
    assert said in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [None, [], {}, {"tasks": {}}, "tasks"])
def test_data_without_tasks_is_refused(data: object) -> None:
    with pytest.raises(UsageError, match='no list "tasks"'):
        read_dag(data)


@pytest.mark.parametrize("data, said", [
    ({"order": ["t0", "t1"]}, "needs the lists"),
    ({"order": ["t0"], "checkpointed": []}, "'t1' is missing"),
    ({"order": ["t0", "t1", "t1"], "checkpointed": []}, "twice"),
    ({"order": ["t1", "t0"], "checkpointed": []}, "before 't0'"),
    ({"order": ["t0", "x"], "checkpointed": []}, "unknown task: 'x'"),
    ({"order": ["t0", "t1"], "checkpointed": ["x"]}, "unknown task: 'x'"),
    ({"order": "t0", "checkpointed": []}, "not a list"),
])
def test_bad_schedules_are_refused(data: object, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_schedule(data, make_dag([1.0, 1.0], [(), (0,)]))
    assert said in str(caught.value)


def test_a_schedule_survives_its_json() -> None:
    dag = make_dag([1.0, 1.0], [(), (0,)])
    schedule = Schedule((0, 1), frozenset([0]))
    assert read_schedule({**schedule.as_json(dag), "ratio": 1}, dag) == schedule


def test_unreadable_files_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read_json(tmp_path / "none")
    (tmp_path / "bad").write_text("{")
    with pytest.raises(UsageError, match="not JSON"):
        read_json(tmp_path / "bad")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not JSON"):
        read_json(tmp_path / "binary")


@pytest.mark.parametrize("mtbf_s, downtime_s", [(0, 0), (-1, 0), (math.nan, 0), (1, -1), (1, math.inf),
                                                (1e-320, 0)])
def test_impossible_failures_are_refused(mtbf_s: float, downtime_s: float) -> None:
    with pytest.raises(UsageError):
        Failures(mtbf_s, downtime_s)


def test_columns_must_agree() -> None:
    with pytest.raises(UsageError, match="differ in length"):
        Dag(("a",), (1.0,), (1.0,), (), ((),))
    with pytest.raises(UsageError, match="output_bytes"):
        Dag(("a",), (1.0,), (1.0,), (1.0,), ((),), (1, 2))
