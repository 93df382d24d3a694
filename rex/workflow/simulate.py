"""Monte Carlo of the process itself: memory, failures, rebuilding.

Shares no formula with makespan.py: it keeps the contents of memory, walks up
from the task to run through what is missing, and lets failures strike.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from rex.errors import UsageError
from rex.workflow.dag import Dag, Failures, Schedule

# More tries than this would take minutes: better to say so.
_MOST_TRIES = 200_000_000


@dataclass(frozen=True)
class Simulation:
    """What many simulated runs took, in seconds."""

    runs: int
    mean_s: float
    standard_error_s: float
    p50_s: float
    p90_s: float
    p99_s: float
    failures_per_run: float

    def as_json(self) -> dict[str, object]:
        """The figures as `--json` prints them."""
        return dict(vars(self))


class _Process:
    """Tries of tasks from given contents of memory; each answer is worked out once."""

    def __init__(self, dag: Dag, schedule: Schedule) -> None:
        self._dag = dag
        self._kept = schedule.checkpointed
        self._known: dict[tuple[int, frozenset[int]], tuple[float, frozenset[int]]] = {}

    def try_task(self, task: int, memory: frozenset[int]) -> tuple[float, frozenset[int]]:
        """Seconds until the task is done if nothing fails, and what is in memory then."""
        key = (task, memory)
        found = self._known.get(key)
        if found is None:
            if len(self._known) > 200_000:
                self._known.clear()
            found = self._known[key] = self._work_out(task, memory)
        return found

    def _work_out(self, task: int, memory: frozenset[int]) -> tuple[float, frozenset[int]]:
        dag, kept = self._dag, self._kept
        seconds = dag.weights[task] + (dag.checkpoint_costs[task] if task in kept else 0.0)
        rebuilt = {task}
        wanted = [pred for pred in dag.preds[task] if pred not in memory]
        while wanted:
            missing = wanted.pop()
            if missing in rebuilt:
                continue
            rebuilt.add(missing)
            if missing in kept:
                seconds += dag.recovery_costs[missing]
            else:
                seconds += dag.weights[missing]
                wanted += [pred for pred in dag.preds[missing] if pred not in memory]
        return seconds, memory | rebuilt


def simulate(dag: Dag, schedule: Schedule, failures: Failures, runs: int, seed: int = 0) -> Simulation:
    """Run a schedule many times against random failures.

    Args:
        runs: how many, at least 1.
        seed: the same seed gives the same failures.
    Raises:
        UsageError: the failures are so frequent that the runs would not end.
    """
    if runs < 1:
        raise UsageError(f"cannot simulate {runs} runs")
    process, clock = _Process(dag, schedule), random.Random(seed)
    times, strikes, left = [], 0, _MOST_TRIES
    for _ in range(runs):
        seconds, count = _run_once(process, schedule.order, failures, clock, left)
        times.append(seconds)
        strikes += count
        left -= count
    return summarize(times, strikes)


def summarize(times: list[float], strikes: int) -> Simulation:
    """What runs took, and how many failures they had together."""
    runs, times = len(times), sorted(times)
    mean = math.fsum(times) / runs
    spread = math.fsum((t - mean) ** 2 for t in times) / max(1, runs - 1)
    pick = [times[min(runs - 1, int(share * runs))] for share in (0.5, 0.9, 0.99)]
    return Simulation(runs, mean, math.sqrt(spread / runs), *pick, strikes / runs)


def _run_once(process: _Process, order: tuple[int, ...], failures: Failures, clock: random.Random,
              most: int) -> tuple[float, int]:
    rate = failures.rate
    now, strikes = 0.0, 0
    memory: frozenset[int] = frozenset()
    strike = clock.expovariate(rate) if rate else math.inf
    for task in order:
        seconds, after = process.try_task(task, memory)
        while now + seconds > strike:
            strikes += 1
            if strikes > most:
                raise UsageError("the simulation would not end", "failures strike too often",
                                 "see log_expected_makespan of the schedule")
            # Memory is lost whatever was rebuilt in it so far; nothing fails during the downtime.
            now = strike + failures.downtime_s
            strike = now + clock.expovariate(rate)
            seconds, after = process.try_task(task, frozenset())
        now += seconds
        memory = after
    return now, strikes
