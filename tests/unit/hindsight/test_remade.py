"""Large memory that the script's beginning fills is kept by its hash, and taken on only where it is what it was."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rex.hindsight.capture.graph import walk_roots
from rex.hindsight.capture.memory import Sizer
from rex.hindsight.capture.shapes import Cannot
from rex.hindsight.policy.remade import Remade

from .worlds import World

DATA = np.frombuffer(hashlib.shake_256(b"data").digest(2 << 20), np.uint8)


def begun(world: World, **roots: Any) -> Remade:
    """What is known of the values when the outermost loop begins."""
    sizer, remade = Sizer(), Remade()
    walk_roots(world.shapes, sizer, sorted(roots.items()))
    remade.note(sizer.large)
    return remade


@pytest.fixture
def world(tmp_path: Path) -> Any:
    made = World(tmp_path)
    yield made
    made.close()


def test_what_does_not_change_is_not_stored(world: World) -> None:
    data, model = DATA.copy(), np.zeros(10)
    remade = begun(world, data=data)
    for _ in range(3):
        model += 1
        world.save(remade, data=data, model=model)
    assert sum(each.stored_bytes for each in world.written()) < 100_000
    assert world.restore(1, data=data, model=model)["data"] is data
    assert model[0] == 2 and (data == DATA).all()


def test_what_changes_is_stored_whole_from_then_on(world: World) -> None:
    data = DATA.copy()
    remade = begun(world, data=data)
    world.save(remade, data=data)
    data[5] ^= 1
    world.save(remade, data=data)
    data[:] = 0
    assert (world.restore(1, data=data)["data"][:7] == [*DATA[:5], DATA[5] ^ 1, DATA[6]]).all()
    with pytest.raises(Cannot, match="beginning"):
        world.restore(0, data=data)


@pytest.mark.parametrize("live", [{}, {"data": DATA[::-1].copy()}, {"data": DATA[:-1].copy()}, {"data": None},
                                  {"data": np.zeros(len(DATA) // 8)}])
def test_other_data_are_refused_before_anything_changes(world: World, live: dict[str, Any]) -> None:
    data, model = DATA.copy(), np.zeros(10)
    world.save(begun(world, data=data), data=data, model=model)
    model[:] = 7
    with pytest.raises(Cannot, match="beginning"):
        world.restore(0, model=model, **live)
    assert (model == 7).all()


def test_a_copy_that_a_loop_made_is_stored(world: World) -> None:
    data = DATA.copy()
    world.save(begun(world, data=data), data=data, best=data.copy())
    assert (world.restore(0, data=data)["best"] == DATA).all()


def test_bytes_are_stored_as_they_cannot_be_put_back_in_place(world: World) -> None:
    text = DATA.tobytes()
    world.save(begun(world, text=text), text=text)
    assert world.restore(0)["text"] == text


def test_tensors_are_kept_by_their_hash_too(world: World) -> None:
    torch = pytest.importorskip("torch")
    data = torch.from_numpy(DATA.copy()).clone()
    world.save(begun(world, data=data, view=data[10:]), data=data, view=data[10:])
    assert world.written()[0].stored_bytes < 100_000
    assert world.restore(0, data=data, view=data[10:])["data"] is data
    data[3] ^= 1
    with pytest.raises(Cannot, match="beginning"):
        world.restore(0, data=data, view=data[10:])
