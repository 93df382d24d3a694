"""Events as bytes, exactly as docs/formats/log.md says."""

from __future__ import annotations

import struct

import pytest

from rex.errors import Damaged
from rex.log import records
from rex.log.records import Event


def test_layout_is_the_documented_one() -> None:
    event = Event(call=257, task=3, result=-2, args=(1, 2, 3, 4, 5, 2**64 - 1),
                  fields=((1, records.IN, b"/etc/x"), (255, records.TEXT, b"")),
                  stream=7, time_ns=99)
    data = records.encode(event)
    assert data[:32] == struct.pack("<IHHIIqQ", 104, 257, 0, 3, 7, -2, 99)
    assert data[32:80] == struct.pack("<6Q", 1, 2, 3, 4, 5, 2**64 - 1)
    assert data[80:96] == b"\x01\x02\0\0\x06\0\0\0" + b"/etc/x\0\0"
    assert data[96:] == b"\xff\x09\0\0\0\0\0\0"
    assert records.decode(data, 0) == event


def test_fields_are_found_by_type_and_argument() -> None:
    event = Event(0, fields=((0, records.OUT, b"a"), (2, records.OUT, b"b")))
    assert event.data(records.OUT) == b"a"
    assert event.data(records.OUT, 2) == b"b"
    assert event.data(records.IN) is None
    assert event.all_data(records.OUT) == [b"a", b"b"]


@pytest.mark.parametrize("field", [
    struct.pack("<BBHI", 0, 1, 0, 9) + bytes(8),        # longer than the record
    struct.pack("<BBHI", 0, 1, 1, 8) + bytes(8),        # reserved bytes used
    struct.pack("<BBHI", 6, 1, 0, 8) + bytes(8),        # no seventh argument
    struct.pack("<BBHI", 0, 1, 0, 2**32 - 1) + bytes(8),
])
def test_fields_that_do_not_fit_are_damage(field: bytes) -> None:
    record = records.EVENT.pack(80 + len(field), *[0] * 12) + field
    with pytest.raises(Damaged, match="offset 1080"):
        records.decode(record, 1000)


@pytest.mark.parametrize("arg", [0x11, 0x21, 0x31])
def test_parts_of_messages_are_fields(arg: int) -> None:
    event = Event(47, result=3, fields=((arg, records.OUT, b"abc"),))
    assert records.decode(records.encode(event), 32) == event


@pytest.mark.parametrize("arg", [6, 0x16, 0x41, 0xF1])
def test_other_field_numbers_are_damage(arg: int) -> None:
    with pytest.raises(Damaged):
        records.decode(records.encode(Event(47, fields=((arg, records.OUT, b"abc"),))), 32)
