"""rex hindsight"""

from __future__ import annotations

import sys
from typing import Any

import click

from rex.cli.options import named_by_options
from rex.cli import hindsight_replay_run
from rex.cli.hindsight_replay_run import count
from rex.cli.table import clean, guarded, parse_ref, print_columns, print_json
from rex.errors import UsageError
from rex.text import quoted
from rex.types import format_duration, format_size, parse_duration, parse_size


@click.group("hindsight", epilog="Example: rex hindsight record train.py")
def command() -> None:
    """Record a training script; later, answer log statements that were added to it."""


def _where(archive: str, experiment: str) -> str:
    return f"-e {experiment}" if archive == "__default" else f"-l {quoted(archive)} -e {experiment}"


@command.command("record", context_settings={"allow_interspersed_args": False},
                 epilog="Example: rex hindsight record -l EXP train.py --epochs 24   "
                        "Exit: the script's; 125 Rex failed, 127 no such script.")
@click.option("-l", "--archive", default="__default", show_default=True, help="The archive to add to.")
@click.option("-e", "--experiment", metavar="NAME", help="Name of the experiment (exp0, exp1, ...).")
@click.option("--overhead", type=click.FloatRange(0, 1), default=0.05, show_default=True,
              help="Share of the run's time that checkpoints may take; 1: one at every border.")
@click.option("--budget", metavar="SIZE", help="Bytes of checkpoints at most (4GiB); older ones are dropped.")
@click.option("--granularity", metavar="DURATION", default="50ms", show_default=True,
              help="Loops with shorter bodies have no checkpoints inside; a fifth of it for the outermost.")
@click.option("--resume", metavar="EXP", help="Go on with a run that broke off, from its last checkpoint.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON, on standard error.")
@click.argument("script", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def record_command(archive: str, experiment: str | None, overhead: float, budget: str | None,
                   granularity: str, resume: str | None, as_json: bool, script: str | None,
                   arguments: tuple[str, ...]) -> int:
    """Run a training script, unchanged, and keep checkpoints of its state.

    With --resume this loads states of the archive, which may hold any code, with your rights: go on only with runs that you trust."""
    hindsight_replay_run.require()
    from rex.cli.ending import end_like
    from rex.hindsight.record.launch import Options, record
    if not script and not resume:
        raise UsageError("no script was given", "", "see: rex hindsight record --help")
    try:
        size = parse_size(budget) if budget else None
        body_s = parse_duration(granularity)
    except ValueError as error:
        raise UsageError(str(error)) from None
    outcome = record(Options(script or "", arguments, archive, experiment, overhead, size, body_s,
                             resume))
    where = f"{archive}:{outcome.experiment}"
    if as_json:
        import json
        click.echo(json.dumps({"archive": archive, "experiment": outcome.experiment,
                               **outcome.facts}), err=True)
    elif outcome.facts:
        _print_summary(archive, outcome.experiment, outcome.facts)
    else:
        click.echo(f"rex: the run broke off; go on with: rex hindsight record -l {quoted(archive)} "
                   f"--resume {outcome.experiment}", err=True)
    return end_like(outcome.status)


def _print_summary(archive: str, experiment: str, facts: dict[str, Any]) -> None:
    for module in facts["plain_modules"]:
        click.echo(f"rex: not instrumented, so it has no checkpoints: {clean(module)}", err=True)
    if facts["failure"]:
        click.echo(f"rex: checkpoints ended early: {clean(facts['failure'])}", err=True)
    if facts["why_none"] and not facts["failure"]:
        click.echo(f"rex: no checkpoint was kept, so a replay runs every loop: {facts['why_none']}", err=True)
    what = (f"{count(facts['iterations'], 'iteration')}, {count(facts['checkpoints'], 'checkpoint')}, "
            f"{format_size(facts['stored'])}, overhead {facts['overhead']:.1%}")
    took = format_duration(facts["took_s"])
    if not facts["status"]:
        click.echo(f"rex: recorded {clean(archive)}:{experiment} in {took}: {what}; add statements to it, then: "
                   f"rex hindsight replay {_where(archive, experiment)}", err=True)
        return
    click.echo(f"rex: the script failed with exit status {facts['status']} after {took}; kept as {clean(archive)}:{experiment}: {what}",
               err=True)
    if facts["checkpoints"]:
        click.echo(f"rex: to go on with it: rex hindsight record -l {quoted(archive)} --resume {experiment}", err=True)


@command.command("replay", epilog="Example: rex hindsight replay -l EXP --epochs 40:60,last -j 4   "
                 "Exit: 0 as recorded, 20 output or state differs, 2 bad request, 10 no such run.")
@click.option("-l", "--archive", default="__default", show_default=True, help="The archive.")
@click.option("-e", "--experiment", metavar="EXP", help="The run, or with * those that are called so; by default the newest.")
@click.option("-j", "--jobs", type=click.IntRange(1), help="Workers at once: 1, or those of the cluster.")
@click.option("--dask", metavar="ADDRESS", default="",
              help="Let the workers of this Dask cluster run; they see the same paths.")
@click.option("--epochs", metavar="LIST", default="", help="Iterations of the main loop: 5,8,20:40:5,last.")
@click.option("--sample", metavar="PART", default="", help="So many of them, chosen at random: 10% or 3.")
@click.option("--where", metavar="CONDITION", default="", help="Those in which it holds on logged values: 'loss > 3'.")
@click.option("--steps", metavar="LIST", default="", help="Iterations of the loop within the main loop: 0:1000:100.")
@click.option("--csv", "as_csv", is_flag=True, help="Print answers as CSV.")
@click.option("--json", "as_json", is_flag=True, help="Print answers as JSON, one a line.")
@click.option("-o", "--outdir", default="", help="Where files go that added statements write, each at its absolute path below; "
              "__out_<replay> if not given.")
@click.option("--verify", metavar="K", type=click.IntRange(0), default=0,
              help="Run K loops, chosen at random, that could be skipped.")
@click.option("--no-skip", is_flag=True, help="Run every loop, skip none.")
@click.option("--allow-changes", is_flag=True, help="Replay though code was changed, not only added.")
@click.option("--allow-divergence", is_flag=True, help="Exit 0 though output or state differs.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask before a replay that takes long.")
@click.argument("script", required=False)
def replay_command(**words: Any) -> int:
    """Answer the statements that were added to a recorded script.

    This runs the script, and loads states of the archive, which may hold any code, with your rights: answer only recordings
    that you trust."""
    return hindsight_replay_run.run(**words)


@command.command("show", epilog="Example: rex hindsight show EXP:exp0 --csv   "
                 "Exit: 0 done, 2 bad request, 10 no such run, 13 damaged.")
@click.argument("ref", metavar="[ARCHIVE[:EXP]]", default="__default")
@click.option("--csv", "as_csv", is_flag=True, help="Print the logged values as CSV.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@named_by_options("ref")
@guarded
def show_command(ref: str, as_csv: bool, as_json: bool) -> int:
    """List the runs and replays of an archive; of one run its checkpoints and values."""
    hindsight_replay_run.require()
    from rex.archive import Archive
    from rex.hindsight.replay.shown import describe_run, find_run, list_runs, values_of
    named = parse_ref(ref)
    archive = Archive.open(named.archive)
    if as_csv:
        import csv
        writer = csv.writer(sys.stdout)
        writer.writerow(["experiment", "iteration", "name", "value"])
        for value in values_of(archive, named.experiment):
            writer.writerow([value["experiment"], value["iteration"], value["name"], value["value"]])
        return 0
    if named.experiment is None:
        runs = list_runs(archive)
        if as_json:
            print_json(runs)
        else:
            print_columns([[run["name"], run["kind"] + (f" of {run['of']}" if run["of"] else ""),
                            clean(run["command"]), run["state"], str(run["iterations"]),
                            str(run["checkpoints"]), format_size(run["stored"])] for run in runs],
                          ("experiment", "kind", "command", "state", "iterations", "checkpoints", "stored"),
                          right=(4, 5, 6))
        return 0
    told = describe_run(archive, named.experiment, find_run(archive, named.experiment))
    if as_json:
        print_json(told)
        return 0
    print_columns([(key, clean(str(value))) for key, value in told["facts"].items()])
    if told["checkpoints"]:
        print_columns([[str(c["number"]), c["position"], format_size(c["size"]), format_duration(c["pause_s"]),
                        clean("; ".join(f"{k}: {v}" for k, v in c["why_not"].items())) or "yes"]
                       for c in told["checkpoints"]],
                      ("checkpoint", "position", "state", "pause", "complete"), right=(0, 2, 3), is_cut=True)
    for value in told["values"]:
        click.echo(f"{value['experiment']} iteration {clean(str(value['iteration']))}: {clean(value['name'])} "
                   f"{clean(str(value['value']))}")
    return 0
