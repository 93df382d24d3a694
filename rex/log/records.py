"""What a log consists of: events, their fields, and how both look as bytes."""

from __future__ import annotations

import enum
import struct

from rex.errors import Damaged
from rex.values import dataclass

MAGIC = b"REXLOG\r\n"
VERSION = 1
HEADER = struct.Struct("<8sIIQQ")     # magic, version, flags, start_ns, event count
EVENT = struct.Struct("<IHHIIqQ6Q")   # size, call, flags, task, stream, result, time, args
FIELD = struct.Struct("<BBHI")        # argument, type, 0, data length

# A record larger than this is damage: no kernel call moves more at once.
MAX_RECORD_BYTES = 0x7FFFF000 + (1 << 24)

# Header flags: the recorder finished; the events tell only what calls show (the reference engine).
FINISHED, PLAIN = 1, 4

# A record's flag: its last field has how often the call was made again, and what its value grew by each time.
REPEATED = 1

NO_ARG = 255      # a field of the call as a whole
# A message's parts carry 16 times this on top of the argument: name, data, control.
NO_TASK = 2**32 - 1

OUT, IN, RESOLVED, STAT, ARGV, ENVP, STACK, SCRIPT, TEXT, LOADER, CONTROL, INHERITED, REPEATS = range(1, 14)
FIELD_NAMES = {OUT: "OUT", IN: "IN", RESOLVED: "RESOLVED", STAT: "STAT", ARGV: "ARGV",
               ENVP: "ENVP", STACK: "STACK", SCRIPT: "SCRIPT", TEXT: "TEXT",
               LOADER: "LOADER", CONTROL: "CONTROL", INHERITED: "INHERITED", REPEATS: "REPEATS"}

SPECIAL = 0x8000  # calls from here on are not syscalls
TASK, SIGNAL, EXIT, TSC, NOTE, DUP, SWITCH, PIPE, RANDOM, SHARED, MAPPED, RESULT = range(SPECIAL, SPECIAL + 12)
SPECIAL_NAMES = {TASK: "TASK", SIGNAL: "SIGNAL", EXIT: "EXIT", TSC: "TSC", NOTE: "NOTE", DUP: "DUP",
                 SWITCH: "SWITCH", PIPE: "PIPE", RANDOM: "RANDOM", SHARED: "SHARED", MAPPED: "MAPPED",
                 RESULT: "RESULT"}


class Moment(enum.IntEnum):
    """Where a signal came."""

    BETWEEN_CALLS = 0
    WITH_LAST_EVENT = 1
    IN_UNSEEN_CALL = 2
    AT_NEXT_CALL = 3
    AT_UNBLOCK = 4
    AT_UNSEEN_CALL = 5
    AT_HANDLER = 6


Field = tuple[int, int, bytes]
Args = tuple[int, int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Event:
    """One numbered record of the log: a syscall that returned, or a special event.

    `args` are the six registers, unsigned; `result` is signed, -errno on failure;
    `time_ns` counts from the log's start; `fields` are (argument, type, data).
    """

    call: int
    task: int = 0
    result: int = 0
    args: Args = (0, 0, 0, 0, 0, 0)
    fields: tuple[Field, ...] = ()
    flags: int = 0
    stream: int = 0
    time_ns: int = 0

    def data(self, kind: int, arg: int | None = None) -> bytes | None:
        """The first field of that type (and argument), or None."""
        for field_arg, field_kind, data in self.fields:
            if field_kind == kind and (arg is None or arg == field_arg):
                return data
        return None

    def all_data(self, kind: int) -> list[bytes]:
        """Every field of that type, in order."""
        return [data for _, field_kind, data in self.fields if field_kind == kind]


def encode(event: Event) -> bytes:
    """The record's bytes.

    Raises:
        ValueError: the record would be larger than the format allows.
    """
    parts = [b""]
    for arg, kind, data in event.fields:
        parts.append(FIELD.pack(arg, kind, 0, len(data)))
        parts.append(data)
        parts.append(bytes(-len(data) % 8))
    size = EVENT.size + sum(map(len, parts))
    if size > MAX_RECORD_BYTES:
        raise ValueError(f"a record of {size} bytes is too large for the log")
    parts[0] = EVENT.pack(size, event.call, event.flags, event.task, event.stream,
                          event.result, event.time_ns, *event.args)
    return b"".join(parts)


def decode(record: bytes | memoryview, offset: int) -> Event:
    """The event in one whole record; offset is where it begins in the log.

    Raises:
        Damaged: its fields do not fit.
    """
    _, call, flags, task, stream, result, time_ns, *args = EVENT.unpack_from(record)
    fields: tuple[Field, ...] = ()
    if len(record) > EVENT.size:
        fields = _decode_fields(record, offset)
    return Event(call, task, result, tuple(args), fields, flags, stream, time_ns)


def _decode_fields(record: bytes | memoryview, offset: int) -> tuple[Field, ...]:
    fields = []
    position, end = EVENT.size, len(record)
    while position < end:
        arg, kind, zero, length = FIELD.unpack_from(record, position)
        begin = position + FIELD.size
        position = begin + (length + 7 & ~7)
        if zero or position > end or (arg != NO_ARG and (arg & 15 > 5 or arg >> 4 > 3)):
            raise Damaged("the log is damaged",
                          f"a field at offset {offset + begin - FIELD.size} "
                          "does not fit its record")
        fields.append((arg, kind, bytes(record[begin:begin + length])))
    return tuple(fields)
