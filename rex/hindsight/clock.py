"""Time and randomness from outside: noted while recording, given back while replaying.

A script that prints seconds, or seeds itself from the system, is then compared like any other.
"""

from __future__ import annotations

import hashlib
import os
import random
import threading
import time
from typing import Any, Callable

NAMES = ("time", "perf_counter", "monotonic", "process_time", "thread_time", "time_ns",
         "perf_counter_ns", "monotonic_ns", "process_time_ns", "thread_time_ns")
now_s = time.perf_counter    # ours, whatever is patched later
real_urandom = os.urandom


class Clock:
    """Readings of the clock by the script's main thread, in order."""

    def __init__(self, recorded: list[float] | None = None) -> None:
        self.count = 0
        self.is_off = False      # within probes, and in what Rex does
        self._recorded = recorded
        self._fresh: list[float] = []
        self._thread = threading.get_ident()
        self._pid = os.getpid()

    def read(self, real: Callable[[], float]) -> float:
        """One reading."""
        if self.is_off or threading.get_ident() != self._thread or os.getpid() != self._pid:
            return real()
        if self._recorded is None:
            value = real()
            self._fresh.append(value)
        elif self.count < len(self._recorded):
            value = self._recorded[self.count]
        else:
            value = real()
        self.count += 1
        return value

    def take_fresh(self) -> list[float]:
        """The readings since the last call."""
        fresh, self._fresh = self._fresh, []
        return fresh

    def install(self) -> None:
        """Let the functions of `time` read this clock."""
        for name in NAMES:
            setattr(time, name, Reading(name, self))


class Reading:
    """Stands for a function of `time`; no descriptor, so that it binds like the one in C."""

    def __init__(self, name: str, clock: Clock) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = "time"
        self._clock, self._real = clock, getattr(time, name)

    def __call__(self) -> float:
        return self._clock.read(self._real)

    def __reduce__(self) -> str:
        return self.__name__


class Entropy:
    """The system's random bytes as a stream from one recorded seed."""

    def __init__(self, seed: bytes) -> None:
        self.seed, self.count = seed, 0
        self._thread, self._pid = threading.get_ident(), os.getpid()

    def read(self, size: int) -> bytes:
        """What `os.urandom` gives."""
        # Other threads, ours too, draw whenever they like: theirs cannot be repeated.
        if threading.get_ident() != self._thread or os.getpid() != self._pid or size < 0:
            return real_urandom(size)
        data = hashlib.shake_256(self.seed + self.count.to_bytes(8, "little")).digest(size)
        self.count += 1
        return data

    def install(self) -> None:
        """Let random, secrets, uuid and numpy draw from this stream."""
        os.urandom = self.read
        module: Any = random
        module._urandom = self.read
        random.seed(int.from_bytes(self.read(32), "little"))
