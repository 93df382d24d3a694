"""Logs with their times apart: exact for any bytes, small for logs, and refused when hurt."""

from __future__ import annotations

import io
import random
import struct

import pytest
from hypothesis import given, settings, strategies as st

from rex import codec
from rex.archive import apart
from rex.errors import RexError

HEADER = struct.pack("<8sIIQQ", b"REXLOG\r\n", 1, 1, 5, 0)


def record(time: int, words: int = 0, fill: int = 7) -> bytes:
    """A record as docs/formats/log.md has it."""
    return struct.pack("<IHHIIqQ6Q", 80 + 8 * words, 257, 0, 0, 0, -2, time, 1, 2, 3, 4, 5, fill) + bytes([fill]) * 8 * words


def stored(log: bytes) -> bytes:
    blocks = apart.separate(io.BytesIO(log))
    assert blocks is not None
    return b"".join(blocks)


def joined(data: bytes) -> bytes:
    with apart.join(io.BytesIO(data)) as stream:
        return stream.read()


records = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 5)), max_size=30)


@settings(max_examples=200, deadline=None)
@given(records, st.binary(max_size=200))
def test_every_log_comes_back(found: list[tuple[int, int]], rest: bytes) -> None:
    log = HEADER + b"".join([record(time, words) for time, words in found]) + rest
    assert joined(stored(log)) == log


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_behind_a_header_come_back(data: bytes) -> None:
    assert joined(stored(HEADER + data)) == HEADER + data


@pytest.mark.parametrize("data", [b"", b"REXLOG\r\n", b'{"notebook": 1}\n' * 9])
def test_what_is_no_log_of_system_calls(data: bytes) -> None:
    assert apart.separate(io.BytesIO(data)) is None


def test_the_bytes_are_as_documented() -> None:
    log = HEADER + record(0x100) + record(0x105) + record(0x104) + b"rest"
    bare = [log[:32], *(record(0) for _ in range(3))]
    columns = bytes([0, 5, 255, 1, 0, 255]) + bytes([0, 0, 255]) * 6
    assert stored(log) == (struct.pack("<II", 32, 0) + bare[0] + struct.pack("<II", 240, 3) + columns + b"".join(bare[1:])
                           + struct.pack("<II", 4, 0) + b"rest")


def test_blocks_end_between_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_READ_BYTES", 1000)
    monkeypatch.setattr(apart, "MAX_BLOCK_BYTES", 4000)
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
            log.append(record(time, 4, n % 50))
        logs.append(b"".join(log))

    def difference(one: bytes, two: bytes) -> int:
        out = io.BytesIO()
        codec.compress_blocks([two], out, 9, one)
        return out.tell()
    assert difference(*map(stored, logs)) < difference(*logs) / 2


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=4)), max_size=4), st.floats(0, 1.2))
def test_hurt_bytes_are_refused_or_read(changes: list[tuple[float, bytes]], end: float) -> None:
    data = bytearray(stored(HEADER + b"".join([record(n * 5000, n % 3) for n in range(20)])))
    for place, what in changes:
        at = int(place * len(data))
        data[at:at + len(what)] = what
    try:
        assert len(joined(bytes(data[:int(end * len(data))]))) <= len(data)
    except RexError:
        pass


def test_declared_sizes_are_limits() -> None:
    for size, count in ((2**32 - 1, 0), (apart.MAX_BLOCK_BYTES + 1, 0), (80, 2), (2**31, 2**32 - 1)):
        with pytest.raises(RexError):
            joined(struct.pack("<II", size, count))
