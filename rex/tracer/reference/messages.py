"""Scattered memory: iovec arrays, and the messages of sendmsg and the like.

A message's fields are numbered by its argument and the part of it: the header
itself, name, data, control. The length that recvmmsg and sendmmsg store follows each message.
"""

from __future__ import annotations

import struct

from rex.log.records import IN, OUT, Event, Field
from rex.tracer.reference import memory

_PART_NAME, _PART_DATA, _PART_CONTROL, _PARTS = 0x10, 0x20, 0x30, 0xF0
_VECTOR = struct.Struct("<QQ")
_MAX_VECTORS = 1024                   # UIO_MAXIOV
_LARGEST = 1 << 30
_HEADER = struct.Struct("<QI4xQQQQi4x")   # struct msghdr: name, its length, iov, its length, control, its, flags
_LENGTH = struct.Struct("<I")             # msg_len, which follows in struct mmsghdr
_MESSAGE_BYTES = _HEADER.size + 8


def is_header(data: bytes) -> bool:
    """Whether a field is a struct msghdr."""
    return len(data) == _HEADER.size


def _vectors(tid: int, at: int, count: int) -> list[tuple[int, int]]:
    data = memory.read(tid, at, count * _VECTOR.size) if count <= _MAX_VECTORS else None
    return list(_VECTOR.iter_unpack(data or b""))


def _gather(tid: int, vectors: list[tuple[int, int]], size: int) -> bytes:
    parts = []
    for base, length in vectors:
        part = memory.read(tid, base, min(length, size)) if size else None
        if part is None:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def capture_vectors(tid: int, arg: int, kind: int, at: int, count: int, size: int) -> list[Field]:
    """The bytes that an iovec array points to, up to size."""
    return [(arg, kind, _gather(tid, _vectors(tid, at, count), size))]


def put_vectors(tid: int, at: int, count: int, data: bytes) -> None:
    """Scatter bytes over an iovec array."""
    position = 0
    for base, length in _vectors(tid, at, count):
        part = data[position:position + length]
        memory.write(tid, base, part)
        position += len(part)


def capture_block(tid: int, arg: int, kind: int, at: int, size: int) -> list[Field]:
    """One block of memory; nothing where there is none."""
    data = memory.read(tid, at, size) if at and 0 < size < _LARGEST else None
    return [] if data is None else [(arg, kind, data)]


def capture_message(tid: int, arg: int, kind: int, at: int, size: int) -> list[Field]:
    """A message's header and all that it points to, of the data up to size."""
    header = memory.read(tid, at, _HEADER.size)
    if header is None:
        return []
    name, name_size, iov, count, control, control_size, _ = _HEADER.unpack(header)
    return [(arg, kind, header),
            *capture_block(tid, arg | _PART_NAME, kind, name, name_size),
            *capture_vectors(tid, arg | _PART_DATA, kind, iov, count, size),
            *capture_block(tid, arg | _PART_CONTROL, kind, control, control_size)]


def capture_messages(tid: int, arg: int, kind: int, at: int, count: int) -> list[Field]:
    """The first messages of an array of struct mmsghdr."""
    fields: list[Field] = []
    for where in range(at, at + count * _MESSAGE_BYTES, _MESSAGE_BYTES):
        length = memory.read_int(tid, where + _HEADER.size, _LENGTH.size)
        if length is None:
            break
        fields += capture_message(tid, arg, kind, where, length)
        fields += capture_block(tid, arg, kind, where + _HEADER.size, _LENGTH.size)
    return fields


def put_messages(tid: int, at: int, event: Event, arg: int, is_many: bool) -> None:
    """Store one message, or an array of them, as logged."""
    fields = [(number, data) for number, kind, data in event.fields if kind == OUT]
    for position, (number, data) in enumerate(fields):
        if number != arg:
            continue
        if is_header(data):
            _put_message(tid, at, data, _parts_after(fields, position, arg))
        elif is_many and len(data) == _LENGTH.size:
            memory.write(tid, at + _HEADER.size, data)
            at += _MESSAGE_BYTES


def put_sent(tid: int, at: int, event: Event, arg: int) -> None:
    """Of messages that were sent, the kernel tells only how much of each."""
    for number, kind, data in event.fields:
        if number == arg and kind == IN and len(data) == _LENGTH.size:
            memory.write(tid, at + _HEADER.size, data)
            at += _MESSAGE_BYTES


def _parts_after(fields: list[tuple[int, bytes]], position: int, arg: int) -> dict[int, bytes]:
    parts: dict[int, bytes] = {}
    for number, data in fields[position + 1:]:
        if not number & _PARTS:
            break                     # the next message begins
        if number & ~_PARTS == arg:
            parts[number & _PARTS] = data
    return parts


def _put_message(tid: int, at: int, logged: bytes, parts: dict[int, bytes]) -> None:
    """The header in the tracee points to its own buffers; the log's tells their new lengths."""
    data = memory.read(tid, at, _HEADER.size)
    if data is None:
        return
    name, _, iov, count, control, _, _ = _HEADER.unpack(data)
    if name and _PART_NAME in parts:
        memory.write(tid, name, parts[_PART_NAME])
    if _PART_DATA in parts:
        put_vectors(tid, iov, count, parts[_PART_DATA])
    if control and _PART_CONTROL in parts:
        memory.write(tid, control, parts[_PART_CONTROL])
    _, name_size, _, _, _, control_size, flags = _HEADER.unpack(logged)
    memory.write(tid, at, _HEADER.pack(name, name_size, iov, count, control, control_size, flags))
