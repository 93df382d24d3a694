"""Time and randomness from outside: noted while recording, given back while replaying.

A script that prints seconds, or seeds itself from the system, is then compared like any other.
"""

from __future__ import annotations

import ctypes
import datetime
import functools
import gc
import hashlib
import os
import random
import time
from threading import get_ident
from typing import Any, Callable

NAMES = ("time", "perf_counter", "monotonic", "process_time", "thread_time", "time_ns",
         "perf_counter_ns", "monotonic_ns", "process_time_ns", "thread_time_ns",
         "clock_gettime", "clock_gettime_ns")
# Where their seconds stand among the arguments.
_OF_SECONDS = {"localtime": 0, "gmtime": 0, "ctime": 0, "asctime": 0, "strftime": 1}
now_s, thread_s = time.perf_counter, time.thread_time    # ours, whatever is patched later
real_urandom, real_time_ns = os.urandom, time.time_ns
_TORCH_DRAW = 1 << 63
_AHEAD_BYTES, _AHEAD = 64, 64   # draws of at most so many bytes are made so many together


class Clock:
    """Readings of the clock by the script's main thread, in order."""

    def __init__(self, recorded: list[float] | None = None) -> None:
        self.count = 0
        self.is_off = False      # within probes, and in what Rex does
        self._recorded = recorded
        self._fresh: list[float] = []
        self._thread = get_ident()   # children have none that is ours
        os.register_at_fork(after_in_child=lambda: setattr(self, "_thread", -1))

    def read(self, real: Callable[..., float], *which: int) -> float:
        """One reading; which: what `real` is asked."""
        if self.is_off or get_ident() != self._thread:
            return real(*which)
        if self._recorded is None:
            value = real(*which)
            self._fresh.append(value)
        elif self.count < len(self._recorded):
            value = self._recorded[self.count]
        else:
            value = real(*which)
        self.count += 1
        return value

    def take_fresh(self) -> list[float]:
        """The readings since the last call."""
        fresh, self._fresh = self._fresh, []
        return fresh

    def install(self) -> None:
        """Let the functions of `time` and `datetime` read this clock."""
        import logging  # noqa: F401     # that reads the clock: now, in each process, and not when a script or Rex comes to import it
        now = time.time
        for name in NAMES:
            setattr(time, name, Reading(name, self))
        for name, place in _OF_SECONDS.items():
            setattr(time, name, Converting(name, place))
        _let_datetime_read(self, now)


class Reading(functools.partial):   # type: ignore[type-arg]
    """Stands for a function of `time`; no descriptor, so that it binds like the one in C."""

    __name__: str
    __qualname__: str

    def __new__(cls, name: str, clock: Clock) -> Reading:
        """Args: name: of the function."""
        made = super().__new__(cls, clock.read, getattr(time, name))
        made.__name__ = made.__qualname__ = name
        made.__module__ = "time"
        return made

    def __reduce__(self) -> str:
        return self.__name__


class Converting:
    """Stands for a function of `time` that takes seconds, or else reads the clock by itself."""

    def __init__(self, name: str, place: int) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = "time"
        self._place, self._real = place, getattr(time, name)

    def __call__(self, *arguments: Any) -> Any:
        if len(arguments) == self._place:   # strftime wants the fields of a moment, not its seconds
            moment = time.time()
            arguments += (time.localtime(moment) if self._real.__name__ in ("strftime", "asctime") else moment,)
        return self._real(*arguments)

    def __reduce__(self) -> str:
        return self.__name__


def _let_datetime_read(clock: Clock, real: Callable[[], float]) -> None:
    """Replace what reads the clock in C: datetime.now and utcnow; today asks time.time by itself."""
    def now(cls: Any, tz: Any = None) -> Any:
        return cls.fromtimestamp(clock.read(real), tz)

    def utcnow(cls: Any) -> Any:
        return cls.fromtimestamp(clock.read(real), datetime.timezone.utc).replace(tzinfo=None)

    kind = datetime.datetime
    members: Any = gc.get_referents(kind.__dict__)[0]   # the dict behind the proxy
    for function in (now, utcnow):
        function.__module__, function.__qualname__ = "datetime", f"datetime.{function.__name__}"
        members[function.__name__] = classmethod(function)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


class Entropy:
    """The system's random bytes as a stream from one recorded seed."""

    def __init__(self, seed: bytes) -> None:
        self.count = 0
        self.is_off = False      # within probes: what they draw is not the script's, which draws the same afterwards
        self._seeded = hashlib.shake_256(seed)
        self._ahead: list[bytes] = []    # the next draws, from one on: made together they cost a fraction
        self._from = 0
        self._thread = get_ident()
        os.register_at_fork(after_in_child=lambda: setattr(self, "_thread", -1))

    def read(self, size: int) -> bytes:
        """What `os.urandom` gives."""
        # Other threads, ours too, draw whenever they like: theirs cannot be repeated. Probes want other bytes at each draw.
        if self.is_off or get_ident() != self._thread or size < 0:
            return real_urandom(size)
        at = self.count - self._from
        if size > _AHEAD_BYTES:
            data = self._draw(self.count, size)
        elif 0 <= at < len(self._ahead):
            data = self._ahead[at][:size]
        else:   # few at first: most programs draw once or twice
            many = min(2 * len(self._ahead), _AHEAD) or 1
            self._from = self.count
            self._ahead = [self._draw(number, _AHEAD_BYTES) for number in range(self._from, self._from + many)]
            data = self._ahead[0][:size]
        self.count += 1
        return data

    def _draw(self, number: int, size: int) -> bytes:
        stream = self._seeded.copy()
        stream.update(number.to_bytes(8, "little"))
        return stream.digest(size)

    def seed_torch(self, torch: Any) -> None:
        """Let torch's generators begin with numbers of this stream: it asks the system in C++."""
        def seed() -> int:
            number = int.from_bytes(self.read(8), "little")
            torch.manual_seed(number)
            return number

        seed.__module__, seed.__qualname__ = "torch.random", "seed"
        torch.seed = torch.random.seed = seed
        # Apart from the draws that are counted, which former recordings made without this one.
        torch.manual_seed(int.from_bytes(self._draw(_TORCH_DRAW, 8), "little"))

    def install(self) -> None:
        """Let random, secrets, uuid and numpy draw from this stream."""
        os.urandom = self.read
        os.getrandom = lambda size, flags=0: self.read(size)
        module: Any = random
        module._urandom = self.read
        seed = random.Random.seed

        def seed_from_us(one: random.Random, a: Any = None, version: int = 2) -> None:
            seed(one, int.from_bytes(os.urandom(32), "little") if a is None else a, version)

        module.Random.seed = seed_from_us   # without a number it would ask the system in C
        module.seed = module._inst.seed
        random.seed()
