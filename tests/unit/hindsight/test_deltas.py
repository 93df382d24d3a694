"""What checkpoints stored is read as it was, also where an older version stored it as a difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xxhash

from rex.errors import Damaged
from rex.hindsight.capture.deltas import ChunkReader, Place, decode

from .worlds import World


def encode(data: bytes, base: bytes, item_bytes: int) -> bytes:
    """As older versions stored a chunk: xor with another one, the first bytes of all numbers together, then the second ones."""
    mixed = np.frombuffer(data, np.uint8) ^ np.frombuffer(base, np.uint8)
    return mixed.reshape(-1, item_bytes).T.tobytes()


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i4"])
@pytest.mark.parametrize("seed", range(5))
def test_a_difference_is_undone(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = (rng.normal(size=1000) * 100).astype(kind)
    other = (one * (1 + 1e-3 * rng.normal(size=1000))).astype(kind)
    assert decode(encode(other.tobytes(), one.tobytes(), one.itemsize), one.tobytes(), one.itemsize) == other.tobytes()


def test_sizes_that_do_not_match_are_refused() -> None:
    with pytest.raises(ValueError):
        decode(bytes(12), bytes(8), 4)
    with pytest.raises(ValueError):
        decode(bytes(7), bytes(7), 4)
    with pytest.raises(ValueError):
        decode(bytes(6), bytes(6), 3)


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
    one = np.linspace(1, 2, 512).astype("f4").tobytes()
    other = (np.linspace(1, 2, 512) * 1.0001).astype("f4").tobytes()
    encoded = encode(other, one, 4)

    class Store:
        """Objects by name, and what a damaged first copy of them is."""

        def __init__(self, damaged: dict[bytes, bytes]) -> None:
            self.damaged = damaged

        def read_object(self, name: bytes, is_proved: bool = True) -> bytes:
            whole = {b"one": one, b"other": encoded}[name]
            return whole if is_proved else self.damaged.get(name, whole)

    digest, place = xxhash.xxh3_128_digest(other), Place(b"other", b"one", 4)
    for damaged in ({}, {b"other": bytes(len(encoded))}, {b"one": bytes(len(one))}):
        assert bytes(ChunkReader(Store(damaged)).read(place, digest)) == other
    with pytest.raises(Damaged):
        ChunkReader(Store({})).read(place, xxhash.xxh3_128_digest(one))
