"""The simulator by itself; its agreement with the formula is in tests/property."""

from __future__ import annotations

import math

import pytest

from rex.errors import UsageError
from rex.workflow.dag import Failures, Schedule
from rex.workflow.simulate import simulate

from .examples import figure_one, make_dag


def test_without_failures_every_run_takes_the_work() -> None:
    dag = make_dag([1.0, 2.0], [(), (0,)], cost=0.5)
    found = simulate(dag, Schedule((0, 1), frozenset([0])), Failures(math.inf), 5)
    assert (found.mean_s, found.p50_s, found.p99_s) == (3.5, 3.5, 3.5)
    assert found.standard_error_s == 0.0 and found.failures_per_run == 0.0


def test_same_seed_same_runs() -> None:
    dag, schedule = figure_one()
    runs = [simulate(dag, schedule, Failures(100.0), 200, seed) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    assert runs[0].p50_s <= runs[0].p90_s <= runs[0].p99_s


def test_one_task_agrees_with_the_classical_mean() -> None:
    dag = make_dag([10.0], [()])
    found = simulate(dag, Schedule((0,), frozenset()), Failures(10.0, 2.0), 20000, 3)
    assert abs(found.mean_s - 12.0 * math.expm1(1.0)) < 4 * found.standard_error_s


def test_endless_runs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rex.workflow.simulate._MOST_TRIES", 1000)
    with pytest.raises(UsageError, match="would not end"):
        simulate(make_dag([1000.0], [()]), Schedule((0,), frozenset()), Failures(1.0), 1)
    with pytest.raises(UsageError, match="0 runs"):
        simulate(make_dag([1.0], [()]), Schedule((0,), frozenset()), Failures(1.0), 0)
