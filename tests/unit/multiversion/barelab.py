"""A lab without a tracer: cells run on this machine's own files. For tests of the executors' steps."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from rex.cells import runner, serving
from rex.multiversion.worker import Worker


class BareLab:
    """Starts runners as plain processes in a directory."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.started = 0
        self.branches = 0
        self.kept: list[tuple[int, list[str]]] = []
        self.processes: list["subprocess.Popen[bytes]"] = []

    def start(self, base: str) -> Worker:
        self.started += 1
        ours, theirs = socket.socketpair()
        high = os.dup2(theirs.fileno(), serving.CONTROL, inheritable=True)
        self.processes.append(subprocess.Popen(
            [sys.executable, runner.__file__, "--serve"], cwd=self.place, pass_fds=[high],
            stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONHASHSEED": "0"}))
        os.close(high)
        theirs.close()
        return Worker(ours, "0")

    def branch(self, worker: Worker) -> str:
        self.branches += 1
        return str(self.branches)

    def discard(self, directory: str) -> None:
        pass

    def keep(self, worker: Worker, versions: list[str]) -> None:
        self.kept.append((worker.pid, versions))

    def close(self) -> None:
        for process in self.processes:
            try:
                os.kill(process.pid, signal.SIGKILL)
            except OSError:
                pass
            process.wait()


class Silent:
    """Watches a replay and remembers what it was told."""

    def __init__(self) -> None:
        self.computed: list[tuple[str, bool]] = []
        self.ended: list[list[str]] = []

    def begins(self, node: str) -> None:
        pass

    def ends(self, node: str, seconds: float, is_again: bool) -> None:
        self.computed.append((node, is_again))

    def cached(self, bytes_used: int, count: int) -> None:
        pass

    def finished(self, versions: list[str]) -> None:
        self.ended.append(versions)
