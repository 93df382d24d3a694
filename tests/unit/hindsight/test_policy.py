"""When a border gets a checkpoint."""

from __future__ import annotations

import random

import pytest

from rex.hindsight.policy import LEAD_S, TOGETHER, UNSEEN, Policy


def spend(policy: Policy, borders: int, body_s: float, pause_s: float, writer_s: float = 0.0) -> list[int]:
    """Run a loop of equal iterations; where it got checkpoints."""
    at_s, kept = 0.0, []
    for number in range(borders):
        at_s += body_s
        if policy.wants("loop!", body_s, at_s, True):
            policy.paid("loop!", pause_s, writer_s)
            kept.append(number)
            at_s += pause_s
    return kept


@pytest.mark.parametrize("seed", range(20))
def test_the_sum_paid_stays_below_the_share(seed: int) -> None:
    chance = random.Random(seed)
    share = chance.choice((0.01, 0.0667, 0.2))
    policy = Policy(share, price_s=0.0)
    at_s = 0.0
    for _ in range(500):
        body = chance.expovariate(1 / chance.choice((0.01, 1.0)))
        at_s += body
        kind = chance.choice("ab")
        if policy.wants(kind, body, at_s, True):
            pause = chance.uniform(0.001, 0.02)
            known = policy.price_s or 0.0
            policy.paid(kind, pause, 0.0)
            at_s += pause
            assert policy.paid_s <= TOGETHER * share * at_s + max(0.0, pause * (1 + UNSEEN) - known)
            assert sum(each.paid_s for each in policy._kinds.values()) == pytest.approx(policy.paid_s)


def test_cheap_checkpoints_are_taken_always_and_dear_ones_seldom() -> None:
    assert len(spend(Policy(0.0667, price_s=0.001), 100, 1.0, 0.001)) == 100
    seldom = spend(Policy(0.0667, price_s=1.0), 400, 1.0, 1.0)
    most = (400 + len(seldom)) * 0.0667 * TOGETHER / (1 + UNSEEN)   # the run takes them too
    assert most * 0.8 < len(seldom) <= most
    distances = [b - a for a, b in zip(seldom, seldom[1:])]
    assert max(distances) <= 2 * min(distances)


def test_slow_restores_make_checkpoints_worth_less() -> None:
    few = spend(Policy(1.0 - 1e-9, restore_factor=9.0, price_s=1.0), 200, 1.0, 1.0)
    many = spend(Policy(1.0 - 1e-9, restore_factor=1.0, price_s=1.0), 200, 1.0, 1.0)
    for kept, share in ((few, 0.1), (many, 0.5)):
        share *= TOGETHER / (1 + UNSEEN)   # of a time to which checkpoints add theirs
        assert len(kept) == pytest.approx(200 * share / (1 - share), abs=3)


def test_the_writers_time_counts() -> None:
    free = spend(Policy(0.05, price_s=0.01), 1000, 0.2, 0.01)
    busy = spend(Policy(0.05, price_s=0.01), 1000, 0.2, 0.01, writer_s=0.2)
    assert len(busy) < len(free) / 5


def test_what_was_paid_in_truth_counts_for_each_border() -> None:
    """Checkpoints that cost four times what was expected: it is told later, for all of them together."""
    told = Policy(0.05, price_s=0.01)
    at_s, kept = 0.0, 0
    for _ in range(1000):
        at_s += 0.5
        told.correct(0.04 * kept)
        if told.wants("loop!", 0.5, at_s, True):
            told.paid("loop!", 0.01, 0.0)
            kept += 1
    most = 0.05 * TOGETHER * at_s
    assert 0.9 * most <= 0.04 * kept * (1 + UNSEEN) <= most + 0.04 * (1 + UNSEEN)


def test_the_last_state_has_the_rest_of_the_share() -> None:
    price = 1.0
    policy = Policy(0.06, price_s=price)
    enough = price / (1 + UNSEEN) / 0.06     # of the price, that part is what is measured
    assert not policy.wants("loop!", enough * 1.01, enough * 1.01, True)
    assert policy.wants("loop!", 0.0, enough * 1.01, True, is_last=True)
    assert not policy.wants("loop!", 0.0, enough * 0.99, True, is_last=True)
    policy.correct(0.2)
    assert not policy.wants("loop!", 0.0, enough * 1.01, True, is_last=True)


@pytest.mark.parametrize("count", [5, 40, 400])
def test_what_a_counted_loop_will_earn_may_be_spent_before(count: int) -> None:
    """The first checkpoint costs as much as the share of several epochs: all epochs get one if the run affords it."""
    body, share, dear, cheap = 0.5, 0.06, 0.06, 0.004
    afforded = TOGETHER * share * body * count >= (dear + cheap * count) * (1 + UNSEEN)
    for known in (True, False):
        policy, kept = Policy(share, price_s=0.0), 0
        for number in range(count):
            ahead_s = (count - number - 1) * body if known else 0.0
            if policy.wants("loop!", body, (number + 1) * body, True, ahead_s=ahead_s):
                policy.paid("loop!", cheap if kept else dear, 0.0)
                policy.price_s = cheap * (1 + UNSEEN)
                kept += 1
        assert policy.paid_s <= max(TOGETHER * share * count * body, dear * (1 + UNSEEN))
        assert (kept == count) == (known and afforded)


def test_no_more_is_spent_before_than_a_lead() -> None:
    policy = Policy(0.06, price_s=0.1)
    while policy.wants("loop!", 0.0, 1.0, True, ahead_s=1e6):
        policy.paid("loop!", 0.1 / (1 + UNSEEN), 0.0)
    assert LEAD_S - 0.1 < policy.paid_s <= LEAD_S + 0.06
    assert not policy.wants("loop:", 1.0, 1.0, False, ahead_s=1e6)    # what is earned is for ends of loops


def test_no_limit_takes_every_border() -> None:
    assert len(spend(Policy(1.0), 50, 1e-6, 1.0)) == 50
