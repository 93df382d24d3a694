"""Chains, forks and joins against every schedule there is."""

from __future__ import annotations

import math
import random

import pytest

from rex.workflow.dag import Dag, Failures
from rex.workflow.exhaustive import best_of_all
from rex.workflow.makespan import expected_makespan
from rex.workflow.special import classify, join_order, solve_chain, solve_special

from .examples import make_dag

SHAPES = {"chain": lambda n: [(i - 1,) if i else () for i in range(n)],
          "fork": lambda n: [(0,) if i else () for i in range(n)],
          "join": lambda n: [()] * (n - 1) + [tuple(range(n - 1))]}


def random_costs(preds: list[tuple[int, ...]], draw: random.Random) -> Dag:
    count = len(preds)
    costs = [tuple(draw.choice((0.0, draw.uniform(0, 1), draw.uniform(0, 5), draw.uniform(0, 15)))
                   for _ in range(count)) for _ in range(2)]
    return Dag(tuple(map(str, range(count))), tuple(draw.uniform(0.1, 10) for _ in range(count)),
               *costs, tuple(preds))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(25))
def test_special_shapes_are_solved_exactly(shape: str, seed: int) -> None:
    draw = random.Random(seed)
    dag = random_costs(SHAPES[shape](draw.randint(2, 5 if shape == "fork" else 6)), draw)
    failures = Failures(dag.t_inf * 10 ** draw.uniform(-1.3, 1.5), draw.choice((0.0, 4.0)))
    schedule = solve_special(dag, failures)
    assert schedule is not None
    schedule.check(dag)
    found = expected_makespan(dag, schedule, failures)
    assert found.log == pytest.approx(best_of_all(dag, failures)[1].log, abs=1e-12)


def test_shapes_are_told_apart() -> None:
    for shape, build in SHAPES.items():
        assert classify(make_dag([1.0] * 4, build(4))) == shape
    assert classify(make_dag([1.0], [()])) == "chain"
    for other in ([(), ()], [(), (), (0,), (1,)], [(), (0,), (0,), (1, 2)], [(), (0,), (0,), (1,)]):
        assert classify(make_dag([1.0] * len(other), other)) is None


def test_join_order_is_not_the_published_one() -> None:
    dag = Dag(("a", "b", "t"), (1.0, 10.0, 1.0), (0.0,) * 3, (1.0, 4.0, 0.0), ((), (), (0, 1)))
    assert join_order(dag, Failures(10.0), frozenset((0, 1))) == (1, 0, 2)
    # A source that is dearer to recover than to run comes after those without checkpoint.
    dear = Dag(("a", "b", "t"), (1.0, 1.0, 1.0), (0.0,) * 3, (9.0, 9.0, 0.0), ((), (), (0, 1)))
    assert join_order(dear, Failures(10.0), frozenset((0,))) == (1, 0, 2)


def test_long_chains_and_wide_joins() -> None:
    chain = make_dag([100.0] * 400, SHAPES["chain"](400), cost=5.0)
    schedule = solve_chain(chain, Failures(1e-1 * chain.t_inf))
    found = expected_makespan(chain, schedule, Failures(1e-1 * chain.t_inf))
    everything = frozenset(range(399))
    assert found.log < expected_makespan(chain, type(schedule)(schedule.order, everything), Failures(4000.0)).log
    assert solve_special(make_dag([1.0] * 30, SHAPES["join"](30)), Failures(10.0)) is None


@pytest.mark.parametrize("shape", SHAPES)
def test_extremes_do_not_break(shape: str) -> None:
    dag = make_dag([1e4] * 5, SHAPES[shape](5))
    assert solve_special(dag, Failures(math.inf)).checkpointed == frozenset()
    for mtbf_s in (1.0, 1e15):
        schedule = solve_special(dag, Failures(mtbf_s))
        if schedule is not None:
            schedule.check(dag)
    idle = make_dag([0.0] * 5, SHAPES[shape](5), cost=0.0)
    assert solve_special(idle, Failures(1.0)) is not None
