"""Large memory that the script's beginning fills is kept by its hash, and taken on only where it is what it was."""

from __future__ import annotations

import hashlib
import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rex.hindsight.capture.graph import walk_roots
from rex.hindsight.capture.memory import Sizer, chunk_digests
from rex.hindsight.capture.shapes import Cannot
from rex.hindsight.policy.remade import Remade
from rex.state.pages import open_watch
from rex.state.versions import CHUNK_BYTES

from .worlds import World

MOST_BYTES = 1 << 30     # to hash at once
DATA = np.frombuffer(hashlib.shake_256(b"data").digest(2 << 20), np.uint8)


def begun(world: World, **roots: Any) -> Remade:
    """What is known of the values when the outermost loop begins."""
    sizer, remade = Sizer(), Remade(world.writer.unwritten)
    walk_roots(world.shapes, sizer, sorted(roots.items()))
    remade.note(sizer.large, MOST_BYTES)
    return remade


def large_of(data: Any) -> tuple[int, int]:
    return data.ctypes.data, data.nbytes


def mapped() -> Any:
    """The data in memory of their own: another test's watch may still have what the heap gives."""
    data = np.frombuffer(mmap.mmap(-1, len(DATA), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), np.uint8)
    data[:] = DATA
    return data


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


def without_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rex.state.unwritten.open_watch", lambda: None)


needs_watch = pytest.mark.skipif(open_watch() is None, reason="this kernel does not report written pages")


@needs_watch
def test_watched_data_are_not_hashed_before_a_checkpoint(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    data, hashed = mapped(), []
    monkeypatch.setattr("rex.hindsight.policy.remade.chunk_digests",
                        lambda address, size_bytes: hashed.append(size_bytes) or chunk_digests(address, size_bytes))
    remade = begun(world, data=data)
    assert sum(hashed) <= 2 * CHUNK_BYTES
    assert remade.unchanged_bytes([large_of(data)]) == data.nbytes
    assert sum(hashed) <= 2 * CHUNK_BYTES
    assert remade.digests(large_of(data)) == chunk_digests(*large_of(data))


@pytest.mark.parametrize("is_watched", [pytest.param(True, marks=needs_watch), False])
@pytest.mark.parametrize("place", [0, len(DATA) // 2, len(DATA) - 1])
def test_data_written_before_the_first_checkpoint_are_stored(
        world: World, place: int, is_watched: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_watched:
        without_watch(monkeypatch)
    data = mapped()
    remade = begun(world, data=data)
    data[place] ^= 1
    changed = data.copy()
    assert not remade.digests(large_of(data))
    assert large_of(data) not in remade
    world.save(remade, data=data)
    data[:] = 0
    assert (world.restore(0, data=data)["data"] == changed).all()


@needs_watch
def test_what_lies_beside_data_may_change(world: World) -> None:
    whole = mapped()
    data = whole[100:-100]
    remade = Remade(world.writer.unwritten)
    remade.note([large_of(data)], 0)
    whole[:100] = whole[-100:] = 0
    assert remade.digests(large_of(data)) == chunk_digests(*large_of(data))


@needs_watch
def test_a_later_loop_begins_anew(world: World) -> None:
    data = mapped()
    remade = begun(world, data=data)
    data[:] = 3
    remade.note([large_of(data)], MOST_BYTES)
    assert remade.digests(large_of(data))


@needs_watch
def test_watched_data_that_are_to_be_stored_are_whole(world: World) -> None:
    """The first checkpoint earned enough to store all: nothing is taken as known that was only watched."""
    data = mapped()
    remade = begun(world, data=data)
    remade.clear()
    for _ in range(3):
        world.save(remade, data=data)
    data[:] = 0
    assert (world.restore(2, data=data)["data"] == DATA).all()


def test_unwatched_data_beyond_the_limit_are_not_noted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    without_watch(monkeypatch)
    data, remade = mapped(), Remade(world.writer.unwritten)
    remade.note([large_of(data)], len(DATA) - 1)
    assert large_of(data) not in remade
