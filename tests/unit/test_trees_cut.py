"""Which processes are steps, from what they are and how long they computed."""

from __future__ import annotations

import pytest

from rex.archive import Manifest
from rex.archive.manifest import Process
from rex.trees.cut import _groups
from rex.trees.facts import ProcessFacts, RunFacts
from rex.workflow.recorded import Recorded

# Task, its parent, whether it is a fork, when it ends, and its own processor time.
Row = tuple[int, int | None, bool, float, float]


def groups(rows: list[Row], drivers: set[str]) -> list[list[int]]:
    facts = RunFacts({task: ProcessFacts(task, parent, is_forked=is_forked, program=f"p{task}") for task, parent, is_forked, _, _ in rows})
    processes = {task: Process(task, parent, end_s=end, cpu_s=cpu_s) for task, parent, _, end, cpu_s in rows}
    recorded = Recorded(Manifest(["x"], duration_s=rows[0][3]), processes)
    return _groups(facts, recorded, {(name, "") for name in drivers})


FORK_IN_A_DRIVER: list[Row] = [(0, None, False, 10, 0), (1, 0, True, 5, 0), (2, 1, False, 5, 5), (3, 0, False, 10, 5)]
# A program that computes for 5 s, with a fork that runs a program for a moment.
FORK_IN_A_STEP: list[Row] = [(0, None, False, 10, 0), (1, 0, False, 5, 5), (2, 1, True, 0.01, 0), (3, 2, False, 0.01, 0.01), (4, 0, False, 10, 5)]
# The same with two small programs which a busy machine lets wait.
SLOW_HELPERS: list[Row] = [(0, None, False, 30, 0), (1, 0, False, 20, 5), (2, 1, False, 9, 0.01), (3, 1, False, 19, 0.01), (4, 0, False, 30, 5)]


@pytest.mark.parametrize(("rows", "drivers", "wanted"), [
    (FORK_IN_A_DRIVER, {"p0"}, [[2], [3]]),
    (FORK_IN_A_STEP, {"p0"}, [[1], [4]]),
    (FORK_IN_A_STEP, {"p0", "p1"}, [[3], [4]]),
    (FORK_IN_A_STEP, set(), [[0]]),
    (SLOW_HELPERS, {"p0"}, [[1], [4]])])
def test_forks_are_taken_apart_where_their_maker_is(rows: list[Row], drivers: set[str], wanted: list[list[int]]) -> None:
    assert groups(rows, drivers) == wanted
