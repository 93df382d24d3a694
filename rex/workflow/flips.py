"""Local search over what to checkpoint, for one order: one flip at a time, priced exactly.

E is linear in the probabilities P_i(k) of where the last failure struck, with
the expected rests V_i(k) as coefficients (see makespan.py). A flip at position
x leaves P_x as it is, and leaves V_z as it is from the last use of x and of
what x needs. So its price is P_x . V'_x, where V' is worked out only between
x and z. Going from the last position to the first, an accepted flip spoils
neither the P_x nor the V still to be used: one pass over all positions costs
one evaluation, plus the windows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from rex.workflow.dag import Dag, Failures, Schedule
from rex.workflow.line import Line
from rex.workflow.makespan import Attempt, Makespan, Steps, as_makespan, find_shift, make_attempt, step_back

# Steps of V that one search may hold in memory (about 100 bytes each).
_MOST_STEPS = 4_000_000
_GAIN = 1e-12


@dataclass
class Meter:
    """Counts work in units that are the same on every machine, up to a limit.

    A budget in seconds would make results depend on the machine's load.
    """

    limit: float = math.inf
    spent: float = 0.0

    def spend(self, units: float) -> None:
        """Count some units of work."""
        self.spent += units

    @property
    def is_empty(self) -> bool:
        """The limit is reached."""
        return self.spent >= self.limit


class TooWide(Exception):
    """The graph has too many steps to keep for a search by windows."""


@dataclass
class _Window:
    """What a flip at one position changes: needs and attempts inside its window."""

    stop: int
    needs: dict[int, dict[int, int]] = field(default_factory=dict)
    attempts: dict[int, Attempt] = field(default_factory=dict)
    rests: list[Steps] = field(default_factory=list)


class FlipSearch:
    """Flags of one line that are improved in place.

    Args:
        line: the graph in its order.
        flags: where the search starts; copied.
        failures: their rate must not be 0.
        meter: pays for every step.
        prices_s: seconds added to the mean for keeping each position's output; None for free.
        sizes: bytes of each position's output, and `max_bytes` in all that may be kept.
    """

    def __init__(self, line: Line, flags: Sequence[bool], failures: Failures, meter: Meter,
                 prices_s: Sequence[float] | None = None, sizes: Sequence[int] | None = None,
                 max_bytes: int | None = None) -> None:
        self._line, self._failures, self._meter = line, failures, meter
        self._rate = failures.rate
        self.flags = list(flags)
        self._prices_s = prices_s
        self._sizes, self._max_bytes = sizes, max_bytes
        self._useful = [x for x in reversed(range(len(line))) if line.can_keep[x]]
        self._needs: list[dict[int, int]] = []
        self._attempts: list[Attempt] = []
        self._last_use: list[int] = []
        self._rests: list[Steps] = []
        self._masses: list[Steps] = []
        self._shift = 0.0
        self._rebuild()

    @property
    def makespan(self) -> Makespan:
        """Mean time of the flags as they are."""
        return as_makespan(self._rests[0].values[0], self._shift, self._failures)

    def run(self) -> Makespan:
        """Pass over the positions until no single flip helps, or the meter is empty."""
        while self._pass() and not self._meter.is_empty:
            self._rebuild()
        self._rebuild()
        return self.makespan

    def change_s(self, x: int) -> float:
        """Mean seconds that flipping position x alone would add (below 0: save).

        Of the flags the search was made with, or ended with.
        """
        try:
            window = self._open_window(x)
        except OverflowError:
            return math.inf
        units = _weigh(self._masses[x], window.rests[-1]) - _weigh(self._masses[x], self._rests[x])
        if self._shift == 0:
            return units * self._failures.unit_s
        log = math.log(abs(units)) + self._shift + math.log(self._failures.unit_s) if units else -math.inf
        return math.copysign(math.exp(log) if log < 709 else math.inf, units)

    def _rebuild(self) -> None:
        self._list_needs()
        self._shift = find_shift(self._attempts, self._rate)
        count, steps = len(self._line), 0
        rests = [Steps([], [0.0])] * (count + 1)
        for i in range(count - 1, -1, -1):
            rests[i] = step_back(rests[i + 1], self._attempts[i], i, self._rate, self._shift)
            steps += len(rests[i].cuts)
            if steps > _MOST_STEPS:
                raise TooWide
        self._rests = rests
        self._meter.spend(10 * count + 5 * steps)
        self._spread_masses()

    def _list_needs(self) -> None:
        line, flags = self._line, self.flags
        costs, owns = line.costs(flags), line.owns(flags)
        last = list(range(len(line)))
        self._needs, self._attempts = [], []
        for i, preds in enumerate(line.preds):
            wanted = set(preds)
            for pred in preds:
                if not flags[pred]:
                    wanted.update(self._needs[pred])
            need = {j: last[j] for j in wanted}
            for j in wanted:
                last[j] = i
            self._needs.append(need)
            self._attempts.append(_price(owns[i], need, costs))
            self._meter.spend(2 * len(wanted))
        self._last_use = last

    def _spread_masses(self) -> None:
        """P_i(k), summed over the k between the steps of V_i: V can tell no more apart."""
        masses = Steps([], [1.0])
        self._masses = [masses]
        for i, attempt in enumerate(self._attempts[:-1]):
            masses = _step_on(masses, attempt, i, self._rests[i + 1].cuts, self._rate)
            self._masses.append(masses)

    def _pass(self) -> bool:
        kept = self._kept_bytes()
        least_gain = _GAIN * self._rests[0].values[0]
        has_changed, valid_from = False, 0
        for x in self._useful:
            if self._meter.is_empty:
                break
            self._refresh(valid_from, x)
            valid_from = min(valid_from, x) if has_changed else 0
            size = self._sizes[x] if self._sizes else 0
            if not self.flags[x] and self._max_bytes is not None and kept + size > self._max_bytes:
                continue
            if self._try_flip(x, least_gain):
                kept += size if self.flags[x] else -size
                has_changed, valid_from = True, x
        self._refresh(valid_from, 0)
        return has_changed

    def _refresh(self, valid_from: int, x: int) -> None:
        for i in range(valid_from - 1, x - 1, -1):
            self._rests[i] = step_back(self._rests[i + 1], self._attempts[i], i, self._rate, self._shift)
            self._meter.spend(10 + len(self._rests[i].cuts))

    def _kept_bytes(self) -> int:
        if self._sizes is None:
            return 0
        return sum(size for size, flag in zip(self._sizes, self.flags) if flag)

    def _try_flip(self, x: int, least_gain: float) -> bool:
        try:
            window = self._open_window(x)
        except OverflowError:
            # Some b_i grew beyond doubles: certainly no improvement.
            return False
        before = _weigh(self._masses[x], self._rests[x])
        after = _weigh(self._masses[x], window.rests[-1]) + self._price(x)
        if not after < before - least_gain:
            return False
        self._accept(x, window)
        return True

    def _price(self, x: int) -> float:
        """What flipping x costs beyond time, in the units of V."""
        if self._prices_s is None:
            return 0.0
        price = self._prices_s[x] / self._failures.unit_s * math.exp(-self._shift)
        return -price if self.flags[x] else price

    def _open_window(self, x: int) -> _Window:
        """Needs, attempts and rests from x to the last use of what its flip touches."""
        line, flags, upstream = self._line, self.flags, self._needs[x]
        is_kept = not flags[x]
        stop = self._last_use[x]
        for j in upstream:
            stop = max(stop, self._last_use[j])
        window = _Window(stop)
        own_s = line.weights[x] + (line.checkpoint_costs[x] if is_kept else 0.0)
        old = self._attempts[x]
        window.attempts[x] = Attempt(own_s, old.cuts, old.extra_s, old.full_s - old.own_s + own_s)
        flags[x] = is_kept
        try:
            self._change_needs(x, window)
        finally:
            flags[x] = not is_kept
        rest = self._rests[stop + 1]
        for i in range(stop, x - 1, -1):
            attempt = window.attempts.get(i) or self._attempts[i]
            rest = step_back(rest, attempt, i, self._rate, self._shift)
            window.rests.append(rest)
            self._meter.spend(10 + len(rest.cuts))
        return window

    def _change_needs(self, x: int, window: _Window) -> None:
        touched = dict.fromkeys(self._needs[x], x)
        touched[x] = x
        keys = touched.keys()
        for i in range(x + 1, window.stop + 1):
            old = self._needs[i]
            if x in old:
                wanted = self._want(i, window.needs)
            elif old.keys().isdisjoint(keys):
                continue
            else:
                wanted = set(old)
            need = {j: touched[j] if j in touched else old[j] for j in wanted}
            for j in wanted & keys:
                touched[j] = i
            window.needs[i] = need
            costs = self._costs(need)
            window.attempts[i] = _price(self._attempts[i].own_s, need, costs)
            self._meter.spend(4 * len(need))

    def _want(self, i: int, changed: dict[int, dict[int, int]]) -> set[int]:
        wanted = set(self._line.preds[i])
        for pred in self._line.preds[i]:
            if not self.flags[pred]:
                wanted.update(changed[pred] if pred in changed else self._needs[pred])
        return wanted

    def _costs(self, need: dict[int, int]) -> dict[int, float]:
        flags, weights, recoveries = self.flags, self._line.weights, self._line.recovery_costs
        return {j: recoveries[j] if flags[j] else weights[j] for j in need}

    def _accept(self, x: int, window: _Window) -> None:
        self.flags[x] = not self.flags[x]
        for i, need in window.needs.items():
            self._needs[i] = need
        for i, attempt in window.attempts.items():
            self._attempts[i] = attempt
        for i, rest in zip(range(window.stop, x - 1, -1), window.rests):
            self._rests[i] = rest
        if not self.flags[x]:
            # Lost checkpoint: whoever needs x now needs these too.
            for j in self._needs[x]:
                self._last_use[j] = max(self._last_use[j], self._last_use[x])


def saved_seconds(dag: Dag, schedule: Schedule, failures: Failures) -> dict[int, float] | None:
    """For each checkpointed task, the mean seconds lost if it alone were not; None on graphs too wide."""
    line = Line(dag, schedule.order)
    try:
        search = FlipSearch(line, line.flags(schedule.checkpointed), failures, Meter())
    except TooWide:
        return None
    return {task: search.change_s(x) for x, task in enumerate(schedule.order)
            if task in schedule.checkpointed}


def _price(own_s: float, need: dict[int, int], costs: Sequence[float] | dict[int, float]) -> Attempt:
    extra: dict[int, float] = {}
    for j, before in need.items():
        extra[before] = extra.get(before, 0.0) + costs[j]
    return make_attempt(own_s, extra)


def _step_on(masses: Steps, attempt: Attempt, i: int, new_cuts: list[int], rate: float) -> Steps:
    """P_{i+1} over new_cuts from P_i: survivors of the attempt, and those struck at i."""
    sums = [0.0] * (len(new_cuts) + 1)
    struck, seconds = 0.0, attempt.own_s
    group, wiped = 0, 0
    keep, strike = math.exp(-rate * seconds), -math.expm1(-rate * seconds)
    for index, mass in enumerate(masses.values):
        # Positions of this piece are at most `end`, and beyond the piece before.
        end = masses.cuts[index] if index < len(masses.cuts) else i - 1
        start = masses.cuts[index - 1] + 1 if index else -1
        while wiped < len(attempt.cuts) and attempt.cuts[wiped] < start:
            seconds += attempt.extra_s[wiped]
            wiped += 1
            keep, strike = math.exp(-rate * seconds), -math.expm1(-rate * seconds)
        while group < len(new_cuts) and new_cuts[group] < end:
            group += 1
        struck += mass * strike
        sums[group] += mass * keep
    while group < len(new_cuts) and new_cuts[group] < i:
        group += 1
    sums[group] += struck
    return Steps(new_cuts, sums)


def _weigh(masses: Steps, rest: Steps) -> float:
    """P . V, where V has its steps at some of the cuts of P."""
    if len(masses.cuts) == len(rest.cuts):
        return sum(map(float.__mul__, masses.values, rest.values))
    total, group, cuts, values = 0.0, 0, rest.cuts, rest.values
    for index, mass in enumerate(masses.values):
        if index < len(masses.cuts):
            while group < len(cuts) and cuts[group] < masses.cuts[index]:
                group += 1
        else:
            group = len(cuts)
        total += mass * values[group]
    return total
