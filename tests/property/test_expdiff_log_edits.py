"""Oracles for comparing logs: known edits are found exactly, joining equals concatenating, no side is special."""

from __future__ import annotations

import random
from typing import Iterator

import pytest

from rex.expdiff.canonical import Canonical
from rex.expdiff.resync import CHANGED, SAME, SKIPPED_LEFT, SKIPPED_RIGHT, Step, resynchronise
from rex.expdiff.spool import Entry
from rex.expdiff.trace import Trace
from rex.log import Event
from rex.log.records import IN, OUT, RESOLVED, TASK
from rex.syscalls import BY_NAME

MIRROR = {SKIPPED_LEFT: SKIPPED_RIGHT, SKIPPED_RIGHT: SKIPPED_LEFT}


def draw_edits(draw: random.Random, length: int) -> tuple[list[Entry], list[Entry], list[tuple[str, int]]]:
    """Two sequences of different keys, and the edits that lead from one to the other."""
    left: list[Entry] = []
    right: list[Entry] = []
    edits: list[tuple[str, int]] = []
    rate = draw.choice((0.01, 0.1, 0.5))
    for key in range(length):
        kind = draw.choice((CHANGED, SKIPPED_LEFT, SKIPPED_RIGHT)) if draw.random() < rate else SAME
        for _ in range(draw.choice((1, 1, 1, 9)) if kind != SAME else 1):
            key = draw.getrandbits(60)
            if kind != SKIPPED_RIGHT:
                left.append((key, 1, len(left)))
            if kind != SKIPPED_LEFT:
                right.append((key, 2 if kind == CHANGED else 1, len(right)))
            if kind != SAME:
                edits.append((kind, key))
    return left, right, edits


def told(steps: Iterator[Step]) -> list[tuple[str, int]]:
    """What a comparison says, in order."""
    return [(step.kind, (step.left or step.right)[0]) for step in steps if step.kind != SAME]   # type: ignore[index]


@pytest.mark.parametrize("seed", range(40))
def test_known_edits_are_found_exactly(seed: int) -> None:
    left, right, edits = draw_edits(random.Random(seed), 400)
    found = told(resynchronise(left, right, 512))
    assert sorted(found) == sorted(edits)
    mirrored = told(resynchronise(right, left, 512))
    assert sorted(mirrored) == sorted((MIRROR.get(kind, kind), key) for kind, key in edits)


@pytest.mark.parametrize("seed", range(40))
def test_repeated_keys_lose_nothing_and_no_side_is_special(seed: int) -> None:
    draw = random.Random(seed)
    left, right = ([(draw.randrange(12), draw.randrange(2), place) for place in range(draw.randrange(300))]
                   for _ in range(2))
    for window in (1, 3, 64):
        steps = list(resynchronise(left, right, window))
        assert [step.left for step in steps if step.left] == left
        assert [step.right for step in steps if step.right] == right
        assert all((step.left[0] == step.right[0]) for step in steps if step.left and step.right)
        mirrored = [(MIRROR.get(step.kind, step.kind), step.right, step.left)
                    for step in resynchronise(right, left, window)]
        ours = [(step.kind, step.left, step.right) for step in steps]
        assert sorted(mirrored, key=repr) == sorted(ours, key=repr)


def trace_of(events: list[Event]) -> Trace:
    """The trace of a log of one task."""
    first = Event(TASK, args=(2**32 - 1, 0, 0, 7, 7, 0))
    return Canonical("/w").read([first, *events])


def moves(draw: random.Random, stream: int, data: bytes, is_read: bool) -> list[Event]:
    """The bytes in pieces of any size, with failed calls and ends of file between them."""
    found, at = [], 0
    while at < len(data) or draw.random() < 0.3:
        if draw.random() < 0.3:
            found.append(Event(BY_NAME["read" if is_read else "write"].nr, result=draw.choice((-11, -4, 0)),
                               args=(0, draw.getrandbits(40), 9, 0, 0, 0), stream=stream))
        piece = data[at:at + draw.randrange(1, 20)]
        at += len(piece)
        if piece:
            name = draw.choice(("read", "readv") if is_read else ("write", "writev"))
            found.append(Event(BY_NAME[name].nr, result=len(piece), stream=stream,
                               fields=((1, OUT if is_read else IN, piece),)))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_joining_equals_comparing_concatenated_streams(seed: int) -> None:
    draw = random.Random(seed)
    data = bytes(draw.choices(b"ab", k=draw.randrange(1, 200)))
    other = data if draw.random() < 0.5 else data[:-1] + b"c"
    for stream, is_read in ((1, True), (2, False)):
        left, right = (trace_of(moves(draw, stream, each, is_read)) for each in (data, other))
        kinds = [step.kind for step in resynchronise(left.entries.entries(0), right.entries.entries(0))]
        assert kinds == [SAME if data == other else CHANGED]
        flows = [next(iter(trace.flows.values())) for trace in (left, right)]
        assert (flows[0].sha256 == flows[1].sha256) == (data == other)
        assert flows[0].head == data and flows[0].is_whole


@pytest.mark.parametrize("seed", range(20))
def test_edits_of_logs_are_found_through_the_canonical_form(seed: int) -> None:
    draw = random.Random(seed)
    sides: tuple[list[Event], list[Event]] = ([], [])
    edits: list[tuple[str, str]] = []
    for number in range(200):
        kind = draw.choice((CHANGED, SKIPPED_LEFT, SKIPPED_RIGHT)) if draw.random() < 0.1 else SAME
        path = b"/x/%d" % number
        if kind != SAME:
            edits.append((kind, path.decode()))
        for side, events in enumerate(sides):
            if kind == (SKIPPED_RIGHT, SKIPPED_LEFT)[side]:
                continue
            stat = bytearray(draw.randbytes(144))   # inode, times: by nature
            stat[24:36], stat[48:56] = b"\xa4\x81" + bytes(10), bytes(8)
            stat[48] = 7 if kind == CHANGED and side else 0
            events.append(Event(BY_NAME["stat"].nr, args=(draw.getrandbits(40), draw.getrandbits(40), 0, 0, 0, 0),
                                fields=((0, IN, path), (0, RESOLVED, path), (1, OUT, bytes(stat)))))
            if draw.random() < 0.3:
                events.append(Event(BY_NAME["stat"].nr, result=-2, fields=((0, IN, b"/nowhere"),)))
            if draw.random() < 0.3:
                events.append(Event(BY_NAME["clock_gettime"].nr, fields=((1, OUT, draw.randbytes(16)),)))
    traces = [trace_of(events) for events in sides]
    names = [{number + 1: event.data(IN) for number, event in enumerate(events)} for events in sides]
    found = [(step.kind, (names[0][step.left[2]] if step.left else names[1][step.right[2]]).decode())
             for step in resynchronise(*(trace.entries.entries(0) for trace in traces)) if step.kind != SAME]
    assert sorted(found) == sorted(edits)


def test_long_divergence_is_not_quadratic() -> None:
    count = 60_000
    left = [(2 * n, 0, n) for n in range(count)]
    right = [(2 * n + 1, 0, n) for n in range(count)]
    assert sum(1 for _ in resynchronise(left, right, 4096)) == 2 * count
    block = left[:1000] + [(1 << 40 | n, 0, n) for n in range(3000)] + left[1000:]
    assert sum(step.kind == SAME for step in resynchronise(left, block, 4096)) == count
