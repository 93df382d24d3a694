"""Monte Carlo of worlds that the formula does not know: several machines, uploads beside work, failures that age.

- Machines: each ready task, in the order of the schedule, goes to the first machine that is free (list scheduling). Machines read
  each other's memory, and fail one by one. What a failure wiped is built again by the machine that needs it.
- Overlap: an output is uploaded while the machine goes on, one after another. What a failure interrupts is lost.
- Shape: times between a machine's failures follow a Weibull distribution with the given MTBF as mean. Shape 1 is exponential;
  below 1 failures come in clusters. A failed machine starts again.

A world of one machine, without overlap, of shape 1 is the one of makespan.py.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field, replace

from rex.errors import UsageError
from rex.workflow.dag import Dag, Failures, Schedule
from rex.workflow.makespan import expected_makespan
from rex.workflow.simulate import Simulation, summarize

_MOST_EVENTS = 100_000_000


@dataclass(frozen=True)
class World:
    """What differs from the formula's world."""

    machines: int = 1
    overlaps: bool = False
    shape: float = 1.0

    def __post_init__(self) -> None:
        if self.machines < 1:
            raise UsageError(f"cannot run on {self.machines} machines")
        if not 0.05 <= self.shape <= 20:
            raise UsageError(f"the Weibull shape must be between 0.05 and 20, not {self.shape:g}")


@dataclass
class _Machine:
    """One machine: what is in its memory, and when what happens next."""

    strike_s: float
    memory: set[int] = field(default_factory=set)
    task: int | None = None
    items: list[tuple[int, float]] = field(default_factory=list)       # what its task still takes, last first
    item_end_s: float = math.inf
    uploads: list[int] = field(default_factory=list)
    upload_end_s: float = math.inf
    up_s: float = math.inf                                             # end of the downtime

    def next_s(self) -> float:
        """When something happens to it."""
        return min(self.strike_s, self.item_end_s, self.upload_end_s, self.up_s)


class _Run:
    """One run of a schedule in a world."""

    def __init__(self, dag: Dag, schedule: Schedule, failures: Failures, world: World, clock: random.Random) -> None:
        self._dag, self._kept, self._failures, self._world, self._clock = dag, schedule.checkpointed, failures, world, clock
        self._left = list(schedule.order)
        self._place = {task: number for number, task in enumerate(schedule.order)}
        self._done: set[int] = set()
        self._stored: set[int] = set()
        self._now_s = 0.0
        self.failures = 0
        self._scale_s = failures.mtbf_s / math.gamma(1 + 1 / world.shape) if failures.rate else math.inf
        self._machines = [_Machine(self._draw_s()) for _ in range(world.machines)]

    def _draw_s(self) -> float:
        """The moment of a machine's next failure."""
        if not self._failures.rate:
            return math.inf
        return self._now_s + self._clock.weibullvariate(self._scale_s, self._world.shape)

    def run(self, most: int) -> float:
        """Seconds until the last task is done."""
        for machine in self._machines:
            self._take_task(machine)
        for _ in range(most):
            machine = min(self._machines, key=_Machine.next_s)
            self._now_s = machine.next_s()
            if machine.up_s <= self._now_s:
                machine.up_s, machine.strike_s = math.inf, self._draw_s()
                self._start(machine) if machine.task is not None else self._take_task(machine)
            elif machine.upload_end_s <= self._now_s:
                self._end_upload(machine)
            elif machine.item_end_s <= self._now_s:
                self._end_item(machine)
                if len(self._done) == len(self._dag):
                    return self._now_s
            else:
                self._fail(machine)
        raise UsageError("the simulation would not end", "failures strike too often")

    def _take_task(self, machine: _Machine) -> None:
        """Begin the first task of the order whose predecessors are done, if there is one."""
        machine.task = next((task for task in self._left if self._done.issuperset(self._dag.preds[task])), None)
        if machine.task is not None:
            self._left.remove(machine.task)
            self._start(machine)

    def _start(self, machine: _Machine) -> None:
        """Work out what the task takes from here, and begin it."""
        assert machine.task is not None
        others = [each.memory for each in self._machines if each is not machine]
        in_memory = machine.memory.union(*others) if others else machine.memory
        items: list[tuple[int, float]] = [(machine.task, self._own_s(machine.task))]
        seen = {machine.task}
        wanted = [pred for pred in self._dag.preds[machine.task] if pred not in in_memory]
        while wanted:
            missing = wanted.pop()
            if missing in seen:
                continue
            seen.add(missing)
            if missing in self._stored:
                items.append((missing, self._dag.recovery_costs[missing]))
            else:
                items.append((missing, self._dag.weights[missing]))
                wanted += [pred for pred in self._dag.preds[missing] if pred not in in_memory]
        machine.items = sorted(items, key=lambda item: -self._place[item[0]])
        machine.item_end_s = self._now_s + machine.items[-1][1]

    def _own_s(self, task: int) -> float:
        is_held_up = task in self._kept and not self._world.overlaps
        return self._dag.weights[task] + (self._dag.checkpoint_costs[task] if is_held_up else 0.0)

    def _end_item(self, machine: _Machine) -> None:
        task, _ = machine.items.pop()
        machine.memory.add(task)
        if task in self._kept and task not in self._stored:
            if not self._world.overlaps:
                self._stored.add(task)
            elif task not in machine.uploads:
                machine.uploads.append(task)
                self._begin_upload(machine)
        if machine.items:
            machine.item_end_s = self._now_s + machine.items[-1][1]
            return
        self._done.add(task)
        machine.item_end_s = math.inf
        machine.task = None
        for each in self._machines:
            if each.task is None and each.up_s == math.inf:
                self._take_task(each)

    def _begin_upload(self, machine: _Machine) -> None:
        if machine.upload_end_s == math.inf and machine.uploads:
            machine.upload_end_s = self._now_s + self._dag.checkpoint_costs[machine.uploads[0]]

    def _end_upload(self, machine: _Machine) -> None:
        self._stored.add(machine.uploads.pop(0))
        machine.upload_end_s = math.inf
        self._begin_upload(machine)

    def _fail(self, machine: _Machine) -> None:
        self.failures += 1
        machine.memory.clear()
        machine.items.clear()
        machine.uploads.clear()
        machine.item_end_s = machine.upload_end_s = machine.strike_s = math.inf
        machine.up_s = self._now_s + self._failures.downtime_s


def simulate_world(dag: Dag, schedule: Schedule, failures: Failures, world: World, runs: int, seed: int = 0) -> Simulation:
    """Run a schedule many times in a world.

    Raises:
        UsageError: no runs are wanted, or failures are so frequent that the runs would not end.
    """
    if runs < 1:
        raise UsageError(f"cannot simulate {runs} runs")
    clock = random.Random(seed)
    times, strikes = [], 0
    for _ in range(runs):
        one = _Run(dag, schedule, failures, world, clock)
        times.append(one.run(_MOST_EVENTS // runs + 1000))
        strikes += one.failures
    return summarize(times, strikes)


def bound_world(dag: Dag, schedule: Schedule, failures: Failures, world: World) -> tuple[float, float]:
    """Seconds that the mean is at least and at most; infinite where nothing is known.

    - Several machines: neither the longest path nor the work shared out evenly can be beaten.
    - Overlap on one machine, shape 1: never faster than uploads that take no time, never slower than work that waits for
      uploads. The latter holds where no recovery is dearer than running the task again.
    - Another shape: a machine fails at least work / MTBF - 1 times on average, and is down each time.
    """
    kept = schedule.checkpointed if not world.overlaps else frozenset()
    owns = [weight + (dag.checkpoint_costs[task] if task in kept else 0.0) for task, weight in enumerate(dag.weights)]
    path = [0.0] * len(dag)
    for task in dag.topological_order:
        path[task] = owns[task] + max((path[pred] for pred in dag.preds[task]), default=0.0)
    work_s = math.fsum(owns)
    least_s, most_s = max(*path, work_s / world.machines), math.inf
    if world.machines == 1:
        least_s += failures.downtime_s * max(0.0, work_s * failures.rate - 1)
        if world.shape == 1:
            least_s = most_s = expected_makespan(dag, schedule, failures).seconds
            if world.overlaps:
                free = replace(dag, checkpoint_costs=(0.0,) * len(dag))
                least_s = expected_makespan(free, schedule, failures).seconds
                if any(dag.recovery_costs[task] > dag.weights[task] for task in schedule.checkpointed):
                    least_s, most_s = dag.t_inf, math.inf
    return least_s, most_s
