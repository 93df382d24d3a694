"""The formula against the simulator, and the planner against every schedule."""

from __future__ import annotations

import math
import random
import statistics

import pytest

from rex.workflow import best as best_module
from rex.workflow.best import find_best
from rex.workflow.dag import Dag, Failures, Schedule
from rex.workflow.exhaustive import best_of_all, count_schedules
from rex.workflow.heuristics import Question
from rex.workflow.linearize import random_first
from rex.workflow.makespan import expected_makespan
from rex.workflow.shapes import random_dag
from rex.workflow.simulate import simulate


def random_case(draw: random.Random) -> tuple[Dag, Schedule, Failures]:
    """A random graph and schedule; the MTBF is one to thirty times the work."""
    dag = random_dag(draw.randint(1, 12), draw, draw.choice((0.1, 0.3, 0.6)))
    order = random_first(dag, draw.randrange(10**6))
    kept = frozenset(task for task in order if draw.random() < 0.4)
    return dag, Schedule(order, kept), Failures(dag.t_inf * 10 ** draw.uniform(0.0, 1.5), draw.choice((0.0, 3.0)))


def test_the_simulator_agrees_on_two_hundred_random_graphs() -> None:
    draw = random.Random(20)
    scores = []
    for seed in range(200):
        dag, schedule, failures = random_case(draw)
        expected = expected_makespan(dag, schedule, failures).seconds
        found = simulate(dag, schedule, failures, 1000, seed)
        scores.append((found.mean_s - expected) / max(found.standard_error_s, 1e-12 * expected))
    # Means of 200 standard normal values; long tails of single runs widen them a little.
    assert abs(statistics.mean(scores)) < 4 / math.sqrt(200)
    assert 0.85 < statistics.stdev(scores) < 1.2
    assert max(map(abs, scores)) < 4.5


def test_more_failures_or_downtime_never_help() -> None:
    draw = random.Random(21)
    for _ in range(100):
        dag, schedule, failures = random_case(draw)
        base = expected_makespan(dag, schedule, failures).seconds
        worse = (Failures(failures.mtbf_s / 2, failures.downtime_s), Failures(failures.mtbf_s, failures.downtime_s + 1))
        assert base >= dag.t_inf
        for other in worse:
            assert expected_makespan(dag, schedule, other).seconds > base


def test_scaling_time_scales_the_makespan() -> None:
    draw = random.Random(22)
    for _ in range(100):
        dag, schedule, failures = random_case(draw)
        scaled = Dag(dag.ids, *(tuple(60 * x for x in column) for column in
                                (dag.weights, dag.checkpoint_costs, dag.recovery_costs)), dag.preds)
        minutes = expected_makespan(scaled, schedule, Failures(60 * failures.mtbf_s, 60 * failures.downtime_s))
        seconds = expected_makespan(dag, schedule, failures)
        assert minutes.seconds == pytest.approx(60 * seconds.seconds, rel=1e-12)


@pytest.mark.parametrize("graphs", [8, pytest.param(40, marks=pytest.mark.stress)])
def test_the_search_finds_the_optimum_of_small_graphs(monkeypatch: pytest.MonkeyPatch, graphs: int) -> None:
    monkeypatch.setattr(best_module, "_EXHAUSTIVE", 0)
    draw = random.Random(23)
    tried = 0
    while tried < graphs:
        dag = random_dag(draw.randint(4, 7), draw, draw.choice((0.3, 0.5)))
        if count_schedules(dag, 4000) > 4000:
            continue
        failures = Failures(dag.t_inf * 10 ** draw.uniform(-1, 1), draw.choice((0.0, 2.0)))
        found = find_best(Question(dag, failures), 3.0).plan.makespan.log
        assert math.expm1(found - best_of_all(dag, failures)[1].log) <= 0.001
        tried += 1
