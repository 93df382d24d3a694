"""The planner: never worse than the fourteen, deterministic, within its limits."""

from __future__ import annotations

import math

import pytest

from pace import first
from rex.workflow import best as best_module
from rex.workflow.best import find_best
from rex.workflow.dag import Failures
from rex.workflow.exhaustive import best_of_all
from rex.workflow.heuristics import Question, run_all
from rex.workflow.makespan import expected_makespan
from rex.workflow.shapes import FAMILIES, generate

from .examples import make_dag


@pytest.mark.parametrize("family", first(1, FAMILIES))
def test_never_worse_than_the_fourteen_and_the_same_again(family: str) -> None:
    dag = generate(family, 40)
    question = Question(dag, Failures(dag.t_inf))
    first, again = find_best(question, 0.5), find_best(Question(dag, Failures(dag.t_inf)), 0.5)
    assert first == again
    assert first.plan.makespan.log <= run_all(question)[0].makespan.log
    assert len(first.heuristics) == 14
    schedule = first.plan.schedule
    schedule.check(dag)
    priced = expected_makespan(dag, schedule, question.failures)
    assert priced.log == pytest.approx(first.plan.makespan.log, abs=1e-11)


@pytest.mark.parametrize("family", first(1, FAMILIES))
def test_alternatives_take_longer_and_keep_less(family: str) -> None:
    dag = generate(family, 40)
    found = find_best(Question(dag, Failures(dag.t_inf)), 0.5)
    plans = [found.plan, *found.alternatives]
    assert len(plans) > 2
    for faster, slower in zip(plans, plans[1:]):
        assert faster.makespan.log <= slower.makespan.log
        assert faster.kept_bytes > slower.kept_bytes


def test_limits_in_bytes_hold_and_cost_time() -> None:
    dag = generate("Genome", 40)
    free = find_best(Question(dag, Failures(dag.t_inf)), 0.3)
    limit = free.plan.kept_bytes // 2
    tight = find_best(Question(dag, Failures(dag.t_inf), max_bytes=limit), 0.3)
    assert tight.plan.kept_bytes <= limit
    assert tight.plan.makespan.log > free.plan.makespan.log
    nothing = find_best(Question(dag, Failures(dag.t_inf), max_bytes=0), 0.1)
    assert nothing.plan.kept_bytes == 0


def test_limits_in_bytes_on_tiny_graphs_are_met_exactly() -> None:
    dag = make_dag([4.0, 9.0, 6.0, 5.0], [(), (0,), (0,), (1, 2)], cost=0.2, sizes=[3, 5, 4, 1])
    failures = Failures(15.0)
    for limit in (0, 3, 4, 7, 9, 100):
        found = find_best(Question(dag, failures, max_bytes=limit))
        assert found.is_optimal and found.plan.kept_bytes <= limit
        assert found.plan.makespan.log == pytest.approx(best_of_all(dag, failures, limit)[1].log, abs=1e-12)


def test_special_shapes_are_optimal_at_once() -> None:
    chain = make_dag([10.0] * 30, [(i - 1,) if i else () for i in range(30)])
    found = find_best(Question(chain, Failures(60.0)))
    assert found.is_optimal and found.heuristics == ()
    calm = find_best(Question(generate("LIGO", 40), Failures(math.inf)))
    assert calm.is_optimal and calm.plan.schedule.checkpointed == frozenset()


def test_wide_joins_are_sorted() -> None:
    join = make_dag([float(1 + i % 7) for i in range(24)], [()] * 23 + [tuple(range(23))], cost=0.5)
    found = find_best(Question(join, Failures(40.0)), 0.3)
    assert found.plan.makespan.log <= found.heuristics[0].makespan.log


def test_graphs_too_wide_for_flips_still_get_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rex.workflow.flips._MOST_STEPS", 10)
    monkeypatch.setattr(best_module, "_EXHAUSTIVE", 0)
    dag = generate("Montage", 30)
    found = find_best(Question(dag, Failures(dag.t_inf)), 0.1)
    assert found.plan.makespan.log <= found.heuristics[0].makespan.log


def test_one_task_and_unconnected_tasks() -> None:
    assert find_best(Question(make_dag([5.0], [()]), Failures(10.0))).is_optimal
    many = make_dag([5.0] * 20, [()] * 20)
    found = find_best(Question(many, Failures(10.0)), 0.05)
    assert found.plan.makespan.seconds == pytest.approx(20 * 10 * math.expm1(0.5))
