"""When a border gets a checkpoint."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any, Callable, Iterator

import pytest

from rex.hindsight.policy.borders import LEAD_S, OVERHEAD, Occasion, Policy, Price
from rex.hindsight.record import recorder as recording
from rex.hindsight.record.recorder import GRANULARITY_S, Recorder

Costs = Callable[[int], Price]     # of the n-th checkpoint


def run(policy: Policy, bodies: list[float], costs: Costs, first_guess: Price | None = None, is_counted: bool = True,
        border_s: float = 0.0) -> list[int]:
    """A loop whose iterations take so long, recorded as the recorder does; which iterations' ends were kept."""
    kept, paid_s, looped_s = [], 0.0, 0.0
    for number, body_s in enumerate(bodies):
        looped_s += body_s
        paid_s += border_s
        ahead_s = looped_s / (number + 1) * (len(bodies) - number - 1) if is_counted else 0.0
        policy.correct(paid_s)
        if policy.price is None and first_guess:
            policy.foresee(first_guess)
        if policy.wants(Occasion("loop!", body_s, looped_s, True, ahead_s=ahead_s)):
            price = costs(len(kept))
            policy.paid("loop!", price)
            policy.foresee(Price(price.pause_s / 2) if not kept else price)
            paid_s += price.total_s
            kept.append(number)
    policy.correct(paid_s)
    return kept


def constant_data(first: Price, later: Price) -> Costs:
    return lambda number: later if number else first


# Of numpy with 20 MB that never change, 5 s, as recorded on a free machine: the first checkpoint writes all of it.
NUMPY_FIRST, NUMPY_LATER = Price(0.011, 0.080), Price(0.0024, 0.0006)


def test_a_short_run_with_constant_data_keeps_its_epochs() -> None:
    kept = run(Policy(OVERHEAD), [0.167] * 30, constant_data(NUMPY_FIRST, NUMPY_LATER), NUMPY_FIRST, border_s=0.0002)
    assert len(kept) >= 25
    assert kept[0] == 0


@pytest.mark.parametrize("seed", range(10))
def test_so_it_does_where_times_vary(seed: int) -> None:
    """Bodies and prices as on a machine that others use: three times as long now and then."""
    chance = random.Random(seed)

    def varied(price: Price) -> Price:
        factor = chance.choice((0.8, 1.0, 1.2, 3.0))
        return Price(price.pause_s * factor, price.writer_s * factor)

    bodies = [0.167 * chance.choice((0.8, 1.0, 1.2, 3.0)) for _ in range(30)]
    kept = run(Policy(OVERHEAD), bodies, lambda number: varied(NUMPY_LATER if number else NUMPY_FIRST), NUMPY_FIRST)
    assert len(kept) >= 10


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("is_counted", [True, False])
def test_the_sum_paid_stays_below_the_share(seed: int, is_counted: bool) -> None:
    chance = random.Random(seed)
    share = chance.choice((0.01, 0.05, 0.2))
    bodies = [chance.expovariate(1 / chance.choice((0.01, 1.0))) for _ in range(500)]
    dearest = Price(chance.uniform(0.001, 0.02), chance.uniform(0, 0.02))
    policy = Policy(share)
    assert run(policy, bodies, lambda _: Price(dearest.pause_s * chance.random(), dearest.writer_s * chance.random()),
               dearest, is_counted)
    assert policy.paid_s <= share * sum(bodies) + dearest.total_s


def test_cheap_checkpoints_are_taken_always_and_dear_ones_seldom() -> None:
    assert len(run(Policy(0.05), [1.0] * 100, lambda _: Price(0.001))) == 100
    seldom = run(Policy(0.05), [1.0] * 400, lambda _: Price(1.0), Price(1.0))
    assert 16 <= len(seldom) <= 21
    distances = [b - a for a, b in zip(seldom[1:], seldom[2:])]
    assert max(distances) <= 2 * min(distances)


def test_what_the_first_one_leaves_is_spread_evenly() -> None:
    """Not all epochs can have one: they are as far apart at the beginning as at the end."""
    kept = run(Policy(0.05), [0.2] * 100, constant_data(Price(0.1, 0.3), Price(0.015, 0.005)), Price(0.1, 0.3))
    assert 25 <= len(kept) <= 35
    distances = [b - a for a, b in zip(kept[5:], kept[6:])]    # by then the price is known
    assert max(distances) <= min(distances) + 1


def test_the_writers_time_counts() -> None:
    free = run(Policy(0.05), [0.2] * 1000, lambda _: Price(0.01), Price(0.01))
    busy = run(Policy(0.05), [0.2] * 1000, lambda _: Price(0.01, 0.2), Price(0.01, 0.2))
    assert len(busy) < len(free) / 5


def test_slow_restores_make_checkpoints_worth_less() -> None:
    """Equation 4 with a share that does not bind: k pauses and restores take no longer than n executions."""
    for factor in (1.0, 9.0):
        kept = run(Policy(1.0 - 1e-9, factor), [1.0] * 200, lambda _: Price(1.0), Price(0.1), is_counted=False)
        assert len(kept) - 1 == pytest.approx(200 / (1 + factor), abs=2)


def test_a_restore_is_compared_with_pauses_not_with_what_the_writer_takes() -> None:
    of_pause = run(Policy(0.9, 9.0), [1.0] * 100, lambda _: Price(0.01, 0.5), Price(0.01, 0.5), is_counted=False)
    assert len(of_pause) >= 95


def test_without_a_count_nothing_is_spent_before_it_is_earned() -> None:
    policy = Policy(0.05)
    kept = run(policy, [0.5] * 40, constant_data(Price(0.1), Price(0.004)), Price(0.1), is_counted=False)
    assert kept[0] == 3


def test_no_more_is_spent_before_than_a_lead() -> None:
    dear = Price(LEAD_S / 2, LEAD_S)
    assert not run(Policy(0.05), [1.0] * 25, lambda _: dear, dear)
    assert run(Policy(0.05), [1.0] * 25, lambda _: Price(LEAD_S / 2), Price(LEAD_S / 2))[0] == 1   # a restore is to be worth it


def test_starts_of_iterations_leave_half_to_ends_of_loops() -> None:
    policy = Policy(0.05, price=Price(0.01))
    assert not policy.wants(Occasion("loop:", 0.3, 0.3, False, ahead_s=100.0))
    assert policy.wants(Occasion("loop:", 0.1, 0.41, False))


def test_the_last_state_has_the_rest_of_the_share() -> None:
    policy = Policy(0.05, price=Price(1.0))
    assert not policy.wants(Occasion("loop!", 19.9, 19.9, True, is_last=True))
    assert policy.wants(Occasion("loop!", 0.1, 20.1, True, is_last=True))
    policy.correct(0.2)
    assert not policy.wants(Occasion("loop!", 0.0, 20.1, True, is_last=True))
    assert policy.refused == Price(1.0)


@pytest.mark.parametrize("body_s,is_outermost,passed", [
    (0.033, True, 1),      # a run of 3 s with 90 epochs: each of them has borders
    (0.011, True, 1),
    (0.005, True, 8),      # so many pass at once
    (0.033, False, 0),     # steps within a longer epoch
    (0.060, False, 1),
])
def test_epochs_have_borders_where_steps_as_long_have_none(
        body_s: float, is_outermost: bool, passed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Recorder.__new__(Recorder)
    watched.target, watched.granularity_s = "", GRANULARITY_S
    entry: Any = SimpleNamespace(bodies=[body_s] * 4, site=SimpleNamespace(facts=SimpleNamespace(is_by_hand=False)),
                                 is_tracked=True, started_s=0.0, iteration=4)
    watched.stack = [entry] if is_outermost else [SimpleNamespace(), entry]    # type: ignore[list-item]
    monkeypatch.setattr(recording, "now_s", lambda: 4 * body_s)
    assert watched.group(entry) == passed
    assert entry.is_tracked == (passed == 1)


def test_no_limit_takes_every_border() -> None:
    assert len(run(Policy(1.0), [1e-6] * 50, lambda _: Price(1.0))) == 50


def traces() -> Iterator[tuple[str, list[float], Costs, Price]]:
    """Bodies and prices (seconds) of five scripts, and what the first look told."""
    yield "numpy, 20 MB constant", [0.167] * 30, constant_data(NUMPY_FIRST, NUMPY_LATER), NUMPY_FIRST
    yield "sklearn", [0.11] * 30, constant_data(Price(0.006, 0.020), Price(0.0012, 0.0005)), Price(0.006, 0.02)
    yield "torch CNN", [0.33] * 20, constant_data(Price(0.02, 0.03), Price(0.0065, 0.009)), Price(0.02, 0.03)
    yield "8 MB change", [0.15] * 40, lambda _: Price(0.0043, 0.035), Price(0.01, 0.035)
    yield "500 MB constant", [1.0] * 60, constant_data(Price(0.3, 2.0), Price(0.003, 0.001)), Price(0.3, 2.0)


def paper(bodies: list[float], costs: Costs, share: float = 1 / 15, factor: float = 1.38) -> list[int]:
    """Equation 4 as printed: M/C < n/(k+1) * min(1/(1+c), eps), with M the pause alone, and averages."""
    kept: list[int] = []
    pauses: list[float] = []
    for number in range(len(bodies)):
        pause = sum(pauses) / len(pauses) if pauses else costs(0).pause_s
        body = sum(bodies[:number + 1]) / (number + 1)
        if pause / body < (number + 1) / (len(kept) + 1) * min(1 / (1 + factor), share):
            pauses.append(costs(len(kept)).pause_s)
            kept.append(number)
    return kept


@pytest.mark.parametrize("name,bodies,costs,guess", list(traces()), ids=lambda part: part if isinstance(part, str) else "")
def test_beside_the_papers_rule(name: str, bodies: list[float], costs: Costs, guess: Price) -> None:
    """No more than the share is ever lost, and where that allows it, no fewer epochs than by the paper's rule are kept."""
    policy = Policy(OVERHEAD)
    ours, theirs = run(policy, bodies, costs, guess), paper(bodies, costs)
    assert policy.paid_s <= OVERHEAD * sum(bodies) + costs(1).total_s
    theirs_s = sum(costs(number).total_s for number in range(len(theirs)))
    if theirs_s <= OVERHEAD * sum(bodies):
        assert len(ours) >= len(theirs) - (2 if guess.total_s <= LEAD_S else len(theirs) // 3)
