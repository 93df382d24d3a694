"""What checkpoints stored is read as it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xxhash

from rex.errors import Damaged
from rex.hindsight.capture.chunks import ChunkReader

from .worlds import World


def train(rng: Any, weights: list[Any]) -> None:
    for array in weights:
        array += (1e-3 * rng.normal(size=array.shape) * array).astype(array.dtype)


def test_every_checkpoint_of_a_training_is_exact(world: World) -> None:
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=n).astype(kind) for n, kind in
               ((400_000, "f4"), (70_001, "f8"), (33, "f4"), (300_003, "f2"), (50_000, "i8"))]
    kept = []
    for _ in range(7):
        train(rng, weights)
        kept.append([array.copy() for array in weights])
        world.save(weights=weights)
    for number in rng.permutation(len(kept)):
        found = world.restore(int(number), weights=weights)["weights"]
        assert all((a == b).all() for a, b in zip(found, kept[number])) and found is weights


def test_a_chunk_is_verified_and_another_copy_asked_for() -> None:
    """The first copy is damaged: the store looks for another when it is asked to prove what it reads."""
    data = np.linspace(1, 2, 512).astype("f4").tobytes()

    class Store:
        """One object, and what a damaged first copy of it is."""

        def __init__(self, first: bytes) -> None:
            self.first = first

        def read_object(self, name: bytes, is_proved: bool = True) -> bytes:
            assert name == b"one"
            return data if is_proved else self.first

    for first in (data, bytes(len(data))):
        assert ChunkReader(Store(first)).read(b"one", xxhash.xxh3_128_digest(data)) == data
    with pytest.raises(Damaged):
        ChunkReader(Store(data)).read(b"one", xxhash.xxh3_128_digest(b"another"))
