"""Every schedule of a tiny graph: the optimum, and the oracle of tests."""

from __future__ import annotations

from collections.abc import Iterator

from rex.workflow.dag import Dag, Failures, Schedule
from rex.workflow.line import Line
from rex.workflow.makespan import Makespan, evaluate


def all_orders(dag: Dag) -> Iterator[tuple[int, ...]]:
    """Every linearization."""
    waiting = [len(preds) for preds in dag.preds]
    order: list[int] = []

    def extend() -> Iterator[tuple[int, ...]]:
        if len(order) == len(dag):
            yield tuple(order)
            return
        for task in range(len(dag)):
            if waiting[task]:
                continue
            waiting[task] = -1
            for succ in dag.succs[task]:
                waiting[succ] -= 1
            order.append(task)
            yield from extend()
            order.pop()
            for succ in dag.succs[task]:
                waiting[succ] += 1
            waiting[task] = 0
    return extend()


def count_schedules(dag: Dag, most: int) -> int:
    """How many schedules there are, exit tasks not checkpointed; stops counting above `most`."""
    sets = 1 << (len(dag) - len(dag.unkept))
    total = 0
    for _ in all_orders(dag):
        total += sets
        if total > most:
            break
    return total


def best_of_all(dag: Dag, failures: Failures, max_bytes: int | None = None) -> tuple[Schedule, Makespan]:
    """The optimum, by trying every order with every set of checkpoints within the limit in bytes."""
    useful = sorted(set(range(len(dag))) - dag.unkept)
    sets = []
    for mask in range(1 << len(useful)):
        kept = frozenset(task for bit, task in enumerate(useful) if mask >> bit & 1)
        if max_bytes is None or (dag.kept_bytes(kept) or 0) <= max_bytes:
            sets.append(kept)
    best: tuple[Makespan, Schedule] | None = None
    for order in all_orders(dag):
        line = Line(dag, order)
        for kept in sets:
            makespan = evaluate(line, line.flags(kept), failures)
            if best is None or makespan.log < best[0].log:
                best = (makespan, Schedule(order, kept))
    assert best is not None
    return best[1], best[0]
