"""Replay: a clock that is read more often than when recorded goes on from its last reading."""

from __future__ import annotations

import struct
import time

from rex.log.records import Event
from rex.syscalls import BY_NAME
from rex.tracer.reference import memory
from rex.tracer.reference.script import CLOCK_GETTIME
from rex.tracer.reference.tasks import Task

_GETTIMEOFDAY = BY_NAME["gettimeofday"].nr
_TIME = struct.Struct("<qq")          # struct timespec, or timeval
_SECOND_NS = 10**9


def note_reading(task: Task, event: Event) -> None:
    """The log has answered; remember when, if it was for a clock."""
    if event.call in (CLOCK_GETTIME, _GETTIMEOFDAY):
        task.script.clock_at_ns = time.monotonic_ns()


def go_on(task: Task) -> None:
    """Add what has passed since to a reading that stands in the tracee's memory."""
    if task.nr not in (CLOCK_GETTIME, _GETTIMEOFDAY):
        return
    at, unit_ns = (task.args[1], 1) if task.nr == CLOCK_GETTIME else (task.args[0], 1000)
    reading = memory.read(task.tid, at, _TIME.size)
    if reading is None:
        return
    seconds, parts = _TIME.unpack(reading)
    now_ns = seconds * _SECOND_NS + parts * unit_ns + time.monotonic_ns() - task.script.clock_at_ns
    seconds, ns = divmod(now_ns, _SECOND_NS)
    memory.write(task.tid, at, _TIME.pack(seconds, ns // unit_ns))
