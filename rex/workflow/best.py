"""The default planner: better than all fourteen heuristics, within a budget.

1. A chain, a fork, a small join: the exact optimum. A tiny graph: every schedule.
2. All fourteen heuristics; their plans are the floor.
3. Several orders (DF, DFall, BF, RF, four post-orders), each improved by single flips.
4. Moves of single tasks in the order, with flips again; then random kicks.
5. With known sizes, flips under a growing price per byte: plans that keep less.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rex.workflow.dag import Dag, Failures, Schedule
from rex.workflow.exhaustive import best_of_all, count_schedules
from rex.workflow.flips import FlipSearch, Meter, TooWide
from rex.workflow.heuristics import Plan, Question, run_all
from rex.workflow.line import Line
from rex.workflow.linearize import depth_first, descendant_weights, linearize, post_orders
from rex.workflow.special import classify, join_order, solve_special

# Units of work that a common machine does in a second (measured with bench/workflow.py).
UNITS_PER_S = 8e6
_EXHAUSTIVE = 20_000
# Up to this many tasks a move is judged after new flips, and every place is tried.
_TINY = 14
# How much longer a plan may take that keeps less, to be shown beside the best.
_LOSSES = (0.0005, 0.002, 0.01, 0.05, 0.2, math.inf)


@dataclass(frozen=True)
class Best:
    """The plan found, what else is worth knowing, and how sure it is.

    `alternatives` keep fewer bytes and take longer, best first. `heuristics` are
    the fourteen, best first; empty where the optimum was known at once.
    """

    plan: Plan
    alternatives: tuple[Plan, ...]
    heuristics: tuple[Plan, ...]
    is_optimal: bool
    has_converged: bool


def find_best(question: Question, budget_s: float = 10.0) -> Best:
    """The plan with the least expected makespan that can be found.

    Never worse than the best of the fourteen heuristics under the same question.

    Args:
        question: the graph, the failures, the seed, the limit in bytes.
        budget_s: how long to search, in seconds of a common machine: the work is
            counted, not timed, so that a seed gives the same plan everywhere. The
            fourteen heuristics are not counted.
    """
    dag, failures = question.dag, question.failures
    optimum = _solve_exactly(question)
    if optimum is not None:
        search = _Search(question, Meter(UNITS_PER_S * budget_s))
        search.add(search.plan("optimum", optimum))
        search.trade_bytes()
        return Best(search.best, search.alternatives(), (), True, True)
    heuristics = run_all(question)
    search = _Search(question, Meter(UNITS_PER_S * budget_s))
    for plan in heuristics:
        search.add(plan)
    search.flip_orders()
    search.trade_bytes()
    if classify(dag) == "join":
        search.sort_join()
    has_converged = search.polish()
    return Best(search.best, search.alternatives(), tuple(heuristics), False, has_converged)


def prefer_given_order(question: Question, best: Best) -> Best:
    """The same plan with the tasks as they are numbered, where that takes no longer.

    A recording is numbered as it ran: so it need not be run in several passes.
    """
    dag, plan = question.dag, best.plan
    if any(pred > task for task, preds in enumerate(dag.preds) for pred in preds):
        return best
    line = Line(dag, range(len(dag)))
    given = question.plan(plan.name, line, line.flags(plan.schedule.checkpointed))
    return replace(best, plan=given) if given.makespan.log <= plan.makespan.log + 1e-9 else best


def _solve_exactly(question: Question) -> Schedule | None:
    dag, failures = question.dag, question.failures
    if failures.rate == 0:
        return Schedule(linearize(dag, "DF"), frozenset())
    schedule = solve_special(dag, failures)
    if schedule is not None and question.max_bytes is not None:
        if (dag.kept_bytes(schedule.checkpointed) or 0) > question.max_bytes:
            schedule = None
    if schedule is None and len(dag) <= 12 and count_schedules(dag, _EXHAUSTIVE) <= _EXHAUSTIVE:
        schedule, _ = best_of_all(dag, failures, question.max_bytes)
    return schedule


class _Search:
    """All plans met so far that nothing else beats, and the ways to find more."""

    def __init__(self, question: Question, meter: Meter) -> None:
        self._question, self._meter = question, meter
        self._dag: Dag = question.dag
        self._failures: Failures = question.failures
        self._draw = random.Random(question.seed)
        self._front: list[Plan] = []
        self._flips_work = True

    @property
    def best(self) -> Plan:
        return self._front[0]

    def alternatives(self) -> tuple[Plan, ...]:
        """For each of a few losses of time, the plan that keeps the least; the last keeps least of all."""
        if self._dag.output_bytes is None:
            return ()
        chosen: dict[Plan, None] = {}
        for loss in _LOSSES:
            most = self.best.makespan.log + math.log1p(loss)
            plan = min((plan for plan in self._front if plan.makespan.log <= most), key=_size)
            chosen[plan] = None
        return tuple(plan for plan in chosen if plan is not self.best)

    def plan(self, name: str, schedule: Schedule) -> Plan:
        """A plan with its price."""
        line = Line(self._dag, schedule.order)
        return self._question.plan(name, line, line.flags(schedule.checkpointed))

    def add(self, plan: Plan) -> None:
        """Remember a plan unless another is as fast and keeps as little."""
        size = _size(plan)
        if any(other.makespan.log <= plan.makespan.log and _size(other) <= size for other in self._front):
            return
        self._front = [other for other in self._front
                       if other.makespan.log < plan.makespan.log or _size(other) < size]
        self._front.append(plan)
        self._front.sort(key=lambda other: other.rank)

    def flip_orders(self) -> None:
        """Single flips from all, from none and from the heuristics, on every order."""
        orders = {name: self._question.line(name).order for name in ("DF", "DFall", "BF", "RF")}
        below = descendant_weights(self._dag)
        orders["DF-light"] = depth_first(self._dag, [-weight for weight in below])
        orders |= post_orders(self._dag)
        lines = {order: (name, Line(self._dag, order)) for name, order in reversed(orders.items())}
        starts = []
        ends = (frozenset(range(len(self._dag))) - self._dag.unkept, self.best.schedule.checkpointed,
                frozenset())
        for place, kept in enumerate(ends):
            for order, (name, line) in lines.items():
                flags = line.flags(kept)
                if self._question.fits(line, flags):
                    plan = self._question.plan(f"{name}-flips", line, flags)
                    self.add(plan)
                    # From none last: it mostly ends where the others do, and takes longest.
                    starts.append((place == 2, plan.rank, plan.name, plan))
        for *_, plan in sorted(starts, key=lambda start: start[:3]):
            if self._meter.is_empty:
                break
            self.flip(plan)

    def flip(self, plan: Plan, price_s_per_byte: float = 0.0) -> Plan:
        """The plan with its flags improved; remembered, and returned with its true time."""
        line = Line(self._dag, plan.schedule.order)
        sizes = prices = None
        if self._dag.output_bytes is not None:
            sizes = [self._dag.output_bytes[task] for task in line.order]
            if price_s_per_byte:
                prices = [price_s_per_byte * size for size in sizes]
        if not self._flips_work:
            return plan
        try:
            search = FlipSearch(line, line.flags(plan.schedule.checkpointed), self._failures,
                                self._meter, prices, sizes, self._question.max_bytes)
            makespan = search.run()
        except TooWide:
            self._flips_work = False
            return plan
        better = self._question.plan(plan.name, line, search.flags, makespan)
        self.add(better)
        return better

    def sort_join(self) -> None:
        """The best order for the flags, the best flags for the order, and again, on a large join."""
        plan = self.best
        while not self._meter.is_empty:
            kept = plan.schedule.checkpointed
            order = join_order(self._dag, self._failures, kept)
            sorted_plan = self.flip(self.plan("join-flips", Schedule(order, kept)))
            if not sorted_plan.makespan.log < plan.makespan.log - 1e-12:
                break
            plan = sorted_plan

    def polish(self) -> bool:
        """Moves with flips on the best plan, then kicks; whether it ended before the budget did."""
        current = self._move_tasks(self.best)
        patience = 40 if len(self._dag) <= _TINY else 12
        failed = 0
        while failed < patience and not self._meter.is_empty:
            kicked = self._move_tasks(self.flip(self._kick(self.best if failed % 3 else current)))
            has_gained = kicked.makespan.log < current.makespan.log - 1e-12
            failed = 0 if has_gained else failed + 1
            if has_gained:
                current = kicked
        return not self._meter.is_empty

    def _move_tasks(self, plan: Plan) -> Plan:
        """Moves of one task to another place, as long as one helps."""
        has_gained = True
        while has_gained and not self._meter.is_empty:
            has_gained = False
            tasks = list(plan.schedule.order)
            self._draw.shuffle(tasks)
            for task in tasks:
                better = self._move_task(plan, task)
                if better is not None:
                    plan, has_gained = better, True
                if self._meter.is_empty:
                    break
            if has_gained and len(self._dag) > _TINY:
                plan = self.flip(plan)
        return plan

    def _move_task(self, plan: Plan, task: int) -> Plan | None:
        order = plan.schedule.order
        start = order.index(task)
        best = None
        for place in self._places(order, start):
            moved = _move(order, start, place)
            line = Line(self._dag, moved)
            flags = line.flags(plan.schedule.checkpointed)
            self._meter.spend(40 * len(order))
            tried = self._question.plan("best", line, flags)
            if len(order) <= _TINY:
                tried = self.flip(tried)
            least = (best or plan).makespan.log
            if tried.makespan.log < least - 1e-12:
                best = tried
        if best is not None:
            self.add(best)
        return best

    def _places(self, order: Sequence[int], start: int) -> list[int]:
        """Where the task at this position may go; on large graphs the ends and some between."""
        low, high = _range(self._dag, order, start)
        if len(order) <= _TINY:
            places = set(range(low, high + 1))
        else:
            places = {low, high, max(low, start - 1), min(high, start + 1),
                      self._draw.randint(low, high)}
        return sorted(places - {start})

    def _kick(self, plan: Plan) -> Plan:
        """The plan with a few tasks moved and a few flags changed, at random."""
        order, kept = plan.schedule.order, set(plan.schedule.checkpointed)
        useful = sorted(set(order) - self._dag.unkept)
        for _ in range(self._draw.randint(1, 3)):
            start = self._draw.randrange(len(order))
            order = _move(order, start, self._draw.randint(*_range(self._dag, order, start)))
        for task in self._draw.sample(useful, min(len(useful), self._draw.randint(0, 3))):
            kept ^= {task}
        line = Line(self._dag, order)
        if not self._question.fits(line, line.flags(kept)):
            kept = set(plan.schedule.checkpointed) - {self._draw.choice(useful)}
        return self._question.plan("best", line, line.flags(kept))

    def trade_bytes(self) -> None:
        """Plans that keep less: flips under a price per byte that grows until nothing is kept."""
        plan, sizes = self.best, self._dag.output_bytes
        kept = plan.kept_bytes
        if sizes is None or not kept or not plan.makespan.seconds < float("inf") or not self._failures.rate:
            return
        # A budget of its own: the search for time must not eat it up, nor be eaten.
        meter, self._meter = self._meter, Meter(0.3 * self._meter.limit)
        price = 1e-4 * plan.makespan.seconds / kept
        for _ in range(40):
            if self._meter.is_empty or not plan.kept_bytes:
                break
            plan = self.flip(plan, price)
            price *= 1.4
        self._meter = meter


def _size(plan: Plan) -> int:
    return plan.kept_bytes or 0


def _range(dag: Dag, order: Sequence[int], start: int) -> tuple[int, int]:
    """First and last position that the task at `start` may move to."""
    task = order[start]
    preds, succs = set(dag.preds[task]), set(dag.succs[task])
    low = high = start
    while low > 0 and order[low - 1] not in preds:
        low -= 1
    while high < len(order) - 1 and order[high + 1] not in succs:
        high += 1
    return low, high


def _move(order: Sequence[int], start: int, place: int) -> tuple[int, ...]:
    rest = list(order)
    rest.insert(place, rest.pop(start))
    return tuple(rest)
