"""Clocks go on from their last reading."""

from __future__ import annotations

import ctypes
import struct
from typing import Callable

from rex.log import Event
from rex.tracer.reference.replay_clock import go_on, note_reading
from rex.tracer.reference.script import Script
from rex.tracer.reference.tasks import Task


def test_clocks_go_on(make_task: Callable[..., Task]) -> None:
    for name, unit_ns in (("clock_gettime", 1), ("gettimeofday", 1000)):
        memory = ctypes.create_string_buffer(struct.pack("<qq", 5, (10**9 - 1) // unit_ns))
        at = ctypes.addressof(memory)
        task = make_task(name, *((1, at) if unit_ns == 1 else (at,)))
        task.script = Script()
        note_reading(task, Event(task.nr))
        task.script.clock_at_ns -= 1_500_000_000
        go_on(task)
        seconds, parts = struct.unpack("<qq", memory.raw[:16])
        assert 1.5e9 <= seconds * 10**9 + parts * unit_ns - 6 * 10**9 + unit_ns < 2.5e9


def test_other_calls_do_not(make_task: Callable[..., Task]) -> None:
    task = make_task("getpid")
    task.script = Script()
    task.script.clock_at_ns = 5
    note_reading(task, Event(task.nr))
    go_on(task)
    assert task.script.clock_at_ns == 5
