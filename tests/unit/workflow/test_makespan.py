"""Expected makespans against closed forms and known values."""

from __future__ import annotations

import math
import random

import pytest

from rex.workflow.dag import Dag, Failures, Schedule
from rex.workflow.linearize import random_first
from rex.workflow.makespan import expected_makespan
from rex.workflow.shapes import generate, random_dag

from .examples import figure_one, make_dag, random_case


def test_one_task_is_the_classical_formula() -> None:
    dag = make_dag([10.0], [()])
    found = expected_makespan(dag, Schedule((0,), frozenset()), Failures(50.0, 3.0))
    assert found.seconds == pytest.approx(53.0 * math.expm1(10.0 / 50.0), rel=1e-14)
    assert found.log == pytest.approx(math.log(found.seconds), abs=1e-14)


@pytest.mark.parametrize("seed", range(40))
def test_a_single_exit_without_checkpoints_depends_on_total_work_only(seed: int) -> None:
    draw = random.Random(seed)
    inner = random_dag(draw.randint(1, 12), draw, 0.3)
    exits = tuple(sorted(inner.exits))
    dag = Dag((*inner.ids, "last"), (*inner.weights, 2.0), (*inner.checkpoint_costs, 0.0),
              (*inner.recovery_costs, 0.0), (*inner.preds, exits))
    failures = Failures(dag.t_inf * 10 ** draw.uniform(-1, 6), 1.5)
    found = expected_makespan(dag, Schedule(random_first(dag, seed), frozenset()), failures)
    assert found.seconds == pytest.approx(failures.unit_s * math.expm1(dag.t_inf / failures.mtbf_s), rel=1e-12)


def test_checkpointed_chain_is_a_sum_over_segments() -> None:
    dag = make_dag([5.0, 7.0, 9.0], [(), (0,), (1,)], cost=2.0, recovery=3.0)
    found = expected_makespan(dag, Schedule((0, 1, 2), frozenset([0])), Failures(20.0, 1.0))
    rate = 1 / 20.0
    expected = 21.0 * (math.expm1(rate * 7.0) + math.exp(rate * 3.0) * math.expm1(rate * 16.0))
    assert found.seconds == pytest.approx(expected, rel=1e-13)


def test_the_example_of_the_literature() -> None:
    """103.4194 was computed by an exact evaluation over explicit contents of memory."""
    dag, schedule = figure_one()
    assert expected_makespan(dag, schedule, Failures(100.0)).seconds == pytest.approx(103.4194, abs=5e-5)


def test_join_where_the_published_order_is_worse() -> None:
    """w = (1, 10), c = 0, r = (1, 4), exit 1, rate 0.1: 20.960 and 20.486."""
    dag = Dag(("a", "b", "t"), (1.0, 10.0, 1.0), (0.0,) * 3, (1.0, 4.0, 0.0), ((), (), (0, 1)))
    kept = frozenset((0, 1))
    assert expected_makespan(dag, Schedule((0, 1, 2), kept), Failures(10.0)).seconds == pytest.approx(20.960, abs=1e-3)
    assert expected_makespan(dag, Schedule((1, 0, 2), kept), Failures(10.0)).seconds == pytest.approx(20.486, abs=1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_without_failures_it_is_the_work_done(seed: int) -> None:
    dag, schedule, _ = random_case(random.Random(seed))
    work = dag.t_inf + math.fsum(dag.checkpoint_costs[task] for task in schedule.checkpointed)
    assert expected_makespan(dag, schedule, Failures(math.inf)).seconds == pytest.approx(work)
    assert expected_makespan(dag, schedule, Failures(1e12 * work)).seconds == pytest.approx(work, rel=1e-10)


def test_rare_failures_keep_their_digits() -> None:
    dag = make_dag([10.0, 20.0], [(), (0,)])
    failures = Failures(1e15)
    found = expected_makespan(dag, Schedule((0, 1), frozenset()), failures)
    assert found.seconds == pytest.approx(30.0 * (1 + 30.0 / 2e15), rel=1e-15)


def test_overflow_leaves_the_logarithm() -> None:
    dag = generate("LIGO", 50)
    failures = Failures(dag.t_inf / 2000)
    order = dag.topological_order
    found = expected_makespan(dag, Schedule(order, frozenset()), failures)
    assert math.isinf(found.seconds) and 500 < found.log < 2010
    chain = make_dag([1000.0, 1000.0], [(), (0,)])
    found = expected_makespan(chain, Schedule((0, 1), frozenset()), Failures(1.0))
    assert found.log == pytest.approx(2000.0, abs=1e-9)


def test_tasks_that_take_no_time_take_none() -> None:
    dag = make_dag([0.0, 0.0], [(), (0,)], cost=0.0)
    assert expected_makespan(dag, Schedule((0, 1), frozenset([0])), Failures(1.0)).seconds == 0.0
    assert expected_makespan(dag, Schedule((0, 1), frozenset()), Failures(math.inf)).log == -math.inf


def test_independent_tasks_add_up_whatever_their_order() -> None:
    dag = make_dag([3.0, 4.0, 5.0], [(), (), ()])
    expected = 10.0 * sum(math.expm1(w / 10.0) for w in (3.0, 4.0, 5.0))
    for order in ((0, 1, 2), (2, 0, 1)):
        found = expected_makespan(dag, Schedule(order, frozenset()), Failures(10.0))
        assert found.seconds == pytest.approx(expected, rel=1e-14)
