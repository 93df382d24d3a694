"""Who begins where."""

from __future__ import annotations

from typing import Any

import pytest

from rex.archive import Content
from rex.hindsight.instrument.changes import Probe
from rex.hindsight.replay.plan import FOREVER, Plan, _cut, _groups, first_needed, hot_sites, main_loop
from rex.hindsight.trace.records import Border, Checkpoint, Run

NOTHING = Content("00" * 32, 0)


def make_run(epochs: int, epoch_s: float = 1.0, every: int = 1, why: str = "") -> Run:
    """Epochs (loop m#0) of training (m#1) and a tail; checkpoints at every n-th border of each kind."""
    run = Run(calls={"m#0/m#1": {"m:_rex_f0"}, "m#0": {"m:_rex_f1"}, "": {"m:_rex_f2"}})

    def border(position: str, spent_s: float, epoch: int) -> None:
        made = Border(position, 0.0, spent_s, 0, 0, 0)
        if epoch % every == every - 1:
            made.checkpoint = Checkpoint(len(run.borders), position, NOTHING, NOTHING, {"x": why} if why else {},
                                         0.01, 0, 0)
        run.borders.append(made)

    for epoch in range(epochs):
        border(f"m#0.0:{epoch}", 0.1, epoch)
        border(f"m#0.0:{epoch}/m#1.0!", epoch_s, epoch)
    border("m#0.0!", 0.1, 0)
    return run


def plan(run: Run, skippable: set[str], jobs: int = 1, low: int = 0, high: int = FOREVER, hot: Any = ()) -> Plan:
    made = Plan(None, run, [], skippable, [], None, "s.py")   # type: ignore[arg-type]
    first = first_needed(run, main_loop(run), set(hot), low)
    last = next((n for n, b in enumerate(run.borders) if b.position.startswith(f"m#0.0:{high}")), len(run.borders))
    _cut(made, first, last, jobs)
    return made


def probe(function: str = "", sites: tuple[str, ...] = ()) -> Probe:
    return Probe(1, "print()", sites, function, frozenset())


def test_the_main_loop_is_the_longest() -> None:
    run = make_run(3)
    run.borders.insert(0, Border("m#9.0!", 0.0, 2.0, 0, 0, 0))
    assert main_loop(run) == "m#0.0" and main_loop(Run()) == ""


def test_loops_around_added_statements_and_around_calls_of_their_functions_are_hot() -> None:
    run = make_run(2)
    assert hot_sites(run, [probe(sites=("m#0",))]) == {"m#0"}
    assert hot_sites(run, [probe("m:_rex_f0")]) == {"m#0", "m#1"}
    assert hot_sites(run, [probe("m:_rex_f1")]) == {"m#0"}
    assert hot_sites(run, [probe("m:_rex_f7")]) == set()


def test_an_outer_probe_skips_every_training_loop() -> None:
    made = plan(make_run(24), {"m#1"}, hot={"m#0"})
    assert made.skips == 24 and made.expected_s == pytest.approx(24 * (0.1 + 0.014) + 0.1)


def test_what_has_no_checkpoint_is_run() -> None:
    assert plan(make_run(24, every=3), {"m#1"}, hot={"m#0"}).skips == 8
    assert plan(make_run(24, why="a socket"), {"m#1"}, hot={"m#0"}).skips == 0


@pytest.mark.parametrize("low, start", [(5, ""), (7, "m#0.0:7"), (9, "m#0.0:7"), (10, "m#0.0:10"), (99, "m#0.0:10")])
def test_an_epoch_without_a_border_is_reached_from_an_earlier_checkpoint(low: int, start: str) -> None:
    run = Run(borders=[Border(position, 0.0, 1.0, 0, 0, 0) for position in ("m#0.0:0", "m#0.0:7", "m#0.0:10", "m#0.0!")])
    for border in run.borders:
        border.checkpoint = Checkpoint(1, border.position, NOTHING, NOTHING, {}, 0.01, 0, 0)
    assert plan(run, set(), low=low).pieces[0].start == start


@pytest.mark.parametrize("jobs", [1, 2, 3, 5])
def test_pieces_cover_the_run_once_and_are_even(jobs: int) -> None:
    made = plan(make_run(30), set(), jobs, hot={"m#0", "m#1"})
    assert len(made.pieces) == jobs
    assert made.pieces[0].start == "" and made.pieces[-1].stop == ""
    assert [p.stop for p in made.pieces[:-1]] == [p.start for p in made.pieces[1:]]
    assert sum(p.run_s for p in made.pieces) == pytest.approx(made.expected_s)
    assert max(p.run_s for p in made.pieces) <= made.expected_s / jobs + 1.2


def test_sparse_checkpoints_give_fewer_pieces() -> None:
    assert len(plan(make_run(10, every=6), set(), 4, hot={"m#0", "m#1"}).pieces) <= 3
    assert len(plan(make_run(10, why="x"), set(), 4, hot={"m#0", "m#1"}).pieces) == 1


def test_asked_for_epochs_alone_are_run() -> None:
    made = plan(make_run(30), set(), low=10, high=12, hot={"m#0", "m#1"})
    assert made.pieces[0].start == "m#0.0:10" and made.expected_s == pytest.approx(2.2, abs=0.2)


def test_nothing_runs_before_a_probe_behind_the_loop() -> None:
    made = plan(make_run(30), {"m#0", "m#1"}, hot=set())
    assert made.expected_s < 0.2


def test_epochs_far_apart_are_other_workers_unless_to_pass_costs_less_than_to_begin() -> None:
    run = make_run(40)
    for number, border in enumerate(run.borders):
        border.at_s = 2.0 + number      # the first loop began after two seconds
    chosen = [1, 2, 4, 20, 39]
    assert _groups(Plan(None, run, [], set(), [], None, "s.py"), "m#0.0", chosen) == [[1, 2, 4], [20], [39]]   # type: ignore[arg-type]
    skipping = Plan(None, run, [], {"m#1"}, [], None, "s.py")   # type: ignore[arg-type]
    assert _groups(skipping, "m#0.0", chosen) == [[1, 2, 4, 20, 39]]
    assert (skipping.skips, skipping.skipped) == (0, [])
