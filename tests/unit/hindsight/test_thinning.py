"""A budget of bytes: what goes, what stays, and that what stays can be read."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from rex.archive import Content
from rex.hindsight.policy.thinning import Thinner, kind_of, thin
from rex.hindsight.trace.records import Checkpoint

from .worlds import World

numpy = pytest.importorskip("numpy", reason="numpy is not installed")


def state(number: int, position: str, why_not: dict[str, str] | None = None) -> Checkpoint:
    return Checkpoint(number, position, Content("", 0), Content("", 0), why_not or {}, 0.0, 0, 0)


def test_every_second_state_of_each_border_goes_and_the_newest_stay() -> None:
    states = [state(2 * n + end, f"__main__#0.0:{n}" if not end else f"__main__#0.0:{n}/__main__#1.0!")
              for n in range(9) for end in (0, 1)]
    kept = thin(states)
    assert [s.number for s in kept] == [0, 1, 4, 5, 8, 9, 12, 13, 16, 17]
    while len(fewer := thin(kept)) < len(kept):
        kept = fewer
    assert [s.number for s in kept] == [16, 17]


def test_the_last_complete_state_stays() -> None:
    states = [state(n, f"m#0.0:{n}", {"x": "a socket"} if n > 2 else {}) for n in range(6)]
    while len(fewer := thin(states)) < len(states):
        states = fewer
    assert {s.number for s in states} == {2, 5}


def test_borders_are_told_apart_by_their_place_in_the_source() -> None:
    assert kind_of("m#0.0:17") == kind_of("m#0.0:3") != kind_of("m#0.0!")
    assert kind_of("m#0.0:4/m#1.0!") == kind_of("m#0.0:5/m#1.3!") != kind_of("m#1.0:5")


@pytest.mark.parametrize("seed", range(6))
def test_states_within_a_budget(world: World, tmp_path: Path, seed: int) -> None:
    """Shared, changing and returning memory: every state that is still told of is whole."""
    chance = random.Random(seed)
    budget = 4 << 20
    world.writer.thinner = Thinner(world.archive, world.recording, budget)
    rng = numpy.random.default_rng(seed)
    frozen, moving = rng.normal(size=30_000), rng.normal(size=40_000)
    former, truth = [moving.copy()], {}
    for number in range(60):
        moving[chance.randrange(40_000):] += rng.normal(size=1)
        if chance.random() < 0.2:
            moving[:] = chance.choice(former)      # known memory, perhaps given up since
        former.append(moving.copy())
        world.save(frozen=frozen, moving=moving)
        truth[number] = frozen.copy(), moving.copy()
        if chance.random() < 0.5:
            world.written()
    kept = world.written()
    assert kept[-1].number == 59 and 2 < len(kept) < 60
    assert world.writer.thinner.live_bytes <= budget
    packs = sum(path.stat().st_size for path in (tmp_path / "EXP").rglob("*") if path.is_file())
    assert packs < 1.5 * budget
    for place, checkpoint in enumerate(kept):
        values = world.restore(place)
        for name, wanted in zip(("frozen", "moving"), truth[checkpoint.number]):
            assert numpy.array_equal(values[name], wanted)
