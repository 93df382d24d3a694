"""Logs with their times apart: exact for any bytes, small for logs, and refused when hurt."""

from __future__ import annotations

import io
import random
import struct

import pytest
from hypothesis import given, settings, strategies as st

from rex import codec
from rex.archive import log_columns
from rex.errors import RexError

HEADER = struct.pack("<8sIIQQ", b"REXLOG\r\n", 1, 1, 5, 0)


def record(time: int, words: int = 0, fill: int = 7) -> bytes:
    """A record as docs/formats/log.md has it."""
    return struct.pack("<IHHIIqQ6Q", 80 + 8 * words, 257, 0, 0, 0, -2, time, 1, 2, 3, 4, 5, fill) + bytes([fill]) * 8 * words


def reading(time: int, seconds: int, ns: int, clock: int = 1, kind: int = 1) -> bytes:
    """clock_gettime with its answer."""
    return (struct.pack("<IHHIIqQ6Q", 104, 228, 0, 0, 0, 0, time, clock, 99, 0, 0, 0, 0)
            + struct.pack("<BBHIQQ", 1, kind, 0, 16, seconds, ns))


def stored(log: bytes) -> bytes:
    assert log_columns.is_log(log[:32])
    return log_columns.head(log[:32]) + b"".join(log_columns.separate(io.BytesIO(log[32:])))


def joined(data: bytes) -> bytes:
    with log_columns.join(io.BytesIO(data)) as stream:
        return stream.read()


records = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 5)), max_size=30)


@settings(max_examples=200, deadline=None)
@given(records, st.binary(max_size=200))
def test_every_log_comes_back(found: list[tuple[int, int]], rest: bytes) -> None:
    log = HEADER + b"".join([record(time, words) for time, words in found]) + rest
    assert joined(stored(log)) == log


readings = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.one_of(st.integers(0, 2**64 - 1), st.integers(0, 2**31)),
                              st.one_of(st.integers(0, 10**9 - 1), st.integers(0, 2**64 - 1)), st.integers(0, 3), st.integers(1, 2)))


@settings(max_examples=200, deadline=None)
@given(readings, records)
def test_readings_of_clocks_come_back(clocks: list[tuple[int, int, int, int, int]], found: list[tuple[int, int]]) -> None:
    parts = [reading(*each) for each in clocks] + [record(time, words) for time, words in found]
    random.Random(1).shuffle(parts)
    log = HEADER + b"".join(parts)
    assert joined(stored(log)) == log


def loop(draw: random.Random) -> bytes:
    """Many calls of one kind, as a loop makes them; some are odd."""
    time, ns = draw.randrange(2**40), draw.randrange(10**9)
    parts = []
    for _ in range(draw.choice([3, 60, 64, 70, 200])):
        time += draw.choice([1024, 1024, 1024, 5000, -1])
        ns = (ns + draw.choice([40, 40, 1000])) % 10**9
        is_odd = draw.random() < draw.choice([0, 0, 0.02])
        parts.append(reading(time % 2**64, draw.choice([5, 2**40]) if is_odd else 5, ns + is_odd * draw.choice([0, 10**9]),
                             1 + is_odd * draw.randrange(2), 1 + is_odd * draw.randrange(2)))
    return b"".join(parts)


@pytest.mark.parametrize("seed", range(60))
def test_loops_come_back_and_are_stored_as_single_calls_are(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    log = HEADER + b"".join(draw.choice([loop(draw), record(draw.randrange(2**40), draw.randrange(3)) * draw.choice([1, 65, 300])])
                            for _ in range(draw.randrange(1, 9))) + b"rest"
    found = stored(log)
    assert joined(found) == log
    monkeypatch.setattr(codec, "is_run", lambda words, at: False)
    assert stored(log) == found
    assert joined(found) == log


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_behind_a_header_come_back(data: bytes) -> None:
    assert joined(stored(HEADER + data)) == HEADER + data


@pytest.mark.parametrize("data", [b"", b"REXLOG\r\n", b'{"notebook": 1}\n' * 9])
def test_what_is_no_log_of_system_calls(data: bytes) -> None:
    assert not log_columns.is_log(data[:32])


def test_the_bytes_are_as_documented() -> None:
    log = HEADER + record(0x100) + record(0x105) + record(0x104) + b"rest"
    bare = [log[:32], *(record(0) for _ in range(3))]
    columns = bytes([0, 5, 255, 1, 0, 255]) + bytes([0, 0, 255]) * 6
    assert stored(log) == (struct.pack("<IIII", 32, 0, 0, 0) + bare[0] + struct.pack("<IIII", 240, 3, 0, 0) + columns
                           + b"".join(bare[1:]) + struct.pack("<IIII", 4, 0, 0, 0) + b"rest")
    log = HEADER + reading(7, 1, 5) + reading(7, 0, 3, 0) + reading(7, 1, 4)
    times, clocks = bytes([7, 0, 0]) + bytes(21), (10**9 + 5).to_bytes(8, "little")
    columns = b"".join(bytes([clocks[k], 3 if k == 0 else 0, 255]) for k in range(8))
    assert stored(log)[48:] == struct.pack("<IIII", 312, 3, 3, 0) + times + columns + reading(0, 0, 0) + reading(0, 0, 0, 0) + reading(0, 0, 0)


def test_blocks_end_between_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_columns, "_READ_BYTES", 1000)
    monkeypatch.setattr(log_columns, "MAX_BLOCK_BYTES", 4000)
    sizes = random.Random(3)
    for largest in (20, 120, 900):   # the last is more than a block may have
        log = HEADER + b"".join([record(n << 10, sizes.randrange(largest)) for n in range(60)])
        assert joined(stored(log)) == log


def test_it_pays() -> None:
    choose = random.Random(1)
    logs = []
    for _ in range(2):
        time, log = 0, [HEADER]
        for n in range(4000):
            time += choose.randrange(3000, 60_000) & ~1023
            log.append(record(time, 4, n % 50) if n % 3 else reading(time, 50, time + choose.randrange(500)))
        logs.append(b"".join(log))

    def difference(one: bytes, two: bytes) -> int:
        out = io.BytesIO()
        codec.compress_blocks([two], out, 9, one)
        return out.tell()
    assert difference(*map(stored, logs)) < difference(*logs) / 2


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=4)), max_size=4), st.floats(0, 1.2))
def test_hurt_bytes_are_refused_or_read(changes: list[tuple[float, bytes]], end: float) -> None:
    data = bytearray(stored(HEADER + b"".join([record(n * 5000, n % 3) for n in range(20)] + [reading(n, n, n) for n in range(9)])))
    for place, what in changes:
        at = int(place * len(data))
        data[at:at + len(what)] = what
    try:
        assert len(joined(bytes(data[:int(end * len(data))]))) <= len(data)
    except RexError:
        pass


def test_declared_sizes_are_limits() -> None:
    for head in ((2**32 - 1, 0, 0, 0), (log_columns.MAX_BLOCK_BYTES + 1, 0, 0, 0), (80, 2, 0, 0), (2**31, 2**32 - 1, 0, 0), (80, 0, 1, 0)):
        with pytest.raises(RexError):
            joined(struct.pack("<IIII", *head))
    log = stored(HEADER + reading(7, 1, 5))
    for wrong in (struct.pack("<IIII", 104, 1, 0, 0) + bytes(8), struct.pack("<IIII", 80, 1, 1, 0) + bytes(16)):
        with pytest.raises(RexError):
            joined(log[:48] + wrong + log[80:])
