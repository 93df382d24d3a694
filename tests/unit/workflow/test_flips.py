"""Flips: every price is exact, and the end is a local optimum."""

from __future__ import annotations

import random

import pytest

from rex.workflow import flips
from rex.workflow.dag import Failures, Schedule
from rex.workflow.flips import FlipSearch, Meter, TooWide, saved_seconds
from rex.workflow.line import Line
from rex.workflow.linearize import linearize
from rex.workflow.makespan import evaluate, expected_makespan
from rex.workflow.shapes import FAMILIES, generate

from .examples import make_dag, random_case


def start(seed: int, most: int = 14) -> tuple[Line, list[bool], Failures]:
    dag, schedule, failures = random_case(random.Random(seed), most)
    line = Line(dag, schedule.order)
    return line, line.flags(schedule.checkpointed - dag.exits), failures


@pytest.mark.parametrize("seed", range(120))
def test_no_single_flip_helps_at_the_end(seed: int) -> None:
    line, flags, failures = start(seed)
    search = FlipSearch(line, flags, failures, Meter())
    found = search.run()
    assert found.log == pytest.approx(evaluate(line, search.flags, failures).log, abs=1e-11)
    assert found.log <= evaluate(line, flags, failures).log + 1e-12
    for x in {pred for preds in line.preds for pred in preds}:
        other = list(search.flags)
        other[x] = not other[x]
        assert evaluate(line, other, failures).log >= found.log - 1e-10


@pytest.mark.parametrize("seed", range(80))
def test_the_price_of_every_flip_is_exact(seed: int) -> None:
    line, flags, failures = start(seed)
    search = FlipSearch(line, flags, failures, Meter())
    before = evaluate(line, flags, failures).seconds
    for x in range(len(line)):
        other = list(flags)
        other[x] = not other[x]
        change = evaluate(line, other, failures).seconds - before
        assert search.change_s(x) == pytest.approx(change, rel=1e-9, abs=1e-10 * before)


def test_what_each_checkpoint_saves() -> None:
    chain = make_dag([10.0, 10.0, 10.0], [(), (0,), (1,)], cost=1.0)
    schedule = Schedule((0, 1, 2), frozenset((0, 1)))
    saved = saved_seconds(chain, schedule, Failures(20.0))
    assert saved is not None and set(saved) == {0, 1}
    without = Schedule((0, 1, 2), frozenset((1,)))
    difference = (expected_makespan(chain, without, Failures(20.0)).seconds
                  - expected_makespan(chain, schedule, Failures(20.0)).seconds)
    assert saved[0] == pytest.approx(difference, rel=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_generated_shapes_from_both_ends(family: str) -> None:
    dag = generate(family, 60)
    line = Line(dag, linearize(dag, "DF"))
    failures = Failures(dag.t_inf / 3)
    ends = []
    for flags in ([False] * len(dag), line.flags(set(range(len(dag))) - dag.exits)):
        search = FlipSearch(line, flags, failures, Meter())
        ends.append(search.run().log)
        assert ends[-1] == pytest.approx(evaluate(line, search.flags, failures).log, abs=1e-11)
    assert ends[0] == pytest.approx(ends[1], abs=1e-3)


def test_an_empty_meter_stops_it_with_a_valid_state() -> None:
    dag = generate("Montage", 60)
    line = Line(dag, linearize(dag, "DF"))
    failures = Failures(dag.t_inf / 3)
    meter = Meter(20_000)
    search = FlipSearch(line, [False] * len(dag), failures, meter)
    found = search.run()
    assert meter.is_empty and any(search.flags)
    assert found.log == pytest.approx(evaluate(line, search.flags, failures).log, abs=1e-11)


def test_prices_and_limits_in_bytes() -> None:
    chain = make_dag([10.0] * 6, [(i - 1,) if i else () for i in range(6)], cost=0.1)
    line = Line(chain, range(6))
    failures = Failures(20.0)
    assert sum(_flip(line, failures).flags) == 5
    assert sum(_flip(line, failures, prices_s=[1e6] * 6).flags) == 0
    limited = _flip(line, failures, sizes=[3] * 6, max_bytes=7)
    assert sum(limited.flags) == 2


def _flip(line: Line, failures: Failures, **limits: object) -> FlipSearch:
    search = FlipSearch(line, [False] * len(line), failures, Meter(), **limits)
    search.run()
    return search


def test_huge_exponents_are_survived() -> None:
    chain = make_dag([1000.0] * 8, [(i - 1,) if i else () for i in range(8)], cost=1.0)
    line = Line(chain, range(8))
    search = _flip(line, Failures(10.0))
    assert search.makespan.log == pytest.approx(evaluate(line, search.flags, Failures(10.0)).log, abs=1e-9)
    assert sum(search.flags) == 7


def test_graphs_with_too_many_steps_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flips, "_MOST_STEPS", 10)
    dag = generate("Montage", 40)
    with pytest.raises(TooWide):
        FlipSearch(Line(dag, dag.topological_order), [False] * len(dag), Failures(100.0), Meter())
