"""Replay a recorded run by workers, here or on a cluster, and gather what they find."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Callable, Iterator

from rex.archive import COMPLETE
from rex.cluster import connect, in_order, worker_count
from rex.errors import UsageError
from rex.hindsight.ahead import Wanted, wanted_by
from rex.hindsight.files import place_apart, private_folders
from rex.hindsight.plan import FOREVER, Options, Plan
from rex.hindsight.workers import Worker, do_piece
from rex.values import dataclass, field

Show = Callable[[dict[str, Any]], None]


@dataclass
class Findings:
    """What the workers told.

    Attributes:
        diverged: where output or state was not as recorded.
        notes: what else the user should know, each once.
    """

    diverged: list[dict[str, Any]] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    values: list[dict[str, Any]] = field(default_factory=list)
    status: int = 0
    skipped: int = 0
    checked: int = 0
    restored: int = 0
    restore_s: float = 0.0
    pause_s: float = 0.0       # what the restored checkpoints had cost


def run_plan(plan: Plan, options: Options, show: Show) -> Findings:
    """Run the pieces side by side; show what probes print in the order of the run.

    Raises:
        UsageError: the script failed, or there is no such cluster.
        OwnFailure: a worker ended without a result.
    """
    findings = Findings()
    jobs = [_job_of(plan, options, number) for number in range(len(plan.pieces))]
    for event in _run_on(options.dask, jobs) if options.dask else _run_here(jobs, [wanted_by(plan, piece) for piece in plan.pieces]):
        _take(findings, event, show)
    return findings


def _run_here(jobs: list[dict[str, Any]], wanted: list[list[Wanted]]) -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="rex-", dir=place_apart(jobs[0]["written"])) as work:
        workers = [Worker(job, work, each) for job, each in zip(jobs, wanted)]
        try:
            for worker in workers:
                yield from worker.events()
        finally:
            for worker in workers:
                worker.stop()


def _run_on(address: str, jobs: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    with connect(address) as client:
        for events, failure in in_order(client, do_piece, jobs):
            yield from events
            if failure:
                error = UsageError(*failure[:3])
                error.add_note("".join(failure[3:]))
                raise error


def cluster_size(address: str) -> int:
    """How many workers a Dask cluster has.

    Raises:
        UsageError: there is no such cluster, or it has none.
    """
    with connect(address) as client:
        return worker_count(client)


def _take(findings: Findings, event: dict[str, Any], show: Show) -> None:
    kind = event["e"]
    if kind in ("probe", "value"):
        show(event)
    elif kind == "diverged":
        findings.diverged.append(event)
    elif kind == "note":
        findings.notes.setdefault(event["key"], event["text"])
    elif kind == "end":
        findings.status = event["status"] or findings.status
        for name in ("skipped", "checked", "restored", "restore_s", "pause_s"):
            setattr(findings, name, getattr(findings, name) + event[name])


def _job_of(plan: Plan, options: Options, number: int) -> dict[str, Any]:
    """What the worker of a piece is told."""
    piece, head = plan.pieces[number], plan.run.head
    is_absolute = os.path.isabs(head["script"])
    kept = head.get("environment") or (     # former recordings have it in the manifest alone
        plan.experiment.manifest.environment if plan.experiment.state == COMPLETE else dict(os.environ))
    return {"do": "replay", "archive": os.path.abspath(options.archive), "cwd": os.getcwd(),
            "experiment": plan.experiment.name, "arguments": head["arguments"],
            "script": os.path.abspath(plan.script) if is_absolute else plan.script,
            "start": piece.start, "stop": piece.stop, "quiet": "", "runs_all": False, "until": plan.until,
            "shown": plan.shown, "only_loop": plan.shown[0] > 0 or plan.until < FOREVER,
            "skippable": sorted(plan.skippable), "verify": plan.verified,
            "mentioned": sorted({name for probe in plan.probes for name in probe.names}),
            "touched": sorted({name for probe in plan.probes for name in probe.touched}),
            "changes": next((probe.changes for probe in plan.probes if probe.changes), ""),
            "written": private_folders(plan.run, plan.script), "jobs": len(plan.pieces), "is_first": number == 0, "unset": head["unset"],
            "withheld": head["withheld"], "recorded_status": plan.run.end.get("status", 0),
            "environment": {**kept, "PYTHONHASHSEED": head["hash_seed"]}}
