"""Which processes of two experiments belong together: by place in the tree and what they executed."""

from __future__ import annotations

import hashlib
from typing import Any, Iterable

from rex.expdiff.resync import SAME, resynchronise
from rex.expdiff.spool import Entry
from rex.expdiff.trace import Task, Trace

Matches = dict[int, int]


def match_tasks(left: Trace, right: Trace) -> Matches:
    """Right task numbers by left ones, parents before children.

    Children of two matched tasks are aligned by what they executed, program
    and arguments; those left between two aligned ones by program alone, then
    in order of creation: so another program at the same place still has a counterpart.
    """
    ours, theirs = _children(left), _children(right)
    found: Matches = {}
    waiting: list[tuple[list[Task], list[Task]]] = [(ours.get(None, []), theirs.get(None, []))]
    while waiting:
        one, two = waiting.pop()
        for mine, other in _align(one, two):
            found[mine.number] = other.number
            waiting.append((ours.get(mine.number, []), theirs.get(other.number, [])))
    return dict(sorted(found.items()))


def _children(trace: Trace) -> dict[int | None, list[Task]]:
    found: dict[int | None, list[Task]] = {}
    for task in trace.tasks.values():
        parent = task.parent if task.parent in trace.tasks and task.parent != task.number else None
        found.setdefault(parent, []).append(task)
    for tasks in found.values():
        tasks.sort(key=lambda task: (task.ordinal, task.number))
    return found


def _label(task: Task) -> tuple[Any, ...]:
    return (task.is_thread, *[each.label for each in task.execs])


def _program(task: Task) -> tuple[Any, ...]:
    return (task.is_thread, *[each.label[:1] for each in task.execs])


def _entries(tasks: Iterable[Task]) -> Iterable[Entry]:
    for place, task in enumerate(tasks):
        digest = hashlib.blake2b(repr(_label(task)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        yield int.from_bytes(digest, "little"), 0, place


def _align(one: list[Task], two: list[Task]) -> list[tuple[Task, Task]]:
    pairs: list[tuple[Task, Task]] = []
    gap: tuple[list[Task], list[Task]] = ([], [])
    for step in resynchronise(_entries(one), _entries(two)):
        if step.kind == SAME and step.left and step.right:
            pairs += _pair_gap(*gap)
            gap = ([], [])
            pairs.append((one[step.left[2]], two[step.right[2]]))
        elif step.left:
            gap[0].append(one[step.left[2]])
        elif step.right:
            gap[1].append(two[step.right[2]])
    return pairs + _pair_gap(*gap)


def _pair_gap(one: list[Task], two: list[Task]) -> list[tuple[Task, Task]]:
    """Pairs among tasks that stand between two aligned ones."""
    by_program: dict[tuple[Any, ...], list[Task]] = {}
    for task in reversed(two):
        by_program.setdefault(_program(task), []).append(task)
    pairs, rest, taken = [], [], set()
    for task in one:
        same = by_program.get(_program(task))
        if same:
            other = same.pop()
            taken.add(other.number)
            pairs.append((task, other))
        else:
            rest.append(task)
    others = [task for task in two if task.number not in taken]
    for is_thread in (False, True):
        pairs += zip([task for task in rest if task.is_thread == is_thread],
                     [task for task in others if task.is_thread == is_thread])
    return pairs
