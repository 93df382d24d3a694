"""Records that stand for several calls."""

from __future__ import annotations

import io
import struct

import pytest

from rex.log import Event, LogReader
from rex.log.choice import Choice, chosen_events
from rex.log.records import FINISHED, HEADER, MAGIC, NO_ARG, OUT, REPEATED, REPEATS, TSC, VERSION, encode
from rex.log.repeats import events_in, times_in
from rex.syscalls import BY_NAME

CLOCK, OTHER = BY_NAME["clock_gettime"].nr, BY_NAME["getppid"].nr


def time_of(seconds: int, rest: int) -> bytes:
    return struct.pack("<QQ", seconds, rest)


def repeated(call: int, growths: bytes, fields: tuple[tuple[int, int, bytes], ...] = (), result: int = 0) -> Event:
    return Event(call, result=result, fields=(*fields, (NO_ARG, REPEATS, growths)), flags=REPEATED)


def log_of(*events: Event) -> LogReader:
    count = sum(map(times_in, events))
    return LogReader(io.BytesIO(HEADER.pack(MAGIC, VERSION, FINISHED, 0, count) + b"".join(map(encode, events))))


def times(events: list[Event]) -> list[bytes | None]:
    return [event.data(OUT) for event in events]


def test_clock_readings_grow() -> None:
    found = list(events_in(repeated(CLOCK, b"\x05\x80\x01", ((1, OUT, time_of(7, 999_999_990)),))))
    assert times(found) == [time_of(7, 999_999_990), time_of(7, 999_999_995), time_of(8, 123)]
    assert not any(event.flags or len(event.fields) != 1 for event in found)


def test_time_of_day_is_in_microseconds() -> None:
    found = list(events_in(repeated(BY_NAME["gettimeofday"].nr, b"\x01", ((0, OUT, time_of(1, 999_999)),))))
    assert times(found) == [time_of(1, 999_999), time_of(2, 0)]


def test_counter_grows_as_a_result() -> None:
    assert [event.result for event in events_in(repeated(TSC, b"\x01\x7f", result=2**63 - 1))] == [2**63 - 1, -2**63, 127 - 2**63]


def test_other_answers_stay_the_same() -> None:
    assert [event.result for event in events_in(repeated(OTHER, b"\0\0\0", result=9))] == [9] * 4


@pytest.mark.parametrize("growths, count", [(b"", 1), (b"\x80", 1), (b"\xff" * 30 + b"\x01\x80", 2)])
def test_spoilt_growths_make_no_trouble(growths: bytes, count: int) -> None:
    event = repeated(CLOCK, growths, ((1, OUT, time_of(2**64 - 1, 2**64 - 1)),))
    assert len(list(events_in(event))) == times_in(event) == count


def test_a_reader_counts_each_call() -> None:
    readings = repeated(CLOCK, b"\x01\x02", ((1, OUT, time_of(1, 0)),))
    events = list(log_of(Event(OTHER), readings, Event(OTHER)))
    assert [event.call for event in events] == [OTHER, CLOCK, CLOCK, CLOCK, OTHER]
    assert len(list(log_of(Event(OTHER), readings).select({OTHER}))) == 1
    assert len(list(log_of(Event(OTHER), readings).select({CLOCK}))) == 3


def test_calls_of_one_record_have_numbers_of_their_own() -> None:
    reader = log_of(repeated(OTHER, b"\0\0"), Event(TSC), repeated(OTHER, b"\0"))
    assert [number for number, _ in chosen_events(reader, Choice(None, None, None, None, None))] == list(range(6))
