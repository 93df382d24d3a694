"""Commands of Rex that a page starts and watches like a run: a replay with its check, answers to new log statements.

Each is a process of its own: what it loads or breaks is not the server's.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Callable

from rex.runnew import RunOutcome

if TYPE_CHECKING:
    from rex.archive import Experiment

CHECKED = {0: "The replay was identical.", 1: "The replay differed from the recording: the output says where.",
            20: "The replay did not follow the log: the output says where."}
ANSWERED = {0: "The run went as recorded; the answers are in the output.", 20: "Output or state differs from the recording."}

BISECTED = {0: "The cause is found: the output says what it is.", 1: "The runs did not suffice: the output says what is left.",
            2: "There is nothing to find: the output says why."}


@dataclass(frozen=True)
class Job:
    """One command.

    Attributes:
        intro: what it is, in front of the experiment's name.
        words: behind `rex`.
        verdicts: what exit codes mean.
        after: is called with the exit code, unless it was cancelled.
    """

    experiment: "Experiment"
    intro: str
    words: tuple[str, ...]
    verdicts: dict[int, str]
    cwd: str
    outdir: str = ""
    after: Callable[[int], None] | None = None

    @property
    def command(self) -> tuple[str, ...]:
        """As one would type it."""
        return ("rex", *self.words)

    def describe(self) -> list[str]:
        """It changes nothing of the experiment."""
        return []


class LiveJob:
    """A command that runs."""

    def __init__(self, job: Job, stdin: int | None, stdout: int | None, stderr: int | None) -> None:
        self._began_s, self._is_cancelled, self._after = time.monotonic(), False, job.after
        self._process = subprocess.Popen([sys.executable, "-m", "rex", *job.words], cwd=job.cwd, stdin=stdin, stdout=stdout, stderr=stderr,
                                         start_new_session=True)

    def cancel(self) -> None:
        """Ask it to end, with all that it started."""
        self._is_cancelled = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)

    def wait(self) -> RunOutcome:
        """Its end."""
        code = self._process.wait()
        if self._after and not self._is_cancelled:
            self._after(code)
        return RunOutcome(code << 8 if code >= 0 else -code, self._is_cancelled, (), (), None, (), time.monotonic() - self._began_s)


def start(job: Job, stdin: int | None = None, stdout: int | None = None, stderr: int | None = None) -> LiveJob:
    """Start a command."""
    return LiveJob(job, stdin, stdout, stderr)
