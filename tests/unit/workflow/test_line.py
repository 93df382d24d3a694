"""A graph's numbers follow the order in which its tasks run."""

from __future__ import annotations

from rex.workflow.line import Line

from .examples import make_dag


def test_numbers_follow_the_order() -> None:
    line = Line(make_dag([1.0, 2.0, 4.0], [(), (), (0, 1)]), (1, 0, 2))
    assert len(line) == 3 and line.weights == [2.0, 1.0, 4.0] and sorted(line.preds[2]) == [0, 1]
    flags = line.flags({0})
    assert flags == [False, True, False] and line.tasks(flags) == frozenset((0,))
    assert line.owns(flags)[1] - line.weights[1] == line.checkpoint_costs[1]
    assert line.costs(flags) == [2.0, line.recovery_costs[1], 4.0]
