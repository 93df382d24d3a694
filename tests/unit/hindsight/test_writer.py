"""When checkpoints that wait are stored: small ones together, soon; large ones at once."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from .worlds import World


def save_and_watch(world: World, *arrays: np.ndarray) -> None:
    """Until a checkpoint of each is stored, by the writer itself."""
    begun = time.monotonic()
    for array in arrays:
        world.save(array=array)
    while len(world.writer.written) < world.count:
        assert time.monotonic() < begun + 60 and world.writer.failure is None
        time.sleep(0.001)


def test_small_ones_are_stored_together(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.writer.linger_s = 1.0
    world.writer.wait()     # it knows by now
    save_and_watch(world, *[np.full(10, number) for number in range(5)])
    assert len(world.archive.store.packs()) <= 2


def test_large_ones_do_not_wait(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.writer.linger_s = 3600.0
    world.writer.wait()
    world.save(array=np.zeros(1))
    save_and_watch(world, np.arange(1 << 20))
    assert len(world.written()) == 2


def test_what_waits_is_stored_at_the_end(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.writer.linger_s = 3600.0
    for number in range(3):
        world.save(array=np.full(10, number))
    world.writer.close()
    assert len(world.writer.written) == 3
    world.writer.close()
