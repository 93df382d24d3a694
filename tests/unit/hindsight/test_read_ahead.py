"""What is read ahead for a worker: the same as it would read, in the order of the run, and never more than a help."""

from __future__ import annotations

import os
import shutil
import threading
import time
from typing import Any, Iterable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rex.hindsight.capture.chunks import ChunkReader
from rex.hindsight.capture.graph import encode_snapshot, walk_roots
from rex.hindsight.capture.memory import CHUNK_BYTES, Hasher
from rex.hindsight.capture.restore import restore
from rex.hindsight.capture.tables import StoredMemory, decode_table
from rex.hindsight.replay.launch import wanted_by
from rex.hindsight.run.read_ahead import Ahead, Wanted, send
from rex.hindsight.run.room import Ends, make_ends
from rex.state.store import read_content

from .test_plan import make_run, plan
from .worlds import World

ALL = 1 << 20


def train(world: World, epochs: int) -> list[np.ndarray]:
    """Checkpoints of weights that change and of data that do not; the weights at each."""
    weights, data = np.random.default_rng(0).normal(size=CHUNK_BYTES // 8 + 100), np.arange(10_000)
    was = []
    for epoch in range(epochs):
        weights += 0.001 * weights
        was.append(weights.copy())
        world.save(weights=weights, data=data, epoch=epoch)
    return was


def begin(world: World, wanted: Iterable[Wanted], at_most: int = ALL) -> Ahead:
    """Read ahead; the pipe breaks after so many bytes."""
    ours, theirs = make_ends()
    path = world.archive.path
    if at_most == ALL:
        threading.Thread(target=send, args=(path, list(wanted), ours), daemon=True).start()
        return Ahead(theirs)
    read_end, write_end = os.pipe()
    with open(theirs.heads, "rb") as heads, open(write_end, "wb") as broken:
        send(path, list(wanted), ours)
        broken.write(heads.read()[:at_most])
    return Ahead(Ends(read_end, theirs.done, theirs.room))


def wanted(world: World, *is_taken_on: bool) -> list[Wanted]:
    return [Wanted(10 * number, checkpoint, is_on) for number, (checkpoint, is_on) in enumerate(zip(world.written(), is_taken_on))]


@pytest.mark.parametrize("room_bytes", [CHUNK_BYTES + 100_000, 2 * CHUNK_BYTES + 10_000, 5 * CHUNK_BYTES // 2, 1 << 28])
def test_each_state_comes_as_it_is_stored(world: World, room_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rex.hindsight.run.room.ROOM_BYTES", room_bytes)
    was = train(world, 6)
    ahead = begin(world, wanted(world, *[True] * 6))
    time.sleep(0.2)      # the reader comes as far as there is room
    live = {"weights": np.zeros_like(was[0]), "data": np.arange(10_000), "epoch": 0}

    class Unread(ChunkReader):
        def read(self, place: object, digest: bytes) -> bytes:
            raise AssertionError("it was not sent")

    for number in range(6):
        found = ahead.take(10 * number)
        assert found and found.snapshot
        assert encode_snapshot(found.snapshot) == read_content(world.archive, world.written()[number].structure)
        values, build = restore(found.snapshot, world.shapes, sorted(live.items()),
                                StoredMemory(decode_table(found.table), Unread(world.archive.store), found.chunks))
        build.finish()
        assert values["weights"] is live["weights"] and (live["weights"] == was[number]).all() and values["epoch"] == number
        live = values
    assert ahead.take(60) is None


def test_what_did_not_change_is_sent_once(world: World) -> None:
    train(world, 3)
    ahead = begin(world, wanted(world, True, True, True))
    sizes = [sum(map(len, ahead.take(10 * number).chunks.values())) for number in range(3)]   # type: ignore[union-attr]
    assert sizes[0] - sizes[1] == 80_000 and sizes[1] == sizes[2] == CHUNK_BYTES + 800


PLAIN = st.sampled_from([0, 1, 1.0, True, -0.0, 0.0, float("nan"), None, "a", "text", b"b"])
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b c", 1]), inner, max_size=3),
                      max_leaves=6)


@given(st.lists(st.tuples(st.dictionaries(st.sampled_from("abc"), VALUES), st.booleans(), st.booleans()), max_size=6))
@example([({"a": [each]}, True, True) for each in (1, True, 1.0, 0.0, -0.0)])     # equal, but not the same
@settings(max_examples=40, deadline=None)
def test_any_states_come_as_they_are(tmp_path_factory: pytest.TempPathFactory, states: list[tuple[dict[str, Any], bool, bool]]) -> None:
    world = World(tmp_path_factory.mktemp("states"))
    try:
        for state, _, _ in states:
            world.save(**state)
        ahead = begin(world, wanted(world, *[is_taken_on for _, is_taken_on, _ in states]))
        for number, (state, _, is_asked_for) in enumerate(states):
            if not is_asked_for:     # the worker passes over it
                continue
            found = ahead.take(10 * number)
            assert found is not None
            stored = read_content(world.archive, world.written()[number].structure)
            assert (encode_snapshot(found.snapshot) if found.snapshot else found.structure) == stored
            assert found.is_like(walk_roots(world.shapes, Hasher(), sorted(state.items())))
    finally:
        world.close()


def test_what_is_only_compared_comes_without_memory(world: World) -> None:
    train(world, 2)
    found = begin(world, wanted(world, False, True)).take(0)
    assert found and not found.chunks and not found.table
    weights = np.random.default_rng(0).normal(size=CHUNK_BYTES // 8 + 100)
    weights += 0.001 * weights
    roots = sorted({"weights": weights, "data": np.arange(10_000), "epoch": 0}.items())
    assert not found.is_like(walk_roots(world.shapes, Hasher(), roots[1:]))
    assert found.is_like(walk_roots(world.shapes, Hasher(), roots))


def test_the_worker_may_pass_over_some_and_come_too_late(world: World) -> None:
    train(world, 5)
    ahead = begin(world, wanted(world, *[True] * 5))
    assert ahead.take(5) is None and ahead.take(0) is None      # 10 is next
    assert ahead.take(30) is not None and ahead.take(20) is None and ahead.take(40) is not None
    assert ahead.take(41) is None


def test_what_is_larger_than_the_room_the_worker_reads_itself(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rex.hindsight.run.room.ROOM_BYTES", CHUNK_BYTES)
    train(world, 2)
    ahead = begin(world, wanted(world, False, True))
    assert ahead.take(0) is not None and ahead.take(10) is None


@pytest.mark.parametrize("at_most", [0, 5, 28, 55])
def test_a_pipe_that_breaks_is_no_help_and_no_harm(world: World, at_most: int) -> None:
    train(world, 2)
    ahead = begin(world, wanted(world, True, True), at_most)
    assert ahead.take(0) is None and ahead.take(10) is None and ahead.take(0) is None


def test_a_damaged_archive_ends_what_is_sent(world: World) -> None:
    train(world, 3)
    to_send = wanted(world, True, True, True)
    shutil.rmtree(os.path.join(world.archive.path, "packs"))
    assert begin(world, to_send).take(0) is None


def test_a_worker_that_ends_lets_the_sender_go(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    train(world, 20)
    monkeypatch.setattr("rex.hindsight.run.room.ROOM_BYTES", 3 * CHUNK_BYTES)
    ours, theirs = make_ends()
    thread = threading.Thread(target=send, args=(world.archive.path, wanted(world, *[True] * 20), ours))
    thread.start()
    os.read(theirs.heads, 100)
    theirs.close()
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.parametrize("first, more, is_worth_it", [(1 << 20, 10_000, False), (5 << 20, 0, True), (1 << 20, 1 << 20, True)])
def test_what_is_little_is_the_worker_s_to_read(first: int, more: int, is_worth_it: bool) -> None:
    run = make_run(6)
    for border in run.borders:
        if border.checkpoint:
            border.checkpoint.size_bytes, border.checkpoint.stored_bytes = first, more
    made = plan(run, {"m#1"}, jobs=1, hot={"m#0"})
    assert bool(wanted_by(made, made.pieces[0])) is is_worth_it


def test_a_plan_tells_what_its_workers_come_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rex.hindsight.replay.launch._WORTH_BYTES", 0)
    run = make_run(6)
    made = plan(run, {"m#1"}, jobs=2, hot={"m#0"})
    for piece in made.pieces:
        found = wanted_by(made, piece)
        assert [each.checkpoint for each in found] == [run.borders[each.border].checkpoint for each in found]
        assert all(each.is_taken_on == ("m#1.0!" in each.checkpoint.position or each.checkpoint.position == piece.start)
                   for each in found)
    passed = [each.border for piece in made.pieces for each in wanted_by(made, piece)]
    assert passed == sorted(passed) and {n for n, b in enumerate(run.borders) if "m#1.0!" in b.position} <= set(passed)
    assert not wanted_by(plan(make_run(6, why="a socket"), {"m#1"}), made.pieces[0])
