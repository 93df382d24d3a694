"""The oracle counts what it should."""

from __future__ import annotations

from rex.workflow.dag import Failures
from rex.workflow.exhaustive import all_orders, best_of_all, count_schedules

from .examples import make_dag


def test_all_orders_of_a_diamond() -> None:
    diamond = make_dag([1.0] * 4, [(), (0,), (0,), (1, 2)])
    assert sorted(all_orders(diamond)) == [(0, 1, 2, 3), (0, 2, 1, 3)]
    assert count_schedules(diamond, 1000) == 2 * 2**3
    assert count_schedules(make_dag([1.0] * 5, [()] * 5), 1000) == 120
    assert count_schedules(make_dag([1.0] * 9, [()] * 9), 1000) == 1001


def test_limit_in_bytes() -> None:
    chain = make_dag([10.0] * 3, [(), (0,), (1,)], cost=0.0, sizes=[4, 2, 1])
    assert best_of_all(chain, Failures(10.0))[0].checkpointed == {0, 1}
    assert chain.kept_bytes(best_of_all(chain, Failures(10.0), 5)[0].checkpointed) <= 5
