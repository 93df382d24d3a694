"""Replay: a clock that is read more often than when recorded goes on from its last reading."""

from __future__ import annotations

import struct
import time

from rex.log.records import Event
from rex.syscalls import BY_NAME
from rex.tracer.reference import memory
from rex.tracer.reference.calls import CallKey
from rex.tracer.reference.script import CLOCK_GETTIME, Entry, clock_of
from rex.tracer.reference.tasks import Task

_GETTIMEOFDAY = BY_NAME["gettimeofday"].nr
_TIME = struct.Struct("<qq")          # struct timespec, or timeval
_SECOND_NS = 10**9


def _is_monotonic(task: Task) -> bool:
    return task.nr == CLOCK_GETTIME and task.args[0] & 0xFFFFFFFF == time.CLOCK_MONOTONIC


def note_reading(task: Task, event: Event) -> None:
    """The log has answered; remember when, if it was for a clock."""
    if task.nr in (CLOCK_GETTIME, _GETTIMEOFDAY):
        task.script.clock_at_ns = time.monotonic_ns()
    if _is_monotonic(task):
        task.clock_ns = clock_of(event)


def find_reading(task: Task, key: CallKey) -> Entry | None:
    """The next reading of a thread's clock, past those that it has waited longer than."""
    entry = task.script.find_clock(key, task.args[1])
    while entry and _is_monotonic(task) and clock_of(entry.event) < task.clock_floor_ns:
        entry.is_done = True
        entry = task.script.find_clock(key, task.args[1])
    return entry


def note_waited(task: Task) -> None:
    """A wait has timed out: time has passed for this thread, whatever the log says."""
    task.clock_floor_ns = task.clock_ns + time.monotonic_ns() - task.wait_began_ns


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
    if _is_monotonic(task):
        now_ns = task.clock_ns = max(now_ns, task.clock_floor_ns)
    seconds, ns = divmod(now_ns, _SECOND_NS)
    memory.write(task.tid, at, _TIME.pack(seconds, ns // unit_ns))
