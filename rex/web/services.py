"""What the page needs of the rest of Rex to run something; the command hands it in, tests hand in others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rex.archive import Archive, Experiment
    from rex.runnew import Changes, Run, RunPlan


class Plan(Protocol):
    """As `rex.runnew.plan_run`."""

    def __call__(self, archive: "Archive", experiment: "Experiment", changes: "Changes", outdir: str,
                 is_recorded: bool = False, name: str | None = None) -> "RunPlan": ...


class Start(Protocol):
    """As `rex.runnew.start`."""

    def __call__(self, plan: "RunPlan", stdin: int | None = None, stdout: int | None = None,
                 stderr: int | None = None) -> "Run": ...


@dataclass(frozen=True)
class Services:
    """Plans new experiments and starts them.

    Attributes:
        is_sandboxed: all that runs code of the archive does it in a sandbox, as `start` does then; what cannot is refused.
    """

    plan: Plan
    start: Start
    is_sandboxed: bool = False
