"""Exact expected makespan of a schedule under exponential failures.

Notation, for position i of the order:

    own_i      seconds of the task, with its checkpoint if it has one
    B_i        positions whose outputs task i needs if memory is empty: its
               predecessors, continued upwards through those without checkpoint
    cost_j     recovery seconds if j is checkpointed, else its weight
    last_i(j)  the last position before i that produced or needed j
    a_i(k)     seconds of the first try of i if the last failure struck at k < i
               (k = -1: none yet): own_i + sum of cost_j, j in B_i, last_i(j) < k
    b_i        seconds of every later try: own_i + sum of cost_j, j in B_i

With P_k the probability that the last failure struck at k, and q_i that one
strikes at i,

    q_i = sum_k P_k (1 - e^(-rate a_i(k))),  then P_k *= e^(-rate a_i(k)), P_i = q_i
    E   = (1/rate + downtime) * sum_i e^(rate b_i) q_i

Two forms of it are here. `_sum_forwards` is the above, on numpy arrays. The
other is its adjoint: the expected rest V_i(k) of the sum, from position i on,
obeys

    V_i(k) = (1 - e^(-rate a_i(k))) (e^(rate b_i) + V_{i+1}(i)) + e^(-rate a_i(k)) V_{i+1}(k)

and as a function of k it is a step function with steps only where some output
still needed was last touched, which is a handful of places for most graphs.
Neither form ever subtracts, so no digits are lost.

Source: Aupy, Benoit, Casanova, Robert, IJNC 6(1), 2016, Theorem 4 and
properties A to C. We differ in the algorithm: theirs is O(n^4) as stated and
Theta(n^3) as printed, ours O(sum |B_i| + n * steps).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from rex.workflow.dag import Dag, Failures, Schedule
from rex.workflow.dense import sum_forwards
from rex.workflow.line import Line

# Arrays beat lists from so many needed outputs per task on in graphs above _SMALL tasks, and from
# so many steps of V_i per task on above _MIDDLE tasks (measured with bench/workflow.py).
_SMALL, _WIDE = 500, 40
_MIDDLE, _STEPPED = 1000, 120
# e^x overflows a double at 709.8; sums of such terms need room.
_SAFE_EXPONENT = 600.0


@dataclass(frozen=True)
class Makespan:
    """Mean seconds of a schedule; `seconds` is infinite where only the logarithm fits a double."""

    seconds: float
    log: float


@dataclass(frozen=True)
class Steps:
    """A step function of the last failure's position k: values[g] up to and with cuts[g], then values[-1]."""

    cuts: list[int]
    values: list[float]


@dataclass(frozen=True)
class Attempt:
    """What running one position takes: a_i(k) as steps, and b_i.

    `cuts` ascend; a failure after cuts[g] has wiped outputs worth extra_s[g] more.
    """

    own_s: float
    cuts: list[int]
    extra_s: list[float]
    full_s: float


def expected_makespan(dag: Dag, schedule: Schedule, failures: Failures) -> Makespan:
    """Mean wall-clock seconds of a schedule.

    Args:
        dag: the tasks; costs in seconds.
        schedule: a valid order of all tasks, and the checkpointed ones.
        failures: their rate and downtime; an infinite MTBF gives the sum of own_i.
    Returns:
        The mean and its natural logarithm; the mean is infinite where it overflows.
    """
    line = Line(dag, schedule.order)
    return evaluate(line, line.flags(schedule.checkpointed), failures)


def evaluate(line: Line, flags: Sequence[bool], failures: Failures) -> Makespan:
    """Mean wall-clock seconds of a linearized graph whose flagged positions are checkpointed."""
    if failures.rate == 0:
        total = math.fsum(line.owns(flags))
        return Makespan(total, math.log(total) if total > 0 else -math.inf)
    attempts = list_attempts(line, flags)
    shift = find_shift(attempts, failures.rate) if attempts else 0.0
    total = sum_backwards(attempts, failures.rate, shift) if attempts else None
    if total is None:
        total, shift = sum_forwards(line, flags, failures.rate)
    return as_makespan(total, shift, failures)


def as_makespan(total: float, shift: float, failures: Failures) -> Makespan:
    """The makespan that a sum stands for which was computed without its factor e^shift."""
    if total <= 0:
        return Makespan(0.0, -math.inf)
    log = shift + math.log(total) + math.log(failures.unit_s)
    if shift == 0:
        return Makespan(failures.unit_s * total, log)
    return Makespan(math.exp(log) if log < 709 else math.inf, log)


def find_shift(attempts: Sequence[Attempt], rate: float) -> float:
    """An exponent to take out of every e^(rate b_i) so that none overflows; 0 where none would."""
    most = rate * max(attempt.full_s for attempt in attempts)
    return most if most > _SAFE_EXPONENT else 0.0


def list_attempts(line: Line, flags: Sequence[bool]) -> list[Attempt] | None:
    """a_i and b_i for every position; None where the sets B_i are too large for lists."""
    count = len(line)
    costs, owns = line.costs(flags), line.owns(flags)
    needs: list[set[int]] = []
    last = list(range(count))
    attempts = []
    room = _WIDE * count
    for i, preds in enumerate(line.preds):
        need = set(preds)
        for pred in preds:
            if not flags[pred]:
                need |= needs[pred]
        needs.append(need)
        room -= len(need)
        if room < 0 and count > _SMALL:
            return None
        extra: dict[int, float] = {}
        for j in need:
            before = last[j]
            extra[before] = extra.get(before, 0.0) + costs[j]
            last[j] = i
        attempts.append(make_attempt(owns[i], extra))
    return attempts


def make_attempt(own_s: float, extra: dict[int, float]) -> Attempt:
    """An attempt from the seconds wiped by failures after each position."""
    if not extra:
        return Attempt(own_s, [], [], own_s)
    if len(extra) == 1:
        (cut, cost), = extra.items()
        return Attempt(own_s, [cut], [cost], own_s + cost)
    cuts = sorted(extra)
    extra_s = [extra[cut] for cut in cuts]
    return Attempt(own_s, cuts, extra_s, own_s + sum(extra_s))


def sum_backwards(attempts: Sequence[Attempt], rate: float, shift: float) -> float | None:
    """The sum in the makespan formula, times e^-shift; None where there are too many steps for lists."""
    rest = Steps([], [0.0])
    count = len(attempts)
    room = _STEPPED * count
    for i in range(count - 1, -1, -1):
        rest = step_back(rest, attempts[i], i, rate, shift)
        room -= len(rest.cuts)
        if room < 0 and count > _MIDDLE:
            return None
    return rest.values[0]


def step_back(rest: Steps, attempt: Attempt, i: int, rate: float, shift: float) -> Steps:
    """V_i from V_{i+1}; leaves its argument as it was."""
    cuts, values = rest.cuts, rest.values
    if cuts and cuts[-1] == i:
        cuts, values = cuts[:-1], values[:-1]
    later = math.exp(rate * attempt.full_s - shift) + values[-1]
    exponent = -rate * attempt.own_s
    if not attempt.cuts:
        keep, strike = math.exp(exponent), -math.expm1(exponent) * later
        return Steps(cuts, [strike + keep * value for value in values])
    new_cuts: list[int] = []
    new_values: list[float] = []
    start = 0
    for cut, extra_s in zip(attempt.cuts, attempt.extra_s):
        stop = bisect_left(cuts, cut, start)
        keep, strike = math.exp(exponent), -math.expm1(exponent) * later
        new_values += [strike + keep * value for value in values[start:stop + 1]]
        new_cuts += cuts[start:stop]
        new_cuts.append(cut)
        start = stop + 1 if stop < len(cuts) and cuts[stop] == cut else stop
        exponent -= rate * extra_s
    keep, strike = math.exp(exponent), -math.expm1(exponent) * later
    new_values += [strike + keep * value for value in values[start:]]
    new_cuts += cuts[start:]
    return Steps(new_cuts, new_values)
