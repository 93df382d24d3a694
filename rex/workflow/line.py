"""A graph in the order in which its tasks run."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rex.workflow.dag import Dag


class Line:
    """A graph renumbered by one linearization: task i is the i-th to run."""

    def __init__(self, dag: Dag, order: Sequence[int]) -> None:
        position = {task: index for index, task in enumerate(order)}
        self.order = tuple(order)
        self.weights = [dag.weights[task] for task in order]
        self.checkpoint_costs = [dag.checkpoint_costs[task] for task in order]
        self.recovery_costs = [dag.recovery_costs[task] for task in order]
        self.preds = [[position[pred] for pred in dag.preds[task]] for task in order]
        self.position = position
        self.can_keep = [task not in dag.unkept for task in order]

    def __len__(self) -> int:
        return len(self.order)

    def flags(self, checkpointed: Collection[int]) -> list[bool]:
        """For each position, whether its task is among these tasks."""
        return [task in checkpointed for task in self.order]

    def tasks(self, flags: Sequence[bool]) -> frozenset[int]:
        """The tasks at the flagged positions."""
        return frozenset(task for task, flag in zip(self.order, flags) if flag)

    def costs(self, flags: Sequence[bool]) -> list[float]:
        """cost_j: seconds to have an output in memory again."""
        return [r if flag else w for w, r, flag in zip(self.weights, self.recovery_costs, flags)]

    def owns(self, flags: Sequence[bool]) -> list[float]:
        """own_i: seconds of a task with its checkpoint, if any."""
        return [w + c if flag else w for w, c, flag in zip(self.weights, self.checkpoint_costs, flags)]
