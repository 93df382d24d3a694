"""Which processes are steps, from what they are and how long they took."""

from __future__ import annotations

import pytest

from rex.archive import Manifest
from rex.archive.manifest import Process
from rex.trees.cut import _groups
from rex.trees.facts import ProcessFacts, RunFacts
from rex.workflow.recorded import Recorded

# Task, its parent, whether it is a fork, when it begins and ends.
Row = tuple[int, int | None, bool, float, float]


def groups(rows: list[Row], drivers: set[str]) -> list[list[int]]:
    facts = RunFacts({task: ProcessFacts(task, parent, is_forked=is_forked, program=f"p{task}") for task, parent, is_forked, _, _ in rows})
    processes = {task: Process(task, parent, start_s=begin, end_s=end) for task, parent, _, begin, end in rows}
    recorded = Recorded(Manifest(["x"], duration_s=rows[0][4]), processes)
    return _groups(facts, recorded, {(name, "") for name in drivers})


FORK_IN_A_DRIVER: list[Row] = [(0, None, False, 0, 10), (1, 0, True, 0, 5), (2, 1, False, 0, 5), (3, 0, False, 5, 10)]
# A program that computes for 5 s, with a fork that runs a program for a moment.
FORK_IN_A_STEP: list[Row] = [(0, None, False, 0, 10), (1, 0, False, 0, 5), (2, 1, True, 0, 0.01), (3, 2, False, 0, 0.01), (4, 0, False, 5, 10)]


@pytest.mark.parametrize(("rows", "drivers", "wanted"), [
    (FORK_IN_A_DRIVER, {"p0"}, [[2], [3]]),
    (FORK_IN_A_STEP, {"p0"}, [[1], [4]]),
    (FORK_IN_A_STEP, {"p0", "p1"}, [[3], [4]]),
    (FORK_IN_A_STEP, set(), [[0]])])
def test_forks_are_taken_apart_where_their_maker_is(rows: list[Row], drivers: set[str], wanted: list[list[int]]) -> None:
    assert groups(rows, drivers) == wanted
