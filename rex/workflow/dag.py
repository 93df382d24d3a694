"""Task graphs and schedules: checked values, and the JSON they are read from.

A `Dag` is all that this package needs: whatever can name tasks, seconds and
predecessors (a JSON file, a WfCommons instance, a recording) builds one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rex.errors import UsageError

_NUMBERS = ("weight", "checkpoint_cost", "recovery_cost")


@dataclass(frozen=True)
class Failures:
    """Exponential failures: mean seconds between two of them, seconds lost to each."""

    mtbf_s: float
    downtime_s: float = 0.0

    def __post_init__(self) -> None:
        if not self.mtbf_s > 0:
            raise UsageError(f"the MTBF must be positive, not {self.mtbf_s:g} s")
        if not 0 <= self.downtime_s < math.inf:
            raise UsageError(f"the downtime must be a finite number of seconds, not {self.downtime_s:g}")
        if math.isinf(1.0 / self.mtbf_s):
            raise UsageError(f"the MTBF is too short to compute with: {self.mtbf_s:g} s")

    @property
    def rate(self) -> float:
        """Failures per second; 0 when the MTBF is infinite."""
        return 1.0 / self.mtbf_s

    @property
    def unit_s(self) -> float:
        """Seconds that one unit of the sum in the makespan formula stands for."""
        return self.mtbf_s + self.downtime_s


@dataclass(frozen=True)
class Dag:
    """Tasks with costs in seconds, and the tasks whose outputs each of them reads.

    Tasks are numbered 0..n-1; every tuple has one entry per task. `output_bytes`
    is what persisting a task keeps in storage, None where nobody knows. Nothing of
    the `unpersistable` tasks can be kept: after a failure they run again.
    """

    ids: tuple[str, ...]
    weights: tuple[float, ...]
    checkpoint_costs: tuple[float, ...]
    recovery_costs: tuple[float, ...]
    preds: tuple[tuple[int, ...], ...]
    output_bytes: tuple[int, ...] | None = None
    unpersistable: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        if not self.ids:
            raise UsageError("the DAG has no tasks")
        columns = (self.weights, self.checkpoint_costs, self.recovery_costs, self.preds)
        if any(len(column) != len(self.ids) for column in columns):
            raise UsageError("the DAG's columns differ in length")
        for name, column in zip(_NUMBERS, columns):
            for task, value in zip(self.ids, column):
                if not 0 <= value < math.inf:
                    raise UsageError(f"task {task!r}: {name} is {value}",
                                     "it must be a finite number of seconds, 0 or more")
        if self.output_bytes is not None and (
                len(self.output_bytes) != len(self.ids) or min(self.output_bytes) < 0):
            raise UsageError("output_bytes must be one number, 0 or more, for each task")
        _check_ids(self.ids)
        # Asking for the order is what finds cycles.
        assert len(self.topological_order) == len(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def succs(self) -> tuple[tuple[int, ...], ...]:
        """For each task, the tasks that read its output."""
        lists: list[list[int]] = [[] for _ in self.ids]
        for task, preds in enumerate(self.preds):
            for pred in preds:
                lists[pred].append(task)
        return tuple(map(tuple, lists))

    @cached_property
    def topological_order(self) -> tuple[int, ...]:
        """Some order in which predecessors come first."""
        waiting = [len(preds) for preds in self.preds]
        ready = [task for task, count in enumerate(waiting) if not count]
        for task in ready:
            for succ in self.succs[task]:
                waiting[succ] -= 1
                if not waiting[succ]:
                    ready.append(succ)
        if len(ready) < len(self.ids):
            raise UsageError("the DAG has a cycle", " -> ".join(self._find_cycle(waiting)))
        return tuple(ready)

    def _find_cycle(self, waiting: Sequence[int]) -> list[str]:
        # Every task that still waits has a predecessor that still waits: walking up must end in a cycle.
        task = next(task for task, count in enumerate(waiting) if count)
        path: list[int] = []
        while task not in path:
            path.append(task)
            task = next(pred for pred in self.preds[task] if waiting[pred])
        cycle = [task, *reversed(path[path.index(task):])]
        names = [self.ids[member] for member in cycle]
        return names if len(names) <= 8 else names[:4] + ["..."] + names[-3:]

    @cached_property
    def exits(self) -> frozenset[int]:
        """Tasks that nobody reads: persisting them for others is pure waste."""
        return frozenset(task for task, succs in enumerate(self.succs) if not succs)

    @cached_property
    def unkept(self) -> frozenset[int]:
        """Tasks that no sensible schedule checkpoints: exits, and those of which nothing can be kept."""
        return self.exits | self.unpersistable

    @property
    def t_inf(self) -> float:
        """Seconds of a run without failures and without checkpoints."""
        return math.fsum(self.weights)

    def kept_bytes(self, checkpointed: Iterable[int]) -> int | None:
        """Bytes in storage when these tasks are checkpointed; None when sizes are unknown."""
        if self.output_bytes is None:
            return None
        return sum(self.output_bytes[task] for task in checkpointed)


@dataclass(frozen=True)
class Schedule:
    """The order in which the tasks run, and those whose output is persisted."""

    order: tuple[int, ...]
    checkpointed: frozenset[int]

    def check(self, dag: Dag) -> None:
        """Refuse a schedule that is none for this graph.

        Raises:
            UsageError: a task is missing, comes twice, or comes before one it reads.
        """
        names = dag.ids
        if sorted(self.order) != list(range(len(dag))):
            seen = set(self.order)
            missing = [names[task] for task in range(len(dag)) if task not in seen]
            why = f"{missing[0]!r} is missing" if missing else "a task comes twice"
            raise UsageError("the order must hold every task once", why)
        position = {task: index for index, task in enumerate(self.order)}
        for task, preds in enumerate(dag.preds):
            for pred in preds:
                if position[pred] > position[task]:
                    raise UsageError(f"the order runs {names[task]!r} before {names[pred]!r}",
                                     "it reads the output of the latter")
        for task in self.checkpointed & dag.unpersistable:
            raise UsageError(f"the schedule persists {names[task]!r}", "nothing of it can be persisted")

    def as_json(self, dag: Dag) -> dict[str, object]:
        """The schedule with task ids, as `read_schedule` accepts it."""
        return {"order": [dag.ids[task] for task in self.order],
                "checkpointed": [dag.ids[task] for task in self.order if task in self.checkpointed]}


def _check_ids(ids: Sequence[str]) -> None:
    if len(set(ids)) < len(ids):
        twice = next(task for index, task in enumerate(ids) if task in ids[:index])
        raise UsageError(f"two tasks are called {twice!r}")


def read_json(path: Path) -> object:
    """The content of a JSON file.

    Raises:
        UsageError: the file cannot be read, or is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}", error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON", str(error)) from error


def build_dag(tasks: Sequence[Mapping[str, object]]) -> Dag:
    """A graph from task objects with id, weight, checkpoint_cost, recovery_cost, preds, output_bytes.

    Raises:
        UsageError: something is missing, negative, unknown or circular.
    """
    ids = [_read_id(task, index) for index, task in enumerate(tasks)]
    _check_ids(ids)
    number = {task_id: index for index, task_id in enumerate(ids)}
    preds = [_read_ids(task.get("preds", []), number, f"task {task_id!r}: preds")
             for task_id, task in zip(ids, tasks)]
    columns = [tuple(_read_number(task, name, task_id) for task_id, task in zip(ids, tasks))
               for name in _NUMBERS]
    sized = [task for task in tasks if "output_bytes" in task]
    sizes = None
    if sized:
        if len(sized) < len(tasks):
            bare = next(i for i, task in zip(ids, tasks) if "output_bytes" not in task)
            raise UsageError(f"task {bare!r} has no output_bytes", "other tasks have",
                             "give them for all tasks or for none")
        sizes = tuple(int(_read_number(task, "output_bytes", i)) for i, task in zip(ids, tasks))
    unpersistable = frozenset(index for index, task in enumerate(tasks) if task.get("can_persist") is False)
    return Dag(tuple(ids), *columns, tuple(tuple(dict.fromkeys(p)) for p in preds), sizes, unpersistable)


def read_dag(data: object) -> Dag:
    """A graph from parsed JSON: {"tasks": [{"id", "weight", ...}]}.

    Raises:
        UsageError: the data is no such graph.
    """
    tasks = data.get("tasks") if isinstance(data, dict) else None
    if not isinstance(tasks, list):
        raise UsageError('the DAG file has no list "tasks"', "",
                         "expected {\"tasks\": [{\"id\": ..., \"weight\": ...}]} or WfCommons JSON")
    return build_dag(tasks)


def dag_as_json(dag: Dag) -> dict[str, object]:
    """The graph as `read_dag` accepts it."""
    tasks: list[dict[str, object]] = []
    for index, task_id in enumerate(dag.ids):
        task: dict[str, object] = {"id": task_id, "weight": dag.weights[index],
                                   "checkpoint_cost": dag.checkpoint_costs[index],
                                   "recovery_cost": dag.recovery_costs[index],
                                   "preds": [dag.ids[pred] for pred in dag.preds[index]]}
        if dag.output_bytes is not None:
            task["output_bytes"] = dag.output_bytes[index]
        if index in dag.unpersistable:
            task["can_persist"] = False
        tasks.append(task)
    return {"tasks": tasks}


def read_schedule(data: object, dag: Dag) -> Schedule:
    """A checked schedule from parsed JSON: {"order": [...], "checkpointed": [...]}; more keys are fine.

    Raises:
        UsageError: the data is no schedule of this graph.
    """
    if not isinstance(data, dict) or "order" not in data or "checkpointed" not in data:
        raise UsageError('the schedule needs the lists "order" and "checkpointed"')
    number = {task_id: index for index, task_id in enumerate(dag.ids)}
    order = _read_ids(data["order"], number, "order")
    checkpointed = _read_ids(data["checkpointed"], number, "checkpointed")
    schedule = Schedule(tuple(order), frozenset(checkpointed))
    schedule.check(dag)
    return schedule


def _read_id(task: object, index: int) -> str:
    if not isinstance(task, Mapping):
        raise UsageError(f"task number {index + 1} is not an object")
    task_id = task.get("id")
    if isinstance(task_id, bool) or not isinstance(task_id, (str, int)):
        raise UsageError(f"task number {index + 1} has no id", "it must be a string or an integer")
    return str(task_id)


def _read_number(task: Mapping[str, object], name: str, task_id: str) -> float:
    value = task.get(name)
    if value is None:
        raise UsageError(f"task {task_id!r} has no {name}")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UsageError(f"task {task_id!r}: {name} is {value!r}", "it must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not 0 <= number < math.inf:
        raise UsageError(f"task {task_id!r}: {name} is {value}", "it must be finite, 0 or more")
    return number


def _read_ids(value: object, number: Mapping[str, int], where: str) -> list[int]:
    if not isinstance(value, list):
        raise UsageError(f"{where} is not a list of task ids")
    found = []
    for item in value:
        if isinstance(item, bool) or not isinstance(item, (str, int)) or str(item) not in number:
            raise UsageError(f"{where} names an unknown task", repr(item))
        found.append(number[str(item)])
    return found
