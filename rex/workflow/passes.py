"""Which steps to run, in which order, and how often to go through the recording for that.

One pass replays the frame from its beginning and, as the frame starts them, runs some steps
and leaves out the others. Steps that a plan orders as they were recorded take one pass.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rex.workflow.graph import Workflow


@dataclass(frozen=True)
class Pass:
    """Tasks to run; tasks whose outputs must be there instead; whether the frame runs to its end."""

    runs: tuple[int, ...]
    restores: frozenset[int]
    is_last: bool


def needs_of(workflow: Workflow) -> list[frozenset[int]]:
    """For each task, the steps whose outputs must be there for it, through stretches of the frame."""
    found: list[frozenset[int]] = []
    for task in workflow.tasks:
        needs: set[int] = set()
        for pred in task.preds:
            needs |= found[pred] if workflow.tasks[pred].is_frame else {pred}
        found.append(frozenset(needs))
    return found


def list_runs(workflow: Workflow, order: Sequence[int], done: Collection[int], kept: Collection[int],
              wanted: Collection[int] = ()) -> list[int]:
    """The steps to run from here on: those left in the order, each after what it needs and is lost.

    As in the model: only what the current step needs is rebuilt; recovered if it was
    kept, else run again, upwards.

    Args:
        order: all tasks, as the plan has them.
        done: steps that have run before; kept: those whose outputs are in the store.
        wanted: steps whose outputs must be there in the end.
    """
    needs, present, runs = needs_of(workflow), set(kept), []
    place = {task: number for number, task in enumerate(order)}

    def bring(task: int) -> None:
        waiting = [task]
        while waiting:
            missing = sorted((each for each in needs[waiting[-1]] if each not in present), key=place.__getitem__)
            if missing:
                waiting.append(missing[0])
                continue
            ready = waiting.pop()
            if ready not in present:
                runs.append(ready)
                present.add(ready)

    for task in order:
        if not workflow.tasks[task].is_frame and task not in done:
            present.discard(task)
            bring(task)
    for task in sorted({*wanted, *workflow.frame_needs} - present, key=place.__getitem__):
        if task not in present:
            bring(task)
    return runs


def list_passes(workflow: Workflow, runs: Sequence[int]) -> list[Pass]:
    """Cut the runs where one begins before the one it follows did; the last pass goes on to the end."""
    needs = needs_of(workflow)
    parts: list[list[int]] = [[]]
    for task in runs:
        if parts[-1] and workflow.tasks[task].roots < workflow.tasks[parts[-1][-1]].roots:
            parts.append([])
        parts[-1].append(task)
    passes = []
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        wanted = {need for task in part for need in needs[task]} | (workflow.frame_needs if is_last else frozenset())
        passes.append(Pass(tuple(part), frozenset(wanted - set(part)), is_last))
    return passes
