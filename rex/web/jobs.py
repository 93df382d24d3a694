"""Commands of Rex that a page starts and watches like a run: a replay with its check, answers to new log statements.

Each is a process of its own: what it loads or breaks is not the server's.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rex.errors import UsageError
from rex.runnew import RunOutcome

if TYPE_CHECKING:
    from rex.archive import Experiment
    from rex.web.site import Site

_SCRIPT_CHARS = 1 << 20
_CHECKED = {0: "The replay was identical.", 1: "The replay differed from the recording: the output says where.",
            20: "The replay did not follow the log: the output says where."}
_ANSWERED = {0: "The run went as recorded; the answers are in the output.", 20: "Output or state differs from the recording."}


@dataclass(frozen=True)
class Job:
    """One command.

    Attributes:
        intro: what it is, in front of the experiment's name.
        words: behind `rex`.
        verdicts: what exit codes mean.
    """

    experiment: "Experiment"
    intro: str
    words: tuple[str, ...]
    verdicts: dict[int, str]
    cwd: str
    outdir: str = ""

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
        self._began_s, self._is_cancelled = time.monotonic(), False
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
        return RunOutcome(code << 8 if code >= 0 else -code, self._is_cancelled, (), (), None, (), time.monotonic() - self._began_s)


def start(job: Job, stdin: int | None = None, stdout: int | None = None, stderr: int | None = None) -> LiveJob:
    """Start a command."""
    return LiveJob(job, stdin, stdout, stderr)


def _experiment(site: "Site", data: Any) -> "Experiment":
    name = data.get("experiment") if isinstance(data, dict) else None
    if not isinstance(name, str):
        raise UsageError("the request makes no sense", "experiment is no text")
    return site.catalog.experiment(name)


def _begin(site: "Site", job: Job) -> dict[str, Any]:
    return {"address": f"/runs/{site.runs.begin(job, start).key}"}


def check(site: "Site", data: Any) -> dict[str, Any]:
    """Replay an experiment and compare; where to watch."""
    found = _experiment(site, data)
    words = ("replay", "--check", "-l", site.catalog.archive.path, "-e", found.name)
    return _begin(site, Job(found, "Replay of", words, _CHECKED, site.cwd))


def answer(site: "Site", data: Any) -> dict[str, Any]:
    """Answer the log statements that were added to a training script; where to watch."""
    found = _experiment(site, data)
    script, epochs = data.get("script"), data.get("epochs", "")
    if not isinstance(script, str) or not isinstance(epochs, str) or len(script) > _SCRIPT_CHARS:
        raise UsageError("the request makes no sense", "script and epochs are texts")
    folder = tempfile.mkdtemp(prefix="script-", dir=site.runs.folder)
    path = os.path.join(folder, "script.py")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(script.replace("\r\n", "\n"))
    outdir = os.path.join(folder, "files")
    words = ("hindsight", "replay", "-y", "-l", site.catalog.archive.path, "-e", found.name, *(("--epochs", epochs) if epochs.strip() else ()),
             "-o", outdir, "--", path)
    return _begin(site, Job(found, "Answers of", words, _ANSWERED, site.cwd, outdir))
