"""The fourteen heuristics of the literature: an order, and a sweep over how much to checkpoint."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rex.errors import UsageError
from rex.workflow.dag import Dag, Failures, Schedule
from rex.workflow.line import Line
from rex.workflow.linearize import descendant_weights, linearize, successor_weights
from rex.workflow.makespan import Makespan, evaluate

ORDERS = ("DF", "BF", "RF")
SWEPT = ("CkptW", "CkptC", "CkptD", "CkptPer")
NAMES = tuple(f"{order}-{rule}" for rule in SWEPT for order in ORDERS) + ("DF-CkptNvr", "DF-CkptAlws")
# Ours: where the paper counts a task's direct successors, all of its descendants count.
OURS = tuple(f"{order}-{rule}" for rule in (*SWEPT, "CkptDall") for order in ("DFall", "BFall")
             ) + tuple(f"{order}-CkptDall" for order in ORDERS)
# Sweeps try every number of checkpoints up to this many tasks, a refined grid above.
FULL_SWEEP_TASKS = 400

# Which positions to checkpoint, given how many (CkptPer: in how many periods).
Chooser = Callable[[int], list[bool]]


@dataclass(frozen=True)
class Plan:
    """A schedule with what it costs: mean time, and bytes kept where sizes are known."""

    name: str
    schedule: Schedule
    makespan: Makespan
    kept_bytes: int | None

    @property
    def rank(self) -> tuple[float, float, int]:
        """Sorts plans: faster first, then fewer bytes, then fewer checkpoints."""
        return (self.makespan.log, self.kept_bytes or 0, len(self.schedule.checkpointed))


@dataclass
class Question:
    """What is asked of every heuristic: the graph, the failures, the limits.

    Lines are kept, because several heuristics share an order.
    """

    dag: Dag
    failures: Failures
    seed: int = 0
    max_bytes: int | None = None
    full_sweep: bool | None = None
    lines: dict[str, Line] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.max_bytes is not None and self.dag.output_bytes is None:
            raise UsageError("a limit in bytes needs sizes", "the tasks have no output_bytes")

    def line(self, name: str) -> Line:
        """The graph in the order of that name, as `linearize` knows it."""
        if name not in self.lines:
            self.lines[name] = Line(self.dag, linearize(self.dag, name, self.seed))
        return self.lines[name]

    def fits(self, line: Line, flags: Sequence[bool]) -> bool:
        """Whether these positions may be kept within the limit."""
        if self.max_bytes is None:
            return True
        return (self.dag.kept_bytes(line.tasks(flags)) or 0) <= self.max_bytes

    def plan(self, name: str, line: Line, flags: Sequence[bool], makespan: Makespan | None = None) -> Plan:
        """The plan that these flags make."""
        tasks = line.tasks(flags)
        if makespan is None:
            makespan = evaluate(line, flags, self.failures)
        return Plan(name, Schedule(line.order, tasks), makespan, self.dag.kept_bytes(tasks))


def run_heuristic(question: Question, name: str) -> Plan:
    """The plan of one of the fourteen heuristics in `NAMES`, or of ours in `OURS`.

    CkptW checkpoints the largest weights, CkptC the cheapest checkpoints, CkptD
    the tasks whose direct successors weigh most (CkptDall: whose distinct
    descendants do), CkptPer the task that completes first after each of N equal periods; each with the best number
    of checkpoints from none to all. CkptNvr and CkptAlws are the two ends.
    Exit tasks are never checkpointed.

    Raises:
        UsageError: no such heuristic, or it cannot keep within the limit in bytes.
    Source: Aupy et al., IJNC 6(1), 2016, section 6. We differ: the sweep includes
    none and all (for CkptPer too, with N = n), exits are left out, ties go to the
    earlier position.
    """
    if name not in (*NAMES, *OURS):
        raise UsageError(f"no heuristic {name!r}", "", f"choose best or one of {', '.join((*NAMES, *OURS))}")
    order, _, rule = name.partition("-")
    line = question.line(order)
    most = sum(_useful(question.dag, line))
    choose = chooser(question.dag, line, rule)
    if rule == "CkptNvr":
        flags = choose(0)
    elif rule == "CkptAlws":
        flags = choose(most)
        if not question.fits(line, flags):
            raise UsageError(f"{name} keeps more than the limit in bytes", "",
                             "allow more bytes or choose another heuristic")
    else:
        top = len(line) if rule == "CkptPer" else most
        return _sweep(question, name, line, choose, top)
    return question.plan(name, line, flags)


def chooser(dag: Dag, line: Line, rule: str) -> Chooser:
    """The rule as a function from the number of checkpoints to flags."""
    useful = _useful(dag, line)
    if rule == "CkptPer":
        return _choose_periods(line, useful)
    if rule == "CkptC":
        key = line.checkpoint_costs
    elif rule in ("CkptD", "CkptDall"):
        below = descendant_weights(dag) if rule == "CkptDall" else successor_weights(dag)
        key = [-below[task] for task in line.order]
    else:
        key = [-weight for weight in line.weights]
    ranking = sorted((i for i, is_useful in enumerate(useful) if is_useful), key=lambda i: (key[i], i))

    def choose(count: int) -> list[bool]:
        flags = [False] * len(line)
        for i in ranking[:count]:
            flags[i] = True
        return flags
    return choose


def _useful(dag: Dag, line: Line) -> list[bool]:
    return [task not in dag.unkept for task in line.order]


def _choose_periods(line: Line, useful: Sequence[bool]) -> Chooser:
    ends: list[float] = []
    done = 0.0
    for weight in line.weights:
        done += weight
        ends.append(done)

    def choose(count: int) -> list[bool]:
        if count >= len(line):
            return list(useful)
        flags = [False] * len(line)
        for period in range(1, count):
            # Without the margin, rounding would decide where tasks end exactly at a period.
            i = bisect_left(ends, done * period / count * (1 - 1e-12))
            flags[i] = useful[i]
        return flags
    return choose


def _sweep(question: Question, name: str, line: Line, choose: Chooser, top: int) -> Plan:
    found: dict[int, Makespan] = {}

    def measure(count: int) -> float:
        if count not in found:
            flags = choose(count)
            found[count] = (evaluate(line, flags, question.failures) if question.fits(line, flags)
                            else Makespan(math.inf, math.inf))
        return found[count].log

    full = question.full_sweep
    if full is None:
        full = len(line) <= FULL_SWEEP_TASKS
    _measure_all(measure, top, 1 if full else max(1, top // (96 if name.endswith("Per") else 24)))
    best = min(found, key=lambda count: (found[count].log, count))
    return question.plan(name, line, choose(best), found[best])


def _measure_all(measure: Callable[[int], float], top: int, stride: int) -> None:
    """Measure every stride-th count with both ends, then halve the stride around the best three."""
    counts: Iterable[int] = [*range(0, top, stride), top]
    values = {count: measure(count) for count in counts}
    while stride > 1:
        half = (stride + 1) // 2
        for count in sorted(values, key=lambda c: (values[c], c))[:3]:
            for near in (count - half, count + half):
                if 0 <= near <= top:
                    values[near] = measure(near)
        stride = half


def run_all(question: Question) -> list[Plan]:
    """The plans of all fourteen heuristics that keep within the limit in bytes, best first."""
    plans = []
    for name in NAMES:
        if name == "DF-CkptAlws" and question.max_bytes is not None:
            line = question.line("DF")
            if not question.fits(line, _useful(question.dag, line)):
                continue
        plans.append(run_heuristic(question, name))
    return sorted(plans, key=lambda plan: plan.rank)
