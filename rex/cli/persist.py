"""`rex replay --persist`: a recorded workflow, step by step as a plan has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rex.cli.ending import Report
from rex.errors import Diverged, UsageError
from rex.types import format_size

if TYPE_CHECKING:
    from rex.workflow.rerun import Rerun

_SHOWN = 3


def read_plan(path: Path) -> dict[str, Any]:
    """An answer of `rex schedule ARCHIVE:EXP --json`.

    Raises:
        UsageError: it is none.
    """
    from rex.workflow.dag import read_json
    from rex.workflow.steps import DEPTH, GROUPINGS
    told = read_json(path)
    lists = [told.get(key) for key in ("order", "checkpointed")] if isinstance(told, dict) else []
    if not lists or not all(isinstance(each, list) and all(isinstance(i, str) for i in each) for each in lists):
        raise UsageError(f"{path} is no plan", 'it needs the lists "order" and "checkpointed"',
                         "make one with: rex schedule ARCHIVE:EXP --mtbf 6h --json")
    assert isinstance(told, dict)
    if told.setdefault("group", DEPTH) not in GROUPINGS:
        raise UsageError(f"{path} is no plan", "it groups steps in a way that this Rex does not know")
    return told


def run_plan(archive: str, experiment: str | None, plan_path: Path, store_url: str, outdir: str, *, is_resumed: bool,
             is_complete: bool, is_checked: bool, is_quiet: bool, as_json: bool, is_lenient: bool, told: Report) -> int:
    """Run it and report; the program's exit status, or with --check whether results are as recorded."""
    from rex.cli.ending import end_like
    from rex.workflow.rerun import Request, rerun
    plan = read_plan(plan_path)
    named = plan.get("experiment")
    if experiment and named and named != experiment:
        raise UsageError(f"{plan_path} is a plan of {named}", f"not of {experiment}", "give the experiment of the plan")
    request = Request(plan["order"], plan["checkpointed"], plan["group"], store_url, outdir, is_resumed, is_complete,
                      is_quiet=is_checked)
    done = rerun(archive, experiment or (named if isinstance(named, str) else None), request)
    told.write(describe(done))
    if as_json:
        click.echo(json.dumps(describe(done)))
    if not is_quiet:
        show(done, archive, outdir, store_url)
    if is_checked:
        return Diverged.code if done.divergences else 1 if done.differing else 0
    if done.divergences and not is_lenient:
        return Diverged.code
    return end_like(done.status)


def describe(done: "Rerun") -> dict[str, Any]:
    """For machines."""
    return {"experiment": done.experiment.name, "steps_run": list(done.runs), "seconds": done.runs, "steps_restored": done.restored,
            "passes": done.passes, "sent_bytes": done.sent_bytes, "left_out": done.left_out,
            "differing": done.differing, "divergences": done.divergences, "wait_status": done.status}


def show(done: "Rerun", archive: str, outdir: str, store_url: str) -> None:
    """One line of what was done, and one for each thing that is not as one might think."""
    from rex.cli.table import clean
    passes = f" in {done.passes} passes" if done.passes > 1 else ""
    click.echo(f"rex: replayed {archive}:{done.experiment.name}: {len(done.runs)} steps run{passes}, "
               f"{len(done.restored)} had run before; {format_size(done.sent_bytes)} persisted in {clean(store_url)}; "
               f"outputs in {outdir}", err=True)
    for path, why in sorted(done.differing.items()):
        click.echo(f"rex: {clean(path)}: {why}", err=True)
    if done.left_out:
        names = " ".join(clean(path) for path in done.left_out[:_SHOWN])
        more = f" and {len(done.left_out) - _SHOWN} more" if len(done.left_out) > _SHOWN else ""
        click.echo(f"rex: not there, for no step needs it any more: {names}{more} (--complete makes them again)", err=True)
    if done.divergences:
        click.echo("rex: the log was not followed: steps that read each other in ways that no file tells? "
                   "Try another --group", err=True)
