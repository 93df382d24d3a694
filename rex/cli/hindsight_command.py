"""rex hindsight"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from rex.cli.record_command import end_like
from rex.errors import OwnFailure, UsageError
from rex.types import format_duration, format_size, parse_duration, parse_size

if TYPE_CHECKING:
    from rex.hindsight.replay import Findings, Options, Plan


@click.group("hindsight", epilog="Example: rex hindsight record train.py")
def command() -> None:
    """Record a training script; later, answer log statements that were added to it."""


@command.command("record", context_settings={"allow_interspersed_args": False},
                 epilog="Example: rex hindsight record -l EXP train.py --epochs 24   "
                        "Exit: the script's; 125 Rex failed, 127 no such script.")
@click.option("-l", "--archive", default="__default", show_default=True, help="The archive to add to.")
@click.option("-e", "--experiment", metavar="NAME", help="Name of the experiment (exp0, exp1, ...).")
@click.option("--overhead", type=click.FloatRange(0, 1), default=0.0667, show_default=True,
              help="Share of the run's time that checkpoints may take; 1: one at every border.")
@click.option("--budget", metavar="SIZE", help="Bytes of checkpoints at most (4GiB).")
@click.option("--granularity", metavar="DURATION", default="50ms", show_default=True,
              help="Loops with shorter bodies have no checkpoints inside.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON, on standard error.")
@click.argument("script")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def record_command(archive: str, experiment: str | None, overhead: float, budget: str | None,
                   granularity: str, as_json: bool, script: str, arguments: tuple[str, ...]) -> int:
    """Run a training script, unchanged, and keep checkpoints of its state."""
    from rex.hindsight.record import Options, record
    try:
        size = parse_size(budget) if budget else None
        body_s = parse_duration(granularity)
    except ValueError as error:
        raise UsageError(str(error)) from None
    outcome = record(Options(script, arguments, archive, experiment, overhead, size, body_s))
    where = f"{archive}:{outcome.experiment}"
    if as_json:
        import json
        click.echo(json.dumps({"archive": archive, "experiment": outcome.experiment,
                               **outcome.facts}), err=True)
    elif outcome.facts:
        facts = outcome.facts
        share = facts["pause_s"] / max(facts["took_s"] - facts["pause_s"], 1e-9)
        click.echo(f"rex: recorded {where} in {format_duration(facts['took_s'])}: "
                   f"{facts['iterations']} iterations, {facts['checkpoints']} checkpoints, "
                   f"{format_size(facts['stored'])}, overhead {share:.1%}; "
                   f"replay with: rex hindsight replay -l {archive} -e {outcome.experiment}", err=True)
    return end_like(outcome.status)


def plan_text(plan: "Plan") -> str:
    """What a replay will do, in one line."""
    workers = len(plan.pieces)
    kind = "inner probe" if plan.is_inner else "outer probe" if plan.probes else "no probe"
    parts = [f"{kind}: "]
    if plan.skips:
        parts.append(f"{plan.skips} inner loops skipped, ")
    parts.append(f"{workers} worker{'s' if workers > 1 else ''}, about "
                 f"{format_duration(max([piece.run_s for piece in plan.pieces], default=0.0))}")
    return "".join(parts)


def print_event(event: dict[str, Any]) -> None:
    """Show what a probe printed or logged."""
    if event["e"] == "value":
        click.echo(f"{event['name']} {event['value']}")
        return
    stream = sys.stdout if event["fd"] == 1 else sys.stderr
    stream.flush()
    stream.buffer.write(event["text"].encode("utf-8", "surrogateescape"))
    stream.flush()


@command.command("replay", epilog="Example: rex hindsight replay -l EXP --epochs 40:60 -j 4   "
                 "Exit: 0 as recorded, 20 output or state differs, 2 bad request, 10 no such run.")
@click.option("-l", "--archive", default="__default", show_default=True, help="The archive.")
@click.option("-e", "--experiment", metavar="EXP", help="The run; by default the newest.")
@click.option("-j", "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Workers at once.")
@click.option("--epochs", metavar="A:B", help="Iterations of the main loop, from A until before B.")
@click.option("--no-skip", is_flag=True, help="Run every loop, skip none.")
@click.option("--allow-changes", is_flag=True, help="Replay though code was changed, not only added.")
@click.option("--allow-divergence", is_flag=True, help="Exit 0 though output or state differs.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask before a replay that takes long.")
@click.argument("script", required=False)
def replay_command(archive: str, experiment: str | None, jobs: int, epochs: str | None, no_skip: bool,
                   allow_changes: bool, allow_divergence: bool, yes: bool, script: str | None) -> int:
    """Answer the statements that were added to a recorded script."""
    from rex.hindsight.replay import Options
    options = Options(script, archive, experiment, jobs, parse_epochs(epochs), allow_changes, not no_skip)
    try:
        return plan_and_replay(options, allow_divergence, yes)
    except (UsageError, OwnFailure) as error:
        for note in getattr(error, "__notes__", ()):
            click.echo(note, err=True, nl=False)
        raise


def plan_and_replay(options: "Options", allow_divergence: bool, yes: bool) -> int:
    """Say what will be done, do it, and give the verdict; the exit status."""
    from rex.hindsight.replay import make_plan, run_plan
    plan = make_plan(options)
    click.echo(f"rex: {options.archive}:{plan.experiment.name}: {plan_text(plan)}", err=True)
    if plan.expected_s > 60 and sys.stdin.isatty() and not yes:
        click.confirm("rex: go on?", abort=True, err=True)
    findings = run_plan(plan, options, print_event)
    return verdict(findings, allow_divergence)


def verdict(findings: "Findings", is_allowed: bool) -> int:
    """Say what the check found; the exit status."""
    for note in findings.notes.values():
        click.echo(f"rex: {note}", err=True)
    if not findings.diverged:
        click.echo(f"rex: as recorded: output equal, state equal at {findings.checked} checkpoints, "
                   f"{findings.skipped} loops skipped", err=True)
        return 0
    first = findings.diverged[0]
    what = first["names"][0] if first["what"] == "state" else "output"
    click.echo(f"rex: {what} differs from the recording at iteration {first['iteration']} "
               f"({first['position']})", err=True)
    if first["what"] == "output":
        click.echo(f"rex: recorded {first['recorded']!r:.200}, now {first['now']!r:.200}", err=True)
    return 0 if is_allowed else 20


def parse_epochs(text: str | None) -> tuple[int, int] | None:
    """From and until of A:B; either may be left out, and A alone is one.

    Raises:
        UsageError: it is no range.
    """
    if text is None:
        return None
    low, colon, high = text.partition(":")
    try:
        start = int(low or 0)
        stop = int(high) if high else 1 << 60
    except ValueError:
        raise UsageError(f"not a range of iterations: {text}", "", "write 40:60") from None
    return (start, stop) if colon else (start, start + 1)
