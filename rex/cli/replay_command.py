"""rex replay"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from rex.errors import UsageError

if TYPE_CHECKING:
    from rex.replay import Outcome

_STREAMS = {2: "standard output", 3: "standard error"}


def verdict(outcome: "Outcome") -> tuple[int, str]:
    """The exit code of `--check` and the reason in words."""
    if not outcome.is_identical:
        parts = [f"{path}: {why}" for path, why in sorted(outcome.differing.items())]
        if outcome.differs_at:
            parts.append(difference_text(outcome.differs_at))
        if not outcome.is_same_status:
            parts.append("the exit status differs")
        return (20 if outcome.divergences else 1), "; ".join(parts)
    if outcome.divergences:
        return 20, "the output is identical, but the log was not followed"
    return 0, "identical"


def difference_text(differs_at: tuple[int, int]) -> str:
    """The first output that is another one."""
    event, stream = differs_at
    return f"{_STREAMS.get(stream, 'output')} differs at event {event}"


def divergence_text(outcome: "Outcome", archive: str) -> str:
    """The first divergence in one line."""
    first = outcome.divergence
    if not first:
        return ""
    race = "; what its threads do may depend on their order: record it with --serialize" if first.may_race else ""
    return (f"replay diverged at event {first.event} ({first.why}): log has {first.logged}, "
            f"program asked for {first.asked}; see: rex log {archive}:{outcome.experiment.name} "
            f"--around {first.event}{race}")


def as_json(outcome: "Outcome", archive: str) -> dict[str, Any]:
    """The outcome for machines."""
    code, reason = verdict(outcome)
    return {"archive": archive, "experiment": outcome.experiment.name, "outdir": outcome.outdir,
            "exit_status": outcome.experiment.manifest.exit_status if outcome.is_same_status
            else outcome.status, "check": code, "verdict": reason,
            "divergences": outcome.divergences,
            "divergence": vars(outcome.divergence) if outcome.divergence else None,
            "differing": outcome.differing, "problems": outcome.problems}


@click.command(epilog="Example: rex replay -l EXP -o out   "
                      "Exit: the program's, 125 Rex failed; with --check 0 identical, "
                      "1 output differs, 20 the log was not followed.")
@click.option("-l", "--archive", default="__default", show_default=True, help="The archive to read.")
@click.option("-e", "--experiment", metavar="EXP", help="Which experiment (the default one).")
@click.option("-o", "--outdir", default="__out_default", show_default=True,
              help="Where outputs go, each at its absolute path below.")
@click.option("--check", is_flag=True, help="Compare with the recording; the program's output is not shown.")
@click.option("--sandbox", is_flag=True,
              help="Let the programs see nothing of this machine but their own files and OUTDIR.")
@click.option("--all", "all_versions", is_flag=True,
              help="Replay all versions (see: rex record --cells), shared prefixes once; "
                   "outputs in OUTDIR/<experiment>.")
@click.option("--cache", metavar="SIZE", help="With --all: what checkpoints may take together (half of the free memory).")
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=1, show_default=True,
              help="With --all: processes side by side; 1 follows the plan of rex plan.")
@click.option("--dask", metavar="ADDRESS", default="",
              help="With --all: let the workers of this Dask cluster replay; they see the same paths.")
@click.option("--checkpoint", type=click.Choice(["fork", "criu"]), default="fork", show_default=True,
              help="With --all: how states are kept; only fork is there yet.")
@click.option("--algorithm", type=click.Choice(["best", "pc", "prp-v1", "prp-v2", "lfu", "none"]), default="best",
              show_default=True, help="With --all: the planner.")
@click.option("--tolerance", type=click.FloatRange(0, 1), default=0.0, metavar="PART",
              help="With --all: pixels of images may differ by this part of their range.")
@click.option("--persist", "plan_path", metavar="PLAN", type=click.Path(),
              help="Run step by step as this answer of rex schedule --json has it, and persist what it says.")
@click.option("--store", "store_url", metavar="URL", help="Where to persist: a folder, or any fsspec URL.")
@click.option("--resume", is_flag=True, help="Go on from what the store has, after a failure.")
@click.option("--complete", is_flag=True, help="In the end have the files between the steps too, not only the results.")
@click.option("--json", "json_wanted", is_flag=True, help="Print a report as JSON (last on standard output).")
@click.option("-q", "--quiet", is_flag=True, help="No summary line.")
def command(archive: str, experiment: str | None, outdir: str, check: bool, sandbox: bool, all_versions: bool,
            cache: str | None, jobs: int, dask: str, checkpoint: str, algorithm: str, tolerance: float,
            plan_path: str | None, store_url: str | None, resume: bool, complete: bool, json_wanted: bool,
            quiet: bool) -> int:
    """Run an experiment again from the archive alone: same output, in OUTDIR.

    This runs the programs of the archive: replay only what you would run, or use --sandbox."""
    from rex.cli.record_command import end_like
    from rex.replay import replay
    from rex.text import clean
    if plan_path or store_url or resume or complete:
        from pathlib import Path
        from rex.cli.persist import run_plan
        if sandbox or all_versions or not plan_path or not store_url:
            raise UsageError("--persist and --store go together", "and without --sandbox and --all", "give both")
        return run_plan(archive, experiment, Path(plan_path), store_url, outdir, is_resumed=resume, is_complete=complete,
                        is_checked=check, is_quiet=quiet, as_json=json_wanted)
    if all_versions:
        from rex.cli.allversions import replay_versions
        if sandbox:
            raise UsageError("--all cannot run in a sandbox yet", "", "leave --sandbox out")
        if checkpoint != "fork":
            raise UsageError("checkpoints by CRIU are not possible", "CRIU must trace what it saves, a process has one "
                             "tracer, and that is Rex", "leave --checkpoint out: states are kept as forked processes")
        if experiment:
            raise UsageError("--all replays every version", f"-e names only {experiment}", "leave one of them out")
        return replay_versions(archive, outdir, cache, jobs, algorithm, tolerance, dask, check, json_wanted, quiet)
    outcome = replay(archive, experiment, outdir, is_quiet=check, is_checked=check or json_wanted,
                     is_sandboxed=sandbox)
    code, reason = verdict(outcome)
    if json_wanted:
        click.echo(json.dumps(as_json(outcome, archive)))
    if outcome.divergence:
        click.echo(f"rex: {divergence_text(outcome, archive)}", err=True)
    elif outcome.differs_at and not check:
        click.echo(f"rex: {difference_text(outcome.differs_at)}", err=True)
    for problem in outcome.problems:
        click.echo(f"rex: {clean(problem)}", err=True)
    if check:
        if not quiet:
            click.echo(f"rex: {archive}:{outcome.experiment.name}: {reason}", err=True)
        return code
    if not quiet:
        click.echo(f"rex: replayed {archive}:{outcome.experiment.name}; outputs in {outdir}", err=True)
    return end_like(outcome.status)
