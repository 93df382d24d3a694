"""Task graphs from WfCommons instances (https://wfcommons.org), schemas 1.0 to 1.5."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from rex.errors import UsageError
from rex.workflow.dag import Dag, build_dag

_SECONDS = ("runtimeInSeconds", "runtime")
_BYTES = ("sizeInBytes", "size")


@dataclass(frozen=True)
class Storage:
    """Where outputs are persisted: seconds for n bytes are latency_s + n / bytes_per_s."""

    bytes_per_s: float = 100e6
    latency_s: float = 0.5

    def __post_init__(self) -> None:
        if not self.bytes_per_s > 0 or not 0 <= self.latency_s < math.inf:
            raise UsageError("the storage needs a positive bandwidth and a latency of 0 s or more")

    def seconds(self, size_bytes: float) -> float:
        """Time to write or read one task's output."""
        return self.latency_s + size_bytes / self.bytes_per_s


def is_wfcommons(data: object) -> bool:
    """Whether parsed JSON looks like a WfCommons instance."""
    return isinstance(data, dict) and isinstance(data.get("workflow"), dict)


def read_wfcommons(data: Mapping[str, object], storage: Storage) -> Dag:
    """The graph of a WfCommons instance: parents, run times, and sizes of output files.

    Checkpoint and recovery cost are the time to move a task's output files.

    Raises:
        UsageError: a run time is missing or negative, or a parent is unknown.
    """
    workflow = data["workflow"]
    assert isinstance(workflow, Mapping)
    specification = workflow.get("specification")
    if isinstance(specification, Mapping):
        tasks = _list_of(specification, "tasks")
        sizes = {str(f.get("id")): _first(f, _BYTES, "file") for f in _list_of(specification, "files", True)}
        execution = workflow.get("execution")
        ran = _list_of(execution, "tasks") if isinstance(execution, Mapping) else []
        seconds = {str(task.get("id")): _first(task, _SECONDS, "task") for task in ran}
        outputs = {_name(task): sum(_size(sizes, name, task) for name in _names(task, "outputFiles"))
                   for task in tasks}
    else:
        tasks = _list_of(workflow, "jobs" if "jobs" in workflow else "tasks")
        seconds = {_name(task): _first(task, _SECONDS, "task") for task in tasks if _has(task, _SECONDS)}
        outputs = {_name(task): sum(_first(f, _BYTES, "file") for f in _list_of(task, "files", True)
                                    if f.get("link") == "output") for task in tasks}
    return _build(tasks, seconds, outputs, storage)


def _build(tasks: list[Mapping[str, object]], seconds: Mapping[str, float],
           outputs: Mapping[str, float], storage: Storage) -> Dag:
    # Before schema 1.4 parents name tasks by "name", later by "id"; accept both.
    names = {str(task[key]): _name(task) for task in tasks for key in ("name", "id") if key in task}
    rows: list[dict[str, object]] = []
    for task in tasks:
        name = _name(task)
        if name not in seconds:
            raise UsageError(f"task {name!r} has no runtimeInSeconds")
        cost_s = storage.seconds(outputs[name])
        preds = [names.get(str(parent), str(parent)) for parent in _names(task, "parents")]
        rows.append({"id": name, "weight": seconds[name], "checkpoint_cost": cost_s,
                     "recovery_cost": cost_s, "preds": preds, "output_bytes": outputs[name]})
    return build_dag(rows)


def _name(task: Mapping[str, object]) -> str:
    name = task.get("id", task.get("name"))
    if not isinstance(name, (str, int)):
        raise UsageError("a WfCommons task has neither id nor name")
    return str(name)


def _names(task: Mapping[str, object], key: str) -> list[object]:
    found = task.get(key)
    if found is None:
        return []
    if not isinstance(found, list):
        raise UsageError(f"task {_name(task)!r}: {key} is not a list")
    return found


def _list_of(holder: Mapping[str, object], key: str, may_lack: bool = False) -> list[Mapping[str, object]]:
    found = holder.get(key)
    if found is None and may_lack:
        return []
    if not isinstance(found, list) or not all(isinstance(item, Mapping) for item in found):
        raise UsageError(f'the WfCommons file has no list "{key}" of objects')
    return found


def _has(item: Mapping[str, object], keys: tuple[str, ...]) -> bool:
    return any(item.get(key) is not None for key in keys)


def _first(item: Mapping[str, object], keys: tuple[str, ...], kind: str) -> float:
    for key in keys:
        value = item.get(key)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf:
            return value
        if value is not None:
            raise UsageError(f"{kind} {item.get('id', item.get('name'))!r}: {key} is {value!r}",
                             "it must be a finite number, 0 or more")
    raise UsageError(f"{kind} {item.get('id', item.get('name'))!r} has no {keys[0]}")


def _size(sizes: Mapping[str, float], name: object, task: Mapping[str, object]) -> float:
    if str(name) not in sizes:
        raise UsageError(f"task {_name(task)!r} writes an unknown file", repr(name))
    return sizes[str(name)]
