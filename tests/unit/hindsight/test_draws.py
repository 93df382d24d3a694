"""Draws of added statements leave no trace."""

from __future__ import annotations

import random
from typing import Any, Callable

import numpy as np
import pytest

from rex.hindsight.replay.draws import Draws
from rex.hindsight.replay import draws

DRAWS: dict[str, tuple[str, Callable[[], Any]]] = {
    "random": ("random", random.random), "many": ("random", lambda: [random.random() for _ in range(2000)]),
    "gauss": ("random", lambda: random.gauss(0, 1)), "seed": ("random", lambda: random.seed(3)),
    "rand": ("numpy", np.random.rand), "many_rand": ("numpy", lambda: np.random.rand(3000)),
    "randn": ("numpy", np.random.randn), "np_seed": ("numpy", lambda: np.random.seed(4)),
    "shuffle": ("numpy", lambda: np.random.shuffle([1, 2, 3]))}


@pytest.mark.parametrize("gauss", [0, 1])       # numbers of which the second is kept for later
@pytest.mark.parametrize("name", sorted(DRAWS))
def test_draws_are_noticed_and_undone(name: str, gauss: int) -> None:
    which, draw = DRAWS[name]
    for _ in range(gauss):
        random.gauss(0, 1)
        np.random.randn()
    before = random.getstate(), repr(np.random.get_state())
    found = Draws()
    found.note()
    assert found.undo() == []
    draw()
    assert found.undo() == [which]
    assert found.undo() == []
    assert (random.getstate(), repr(np.random.get_state())) == before


def test_the_programs_own_draws_between_probes_stay() -> None:
    found, chance = Draws(), random.Random(1)
    for _ in range(300):
        for _ in range(chance.choice((0, 1, 312, 624, 1248))):
            random.getrandbits(32)
            np.random.random_sample()
        before = random.getstate(), repr(np.random.get_state())
        found.note()
        wanted = []
        if chance.random() < 0.5:
            wanted.append("random")
            [random.getrandbits(32) for _ in range(chance.choice((1, 624, 1248)))]
        if chance.random() < 0.5:
            wanted.append("numpy")
            np.random.random_sample(chance.choice((1, 312, 624)))
        assert found.undo() == wanted
        assert (random.getstate(), repr(np.random.get_state())) == before


def test_their_places_in_memory_are_known() -> None:
    assert draws._gauss_offset(np) is not None
    assert isinstance(draws._python(), draws._Twister) and isinstance(draws._numpy(), draws._Twister)


def test_another_bit_generator_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Draws()
    found.note()
    before = np.random.get_bit_generator()
    try:
        np.random.set_bit_generator(np.random.MT19937(5))
        found.note()
        np.random.rand()
        first = np.random.get_state()[2]
        assert found.undo() == ["numpy"] and np.random.get_state()[2] != first
    finally:
        np.random.set_bit_generator(before)


def test_torch() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    found = Draws()
    found.note()
    before = torch.get_rng_state()
    torch.rand(3)
    assert "torch" in found.undo() and torch.equal(torch.get_rng_state(), before)
