"""A record that stands for several calls of its task, which follow each other and are equal but for a time or a counter."""

from __future__ import annotations

import struct

from rex.hints import Iterator
from rex.log.records import REPEATED, REPEATS, TSC, Event

_TIME = struct.Struct("<QQ")
# Their numbers: the table of calls would take a short command longer to import than all else here.
_UNITS = {228: 10**9, 96: 10**6}        # clock_gettime, gettimeofday: what a second has of the second number
_TIME_CALL = 201
_WORD = 2**64
_MORE = bytes(range(128, 256))


def times_in(event: Event) -> int:
    """How many calls the event of a record stands for."""
    return 1 + len((_growths(event) or b"").translate(None, _MORE))


def events_in(event: Event) -> Iterator[Event]:
    """Each call of a record as an event, in their order."""
    growths = _growths(event)
    if growths is None:
        yield event
        return
    fields, result = event.fields[:-1], event.result
    unit = _UNITS.get(event.call, 0) if len(fields) == 1 and len(fields[0][2]) == _TIME.size else 0
    counts = not fields and event.call in (_TIME_CALL, TSC)
    value = 0
    if unit:
        seconds, rest = _TIME.unpack(fields[0][2])
        value = seconds * unit + rest
    one = Event(event.call, event.task, result, event.args, fields, event.flags & ~REPEATED, event.stream, event.time_ns)
    yield one
    for growth in _numbers(growths):
        if unit:
            value = (value + growth) % _WORD
            fields = ((*fields[0][:2], _TIME.pack(value // unit, value % unit)),)
        elif counts:
            result = (result + growth + _WORD // 2) % _WORD - _WORD // 2
        if growth and (unit or counts):
            one = Event(one.call, one.task, result, one.args, fields, one.flags, one.stream, one.time_ns)
        yield one


def _growths(event: Event) -> bytes | None:
    is_repeated = event.flags & REPEATED and event.fields and event.fields[-1][1] == REPEATS
    return event.fields[-1][2] if is_repeated else None


def _numbers(data: bytes) -> Iterator[int]:
    """Numbers of 7 bits a byte, the lowest first; the highest bit says that more follow.  An unfinished one is none."""
    number = shift = 0
    for byte in data:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield number % _WORD
            number = shift = 0
