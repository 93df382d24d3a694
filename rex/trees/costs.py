"""What a replay of runs costs, in seconds of processor time: what was recorded, and what Rex adds (docs/trees.md)."""

from __future__ import annotations

from rex.trees.step import Step

# Measured with the studies of examples/trees: a program replayed takes a little more than recorded; and what it
# takes to begin a run and compare it, to start a process, to put back a step.
_REPLAYED, _RUN_S, _PROCESS_S, _PUT_BACK_S = 1.05, 0.035, 0.0025, 0.002
_COPIED_BYTES_PER_S = 1e9


def around_s(outside_s: float, processes: int) -> float:
    """A run without its steps: the processor time of its drivers, and how many these are."""
    return _RUN_S + outside_s * _REPLAYED + processes * _PROCESS_S


def execute_s(step: Step) -> float:
    """A step that is executed."""
    return step.busy_s * _REPLAYED + len(step.members) * _PROCESS_S


def put_back_s(step: Step) -> float:
    """A step whose outputs are put back: nothing where no process of the run is that step alone."""
    if not step.members:
        return 0.0
    return _PUT_BACK_S + size_of(step) / _COPIED_BYTES_PER_S


def size_of(step: Step) -> int:
    """Bytes of a step's outputs."""
    return sum(each.state.size for each in step.left if each.state and each.state.type == "file")
