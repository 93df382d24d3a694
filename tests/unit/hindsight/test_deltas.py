"""Differences to earlier checkpoints: exact, and only where they pay."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest
import xxhash

from rex.errors import Damaged
from rex.hindsight.capture import deltas
from rex.hindsight.capture.deltas import LIFETIME, Bases, ChunkReader, Place, decode, encode

from .worlds import World


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i4"])
@pytest.mark.parametrize("seed", range(5))
def test_a_difference_is_undone(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = (rng.normal(size=1000) * 100).astype(kind)
    other = (one * (1 + 1e-3 * rng.normal(size=1000))).astype(kind)
    encoded = encode(other.tobytes(), one.tobytes(), one.itemsize)
    assert encoded is not None and decode(encoded, one.tobytes(), one.itemsize) == other.tobytes()
    if kind in ("f4", "f8"):
        assert len(zlib.compress(encoded, 1)) < 0.85 * len(zlib.compress(other.tobytes(), 1))


def test_what_is_not_alike_is_stored_whole() -> None:
    rng = np.random.default_rng(0)
    assert encode(rng.bytes(4000), rng.bytes(4000), 4) is None


def test_sizes_that_do_not_match_are_refused() -> None:
    with pytest.raises(ValueError):
        decode(bytes(12), bytes(8), 4)
    with pytest.raises(ValueError):
        decode(bytes(7), bytes(7), 4)
    with pytest.raises(ValueError):
        decode(bytes(6), bytes(6), 3)


def test_bases_are_replaced_and_never_differences_themselves() -> None:
    bases, data = Bases(), np.linspace(1, 2, 512).astype("f4")
    whole = []
    for number in range(2 * LIFETIME + 2):
        found = bases.shorten(7, memoryview(data.tobytes()), 4)
        if found is None:
            whole.append(number)
            bases.learn(7, data.tobytes(), bytes([number]), 4)
        else:
            assert found[1].sha256 == bytes([whole[-1]])
            assert decode(found[0], found[1].data, 4) == data.tobytes()
        data = data * np.float32(1.001)
    assert whole == [0, LIFETIME + 1]


def test_bases_take_no_more_memory_than_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deltas, "BASES_BYTES", 1000)
    bases = Bases()
    for address in range(50):
        bases.learn(address % 20, bytes(100 + address), b"", 4)
        assert bases._held_bytes == sum(len(each.data) for each in bases._bases.values()) <= 1000


def train(rng: Any, weights: list[Any]) -> None:
    for array in weights:
        array += (1e-3 * rng.normal(size=array.shape) * array).astype(array.dtype)


def test_every_checkpoint_of_a_training_is_exact(world: World) -> None:
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=n).astype(kind) for n, kind in
               ((400_000, "f4"), (70_001, "f8"), (33, "f4"), (300_003, "f2"), (50_000, "i8"))]
    kept = []
    for _ in range(LIFETIME + 4):
        train(rng, weights)
        kept.append([array.copy() for array in weights])
        world.save(weights=weights)
    for number in rng.permutation(len(kept)):
        found = world.restore(int(number), weights=weights)["weights"]
        assert all((a == b).all() for a, b in zip(found, kept[number])) and found is weights
    places = [place for each in world.written() for _, places, _ in world.table(each).values() for place in places]
    bases = {place.sha256 for place in places if not place.base}
    assert any(place.base for place in places) and all(place.base in bases for place in places if place.base)


def test_a_chunk_is_verified_and_another_copy_asked_for() -> None:
    """The first copy is damaged: the store looks for another when it is asked to prove what it reads."""
    one = np.linspace(1, 2, 512).astype("f4").tobytes()
    other = (np.linspace(1, 2, 512) * 1.0001).astype("f4").tobytes()
    encoded = encode(other, one, 4)
    assert encoded is not None

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
