"""What calls stored and were passed is captured and put back by their declarations."""

from __future__ import annotations

import ctypes
import struct
from typing import Callable

from rex.log.records import IN, OUT, Event
from rex.syscalls import BY_NAME
from rex.tracer.reference.calls import (capture_inputs, capture_outputs, fork_flags, is_same_input,
                                        put_outputs, read_deref)
from rex.tracer.reference.tasks import Task

MakeTask = Callable[..., Task]


def room(data: bytes) -> tuple[ctypes.Array[ctypes.c_char], int]:
    buffer = ctypes.create_string_buffer(data, len(data))
    return buffer, ctypes.addressof(buffer)


def event(task: Task, result: int, fields: list[tuple[int, int, bytes]]) -> Event:
    return Event(task.nr, 0, result, task.args, tuple(fields))


def test_read_stores_as_much_as_it_returns(make_task: MakeTask) -> None:
    buffer, at = room(b"abcdefgh")
    task = make_task("read", 0, at, 8)
    assert capture_outputs(task, 3) == [(1, OUT, b"abc")]
    assert capture_outputs(task, 0) == []
    assert capture_outputs(task, -11) == []
    put_outputs(task, event(task, 2, [(1, OUT, b"XY")]))
    assert buffer.raw == b"XYcdefgh"


def test_short_write_took_its_first_bytes(make_task: MakeTask) -> None:
    _, at = room(b"abcdefgh")
    task = make_task("write", 1, at, 8)
    assert capture_inputs(task, 5) == [(1, IN, b"abcde")]
    assert is_same_input(task, event(task, 5, [(1, IN, b"abcde")]))
    assert not is_same_input(task, event(task, 5, [(1, IN, b"abcdX")]))
    assert not is_same_input(task, event(task, 5, []))


def test_vectors_are_gathered_and_scattered(make_task: MakeTask) -> None:
    first, a = room(b"12")
    second, b = room(b"3456")
    _, vectors = room(struct.pack("<4Q", a, 2, b, 4))
    task = make_task("readv", 0, vectors, 2)
    assert capture_outputs(task, 5) == [(1, OUT, b"12345")]
    put_outputs(task, event(task, 4, [(1, OUT, b"abcd")]))
    assert (first.raw, second.raw) == (b"ab", b"cd56")


def test_address_length_is_the_smaller_of_before_and_after(make_task: MakeTask) -> None:
    _, address = room(b"0123456789")
    length, at = room(struct.pack("<I", 4))
    task = make_task("getsockname", 5, address, at)
    read_deref(task, BY_NAME["getsockname"])
    length.raw = struct.pack("<I", 10)
    assert capture_outputs(task, 0)[0] == (1, OUT, b"0123")
    length.raw = struct.pack("<I", 2)
    assert capture_outputs(task, 0)[0] == (1, OUT, b"01")


def test_message_in_parts(make_task: MakeTask) -> None:
    name, name_at = room(b"NAME")
    data, data_at = room(b"payload.")
    control, control_at = room(b"CTRL")
    _, vector = room(struct.pack("<2Q", data_at, 8))
    header, at = room(struct.pack("<QI4xQQQQi4x", name_at, 4, vector, 1, control_at, 4, 0))
    task = make_task("recvmsg", 5, at, 0)
    fields = capture_outputs(task, 7)
    assert fields == [(1, OUT, header.raw), (0x11, OUT, b"NAME"), (0x21, OUT, b"payload"), (0x31, OUT, b"CTRL")]
    for buffer in (name, data, control):
        buffer.raw = bytes(len(buffer))
    put_outputs(task, event(task, 7, fields))
    assert (name.raw, data.raw, control.raw) == (b"NAME", b"payload\0", b"CTRL")


def test_many_messages(make_task: MakeTask) -> None:
    texts = [room(text) for text in (b"first", b"second")]
    vectors = [room(struct.pack("<2Q", at, len(buffer))) for buffer, at in texts]
    heads = [struct.pack("<QI4xQQQQi4xI4x", 0, 0, at, 1, 0, 0, 0, len(buffer))
             for (_, at), (buffer, _) in zip(vectors, texts)]
    array, at = room(b"".join(heads))
    task = make_task("recvmmsg", 5, at, 2)
    fields = [field for field in capture_outputs(task, 2) if field[0] & 0xF == 1]
    assert [data for arg, _, data in fields if arg == 0x21] == [b"first", b"second"]
    assert [data for arg, _, data in fields if arg == 1 and len(data) == 4] == [b"\5\0\0\0", b"\6\0\0\0"]
    for buffer, _ in texts:
        buffer.raw = bytes(len(buffer))
    struct.pack_into("<I", array, 56, 0)
    put_outputs(task, event(task, 2, fields))
    assert [buffer.raw for buffer, _ in texts] == [b"first", b"second"]
    assert struct.unpack_from("<I", array, 56)[0] == 5


def test_flags_of_forks(make_task: MakeTask) -> None:
    _, at = room(struct.pack("<Q", 0x3D0F00))
    assert fork_flags(make_task("clone3", at, 88)) == 0x3D0F00
    assert fork_flags(make_task("clone", 0x1200011)) == 0x1200011
    assert fork_flags(make_task("vfork")) == 0x4111
    assert fork_flags(make_task("fork")) == 17
