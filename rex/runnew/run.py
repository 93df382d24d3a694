"""Run a plan, watch it, and say what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from rex.errors import OwnFailure
from rex.runnew.plan import RunPlan


@dataclass(frozen=True)
class LiveUse:
    """One use of the live system where the archive had no answer.

    Attributes:
        kind: file, program, time, randomness, network, device or system.
        what: the path, address or thing used.
    """

    kind: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind} {self.what}" if self.what else self.kind


@dataclass(frozen=True)
class RunOutcome:
    """A run that has ended.

    Attributes:
        status: wait status of the program (os.waitstatus_to_exitcode tells its exit code).
        is_cancelled: somebody ended it before its time; it is then not recorded.
        outputs: files that the run made or changed: path in the experiment, file below OUTDIR.
        live_uses: what of the live system was used, in order of kind and name.
        experiment: the experiment that was recorded; None without recording.
        notes: what else the user must be told.
        duration_s: wall-clock seconds.
    """

    status: int
    is_cancelled: bool
    outputs: tuple[tuple[str, str], ...]
    live_uses: tuple[LiveUse, ...]
    experiment: str | None
    notes: tuple[str, ...]
    duration_s: float


class Run:
    """A new experiment while it runs; `wait` must be called in the end."""

    pid: int
    """Process id of the engine; its tracees end with it."""

    def poll(self) -> bool:
        """Whether the program has ended."""
        raise NotImplementedError

    def cancel(self) -> None:
        """End the program and all its descendants now. Any thread may call it, at any time."""
        raise NotImplementedError

    def wait(self) -> RunOutcome:
        """Wait for the end; take what was recorded into the archive. Once, in any one thread.

        Raises:
            OwnFailure, NotPermitted: the engine failed; nothing was recorded.
        """
        raise NotImplementedError


def start(plan: RunPlan, stdin: int | None = None, stdout: int | None = None,
          stderr: int | None = None) -> Run:
    """Start a planned run and return at once.

    Args:
        stdin, stdout, stderr: descriptors for the program, or subprocess.DEVNULL or PIPE's
            ends; None hands on ours. They may be closed here once this has returned.
    Raises:
        OwnFailure: it could not be prepared.
    """
    raise OwnFailure("live runs cannot be started yet")
