"""One process of a replay of versions, seen from the executor."""

from __future__ import annotations

import os
import re
import select
import signal
import socket
from dataclasses import dataclass
from typing import Any

from rex.cells.serving import receive, send
from rex.errors import RexError
from rex.tracer.sandbox import outer_pid

_MEMORY = re.compile(rb"^(Pss_Anon|Pss):\s+(\d+) kB", re.MULTILINE)


class WorkerLost(RexError):
    """A process of the replay died: its memory ran out, or a signal ended it."""


@dataclass
class Refusal:
    """Why a state cannot be forked."""

    reason: str


class Worker:
    """A live state or a checkpoint. Only one thread at a time may use it.

    Attributes:
        directory: where the files go that its cells write.
    """

    def __init__(self, control: socket.socket, directory: str, sandbox: int = 0) -> None:
        """Take over a connection; waits until the process is ready.

        Args:
            sandbox: the process that made the sandbox that it is in; 0: it is in none.
        Raises:
            WorkerLost: it is not going to be.
        """
        self._control, self._sandbox = control, sandbox
        self.directory = directory
        greeting = self._receive()[0]
        self.pid: int = outer_pid(sandbox, greeting["pid"]) if sandbox else greeting["pid"]
        if not self.pid:
            raise WorkerLost("a process of the replay is gone", "it ended unexpectedly")
        if greeting["problem"]:
            self.drop()
            raise WorkerLost("a state could not be forked", greeting["problem"])

    def _receive(self) -> tuple[dict[str, Any], int | None]:
        try:
            message, descriptor = receive(self._control)
        except OSError as error:
            raise WorkerLost("a process of the replay is gone", error.strerror or "") from error
        if message is None:
            raise WorkerLost("a process of the replay is gone", "it ended unexpectedly")
        return message, descriptor

    def _ask(self, order: dict[str, Any]) -> tuple[dict[str, Any], int | None]:
        try:
            send(self._control, order)
        except OSError as error:
            raise WorkerLost("a process of the replay is gone", error.strerror or "") from error
        return self._receive()

    def run_cell(self, order: dict[str, Any]) -> dict[str, Any]:
        """Run a cell; what it showed and took.

        Raises:
            WorkerLost: the process did not survive it.
        """
        return self._ask({"do": "cell", **order})[0]

    def fork(self, directory: str) -> "Worker | Refusal":
        """Another process with the same state, whose files go to `directory`, or why there is none.

        Raises:
            WorkerLost: this one is gone.
        """
        answer, descriptor = self._ask({"do": "fork", "branch": directory})
        if answer["reason"] or descriptor is None:
            return Refusal(answer["reason"])
        try:
            return Worker(socket.socket(fileno=descriptor), directory, self._sandbox)
        except WorkerLost as error:
            return Refusal(error.why)

    def finish(self) -> None:
        """Let the program end as programs do, and wait for it: what it buffered is written."""
        try:
            process = os.pidfd_open(self.pid)
        except OSError:                      # it is gone already
            self._control.close()
            return
        self._say("end")
        select.select([process], [], [])
        os.close(process)
        self._control.close()

    def drop(self) -> None:
        """Be rid of it."""
        self._say("drop")
        self._control.close()

    def kill(self) -> None:
        """End a process that may not listen."""
        try:
            os.kill(self.pid, signal.SIGKILL)
        except (OSError, AttributeError):
            pass
        self._control.close()

    def _say(self, what: str) -> None:
        try:
            send(self._control, {"do": what})
        except OSError:
            pass

    def memory_bytes(self) -> int:
        """Its share of memory by the kernel's account: pages of its own, and its part of shared ones."""
        try:
            with open(f"/proc/{self.pid}/smaps_rollup", "rb") as file:
                found = {name: int(value) for name, value in _MEMORY.findall(file.read())}
        except OSError:
            return 0
        return 1024 * found.get(b"Pss_Anon", found.get(b"Pss", 0))
