"""Replay a recorded run by workers, here or on a cluster, and gather what they find."""

from __future__ import annotations

import os
from typing import Any, Callable

from rex.hindsight.replay.choice import Options
from rex.hindsight.replay.plan import Piece, Plan
from rex.hindsight.replay.workers import Cluster, Home, Workers
from rex.hindsight.run.read_ahead import Wanted
from rex.hindsight.run.room import MOST_BYTES
from rex.state.declared import LEAVE
from rex.values import dataclass, field

# Of the first state and of what those behind it do not share with others: less is read sooner than numpy is imported, which the
# worker's script does anyway.
_WORTH_BYTES = 4 << 20
Show = Callable[[dict[str, Any]], None]


@dataclass
class Findings:
    """What the workers reported.

    Attributes:
        diverged: where output or state was not as recorded.
        notes: what else the user should know, each once.
        files: what added statements wrote, in the order of the run.
        saved: names of the objects that they saved, in that order.
    """

    diverged: list[dict[str, Any]] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    files: list[dict[str, Any]] = field(default_factory=list)
    saved: list[str] = field(default_factory=list)
    status: int = 0
    skipped: int = 0
    checked: int = 0
    restored: int = 0
    restore_s: float = 0.0
    pause_s: float = 0.0       # what the restored checkpoints had cost


def run_plan(plan: Plan, options: Options, workers: Workers | Cluster, show: Show) -> Findings:
    """Run the pieces side by side; show what probes print in the order of the run.

    Raises:
        UsageError: the script failed.
        OwnFailure: a worker ended without a result.
    """
    findings = Findings()
    if plan.skippable and (left := [name for name, how in (plan.run.head.get("classes") or {}).items() if how == LEAVE]):
        findings.notes["left"] = (f"objects of {', '.join(left)} are left as they live: after a loop that is skipped, "
                                  "statements may find other values in them")
    jobs = [_job_of(plan, options, workers.home, number) for number in range(len(plan.pieces))]
    for event in workers.events(jobs, [wanted_by(plan, piece) for piece in plan.pieces], options.jobs or workers.count):
        _take(findings, event, show)
    return findings


def _take(findings: Findings, event: dict[str, Any], show: Show) -> None:
    kind = event["e"]
    if kind in ("probe", "value"):
        show(event)
    elif kind == "saved":
        show(event)
        findings.saved.append(event["name"])
    elif kind == "diverged":
        findings.diverged.append(event)
    elif kind == "file":
        findings.files.append(event)
    elif kind == "note":
        findings.notes.setdefault(event["key"], event["text"])
    elif kind == "end":
        findings.status = event["status"] or findings.status
        for name in ("skipped", "checked", "restored", "restore_s", "pause_s"):
            setattr(findings, name, getattr(findings, name) + event[name])


def _job_of(plan: Plan, options: Options, home: Home, number: int) -> dict[str, Any]:
    """What the worker of a piece gets."""
    piece, head = plan.pieces[number], plan.run.head
    is_absolute = os.path.isabs(head["script"])
    return {"archive": os.path.abspath(options.archive), "experiment": plan.experiment.name, "arguments": head["arguments"],
            "script": os.path.abspath(plan.script) if is_absolute else plan.script,
            "start": piece.start, "stop": piece.stop, "quiet": "", "runs_all": False, "until": piece.until,
            "shown": piece.shown, "only_loop": piece.shown is not None, "steps": plan.steps,
            "skippable": sorted(plan.skippable), "verify": plan.verified,
            "mentioned": sorted({name for probe in plan.probes for name in probe.names}),
            "touched": sorted({name for probe in plan.probes for name in probe.touched}),
            "changes": next((probe.changes for probe in plan.probes if probe.changes), ""),
            "written": home.written, "covered": home.covered if plan.probes else [], "jobs": len(plan.pieces), "is_first": number == 0, "unset": head["unset"],
            "withheld": home.withheld, "recorded_status": plan.run.end.get("status", 0)}


def wanted_by(plan: Plan, piece: Piece) -> list[Wanted]:
    """What the worker of a piece comes by, if all goes as it did, and is to be read for it."""
    skipped = {piece.start, *plan.skipped}
    borders = ((number, plan.run.borders[number]) for number in piece.borders)
    found = [Wanted(number, border.checkpoint, border.position in skipped) for number, border in borders
             if border.checkpoint is not None and not border.checkpoint.why_not and border.checkpoint.size_bytes <= MOST_BYTES]
    sizes = [each.checkpoint.stored_bytes if number else each.checkpoint.size_bytes for number, each in enumerate(found)]
    return found if sum(sizes) >= _WORTH_BYTES else []
