"""Reading logs: whole, unfinished, damaged, hostile."""

from __future__ import annotations

import io
import random
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from rex import codec
from rex.errors import Damaged, RexError, TooNew
from rex.log import Event, LogReader, LogWriter
from rex.log.records import EVENT, FINISHED, HEADER, MAGIC, VERSION, encode

fields = st.tuples(st.sampled_from([0, 1, 5, 255]), st.integers(1, 11), st.binary(max_size=40))
events = st.builds(
    Event, call=st.integers(0, 2**16 - 1), task=st.integers(0, 2**32 - 1),
    result=st.integers(-2**63, 2**63 - 1),
    args=st.tuples(*[st.integers(0, 2**64 - 1)] * 6),
    fields=st.lists(fields, max_size=4).map(tuple), flags=st.integers(0, 2**16 - 1),
    stream=st.integers(0, 2**32 - 1), time_ns=st.integers(0, 2**64 - 1))


def log_bytes(items: list[Event], flags: int = FINISHED) -> bytes:
    return HEADER.pack(MAGIC, 1, flags, 7, len(items)) + b"".join(map(encode, items))


def read(data: bytes) -> list[Event]:
    return list(LogReader(io.BytesIO(data)))


SOME = [Event(n, fields=((0, 1, b"x" * n),)) for n in range(50)]


@settings(max_examples=60, deadline=None)
@given(st.lists(events, max_size=12))
def test_what_is_written_is_read(items: list[Event]) -> None:
    assert read(log_bytes(items)) == items


@pytest.mark.parametrize("seed", range(20))
def test_a_choice_of_calls_is_all_of_them_between_loops_of_others(seed: int) -> None:
    draw = random.Random(seed)
    items = [Event(draw.choice([1, 2, 3]), fields=((0, 1, b"x" * draw.choice([1, 9, 300]),),))
             for _ in range(9)]
    items = [item for item in items for _ in range(draw.choice([1, 2, 64, 130, 3000]))]
    chosen = {draw.choice([1, 2, 3, 4])}
    with LogReader(io.BytesIO(log_bytes(items))) as reader:
        assert list(reader.select(chosen)) == [item for item in items if item.call in chosen]


def test_compressed_logs_read_the_same(tmp_path: Path) -> None:
    many = SOME * 400
    with LogWriter(tmp_path / "log", start_ns=3) as writer:
        for event in many:
            writer.append(event)
    (tmp_path / "log.zst").write_bytes(codec.compress((tmp_path / "log").read_bytes(), 3))
    for name in ("log", "log.zst"):
        with LogReader(tmp_path / name) as reader:
            assert (reader.start_ns, reader.count) == (3, len(many))
            assert reader.is_finished and list(reader) == many


def test_records_larger_than_the_buffer(tmp_path: Path) -> None:
    items = [Event(1, fields=((0, 1, bytes([n]) * 700_001),)) for n in range(3)]
    assert read(log_bytes(items)) == items


def test_an_unfinished_log_ends_at_its_last_whole_record() -> None:
    data = log_bytes(SOME, flags=0)
    whole = HEADER.size
    for count, event in enumerate(SOME[:6]):
        size = len(encode(event))
        for cut in (whole, whole + 1, whole + size - 1):
            assert read(data[:cut]) == SOME[:count]
        whole += size
    assert read(data + bytes(4096)) == SOME


def test_a_finished_log_must_be_whole() -> None:
    data = log_bytes(SOME)
    for bad in (data[:-1], data[:-len(encode(SOME[-1]))], data + bytes(80), data + b"\0"):
        with pytest.raises(Damaged, match="offset"):
            read(bad)


def test_damage_names_its_offset() -> None:
    data = bytearray(log_bytes(SOME))
    at = HEADER.size + len(encode(SOME[0])) + len(encode(SOME[1]))
    data[at:at + 4] = (81).to_bytes(4, "little")
    with pytest.raises(Damaged, match=f"offset {at}"):
        read(bytes(data))


def test_headers() -> None:
    for bad in (b"", b"REXLOG", b"x" * 32, HEADER.pack(MAGIC, 0, 0, 0, 0)):
        with pytest.raises(Damaged):
            read(bad)
    with pytest.raises(TooNew, match=f"version {VERSION + 1}"):
        read(HEADER.pack(MAGIC, VERSION + 1, 0, 0, 0))


def test_a_lying_size_costs_no_memory() -> None:
    data = HEADER.pack(MAGIC, 1, 0, 0, 0) + EVENT.pack(0x7FFF0000, *[0] * 12)
    tracemalloc.start()
    try:
        assert read(data) == []
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("flags", [0, FINISHED])
@pytest.mark.parametrize("is_compressed", [False, True])
def test_mutated_logs_never_crash_the_reader(tmp_path: Path, flags: int,
                                             is_compressed: bool) -> None:
    choose = random.Random(11)
    good = log_bytes(SOME[:20], flags)
    if is_compressed:
        good = codec.compress(good, 3)
    path = tmp_path / "log"
    for _ in range(400):
        data = bytearray(good)
        for _ in range(choose.randint(1, 5)):
            at = choose.randrange(len(data))
            what = choose.randrange(3)
            if what == 0:
                data[at] = choose.choice([0, 1, 0x7F, 0xFF, choose.randrange(256)])
            elif what == 1:
                del data[at:at + choose.randint(1, 40)]
            else:
                data[at:at] = choose.randbytes(choose.randint(1, 40))
            if not data:
                data = bytearray(b"\0")
        path.write_bytes(data)
        try:
            with LogReader(path) as reader:
                for event in reader:
                    assert isinstance(event, Event)
        except RexError:
            pass
