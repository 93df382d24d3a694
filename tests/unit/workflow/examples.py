"""Small graphs and random schedules that several tests use."""

from __future__ import annotations

import random

from rex.workflow.dag import Dag, Failures, Schedule
from rex.workflow.linearize import random_first
from rex.workflow.shapes import random_dag


def make_dag(weights: list[float], preds: list[tuple[int, ...]], cost: float = 1.0,
             recovery: float | None = None, sizes: list[int] | None = None) -> Dag:
    """A graph with the same checkpoint and recovery costs everywhere."""
    count = len(weights)
    return Dag(tuple(f"t{i}" for i in range(count)), tuple(weights), (cost,) * count,
               (cost if recovery is None else recovery,) * count, tuple(preds),
               None if sizes is None else tuple(sizes))


def figure_one() -> tuple[Dag, Schedule]:
    """Eight tasks of 10 s, two of them checkpointed, as in the literature's first figure.

    A failure in task 5 makes 3 be recovered for 5, then 4 for 6, then 1 and 2 be run again for 7.
    """
    preds = [(), (), (1,), (0,), (3,), (3,), (4, 5), (2, 6)]
    dag = make_dag([10.0] * 8, preds)
    return dag, Schedule((0, 3, 1, 2, 4, 5, 6, 7), frozenset((3, 4)))


def random_case(draw: random.Random, most: int = 12) -> tuple[Dag, Schedule, Failures]:
    """A random graph, a random schedule of it, and failures from rare to frequent."""
    dag = random_dag(draw.randint(1, most), draw, draw.choice((0.0, 0.1, 0.3, 0.6)))
    order = random_first(dag, draw.randrange(10**6))
    kept = frozenset(task for task in order if draw.random() < 0.4)
    mtbf_s = max(dag.t_inf, 0.5) * 10 ** draw.uniform(-0.5, 1.5)
    return dag, Schedule(order, kept), Failures(mtbf_s, draw.choice((0.0, 2.0)))
