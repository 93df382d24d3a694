"""What other load does to the measured seconds: processors are shared with other programs, and with our own writer."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from typing import Callable

from rex.hindsight.policy.borders import BESIDE
from rex.hindsight.trace.clock import now_s, thread_s
from rex.state.device import is_in_use

_LEAST_FD = 700     # a script's own files keep the numbers that they have without us
_process_s = time.process_time


class Waits:
    """Of the thread that makes it: how long it could have run but had no processor, as the kernel counts."""

    def __init__(self) -> None:
        self._fd = _open_high(f"/proc/self/task/{threading.get_native_id()}/schedstat")

    def so_far_s(self) -> float:
        """Seconds since the thread began; none where the kernel does not tell."""
        if self._fd < 0:
            return 0.0
        try:
            return int(os.pread(self._fd, 64, 0).split()[1]) * 1e-9
        except (OSError, ValueError, IndexError):   # the script closed what it did not open
            self._fd = -1
            return 0.0


class Contention:
    """Watches the thread that makes it."""

    def __init__(self) -> None:
        self._waits = Waits()
        self._processors = len(os.sched_getaffinity(0))
        self._begun_s, self._begun_worked_s, self._begun_process_s = now_s(), self.worked_s(), _process_s()

    def worked_s(self) -> float:
        """Wall-clock seconds, less those in which the thread could have run but had no processor."""
        wall_s = now_s()
        return wall_s - self._waits.so_far_s()

    def clock(self) -> Callable[[], float]:
        """What tells the seconds that recording takes from the thread: those that it computes, for what it waits for meanwhile may be
        the training's (a library that computes beside). Where a device is in use, waits for its copies count."""
        return self.worked_s if is_in_use() else thread_s

    @property
    def worked_share(self) -> float:
        """Of the wall-clock seconds since the beginning, the part that the thread had or waited for anything but a processor."""
        return min(1.0, (self.worked_s() - self._begun_worked_s) / max(now_s() - self._begun_s, 1e-9))

    def lost_share(self, writer_s: float, waited_s: float = 0.0) -> float:
        """Seconds that the training loses per second of the writer's.

        Args:
            writer_s: processor time of the writer so far.
            waited_s: how long it had no processor meanwhile: it had to take one from somebody.
        """
        passed_s = max(self.worked_s() - self._begun_worked_s, 1e-9)
        used = (_process_s() - self._begun_process_s - writer_s) / passed_s     # processors, by the script alone
        taken = waited_s / (writer_s + waited_s) if waited_s else 0.0
        return min(1.0, max(BESIDE, taken, used + 1 - self._processors))


def _open_high(path: str) -> int:
    try:
        low = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1
    try:
        return fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, _LEAST_FD)
    except OSError:
        return -1
    finally:
        os.close(low)
