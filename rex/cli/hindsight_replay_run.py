"""What `rex hindsight replay` does, once its words were read."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Callable

from rex.cli.ending import say
from rex.cli.refs import either, is_archive_ref
from rex.errors import OwnFailure, UsageError
from rex.extras import need
from rex.types import format_duration

if TYPE_CHECKING:
    from rex.hindsight.replay.choice import Options
    from rex.hindsight.replay.plan import Plan
    from rex.hindsight.replay.launch import Findings
    from rex.hindsight.replay.workers import Cluster, Workers
    Show = Callable[[str, dict[str, Any]], None]


def require() -> None:
    """Say what is missing that the commands need.

    Raises:
        UsageError: something is.
    """
    need("hindsight", "rex hindsight cannot work")


def run(archive: str = "__default", experiment: str | None = None, jobs: int | None = None, dask: str = "", epochs: str = "",
        sample: str = "", where: str = "", steps: str = "", verify: int = 0, no_skip: bool = False, allow_changes: bool = False,
        allow_divergence: bool = False, yes: bool = False, as_csv: bool = False, as_json: bool = False, script: str | None = None,
        outdir: str = "") -> int:
    """Answer the statements that were added; the exit status: of several runs the largest."""
    require()
    if script and not os.path.isfile(script) and is_archive_ref(script):
        (archive, experiment), script = either(script, archive, experiment), None
    from rex.hindsight.replay.choice import Options
    from rex.hindsight.replay.query import Query
    show = print_event if not (as_csv or as_json) else _table(as_csv)
    found = []
    for each in _meant(archive, experiment):
        options = Options(script, archive, each, jobs, Query(epochs, sample, where, steps), allow_changes, not no_skip, verify, dask)
        try:
            found.append(plan_and_replay(options, allow_divergence, yes, outdir, show))
        except (UsageError, OwnFailure) as error:
            for note in getattr(error, "__notes__", ()):
                print(note, file=sys.stderr, end="", flush=True)
            raise
    return max(found)


def _meant(archive: str, experiment: str | None) -> list[str | None]:
    """The runs that a name means: with * and the like several."""
    if experiment is None or not set("*?[") & set(experiment):
        return [experiment]
    from rex.archive import Archive
    from rex.hindsight.replay.choice import runs_like
    return [*runs_like(Archive.open(archive), experiment)]


def count(number: int, word: str) -> str:
    """So many of these, in words."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def plan_text(plan: "Plan") -> str:
    """What a replay will do, in one line."""
    workers = len(plan.pieces)
    kind = "inner probe" if plan.is_inner else "outer probe" if plan.probes else \
        "nothing was added to the script, so this only checks"
    parts = [f"{kind}: "]
    if plan.skips:
        parts.append(f"{count(plan.skips, 'inner loop')} skipped, ")
    parts.append(f"{count(workers, 'worker')}, about "
                 f"{format_duration(max([piece.run_s for piece in plan.pieces], default=0.0))}")
    return "".join(parts)


def _table(as_csv: bool) -> "Show":
    """What shows answers as rows of a table, each as it comes: CSV, or an object of JSON a line."""
    import csv
    import json
    columns = ["experiment", "iteration", "name", "value"]
    writer = csv.DictWriter(sys.stdout, columns)
    if as_csv:
        writer.writeheader()

    def show(name: str, event: dict[str, Any]) -> None:
        named = event.get("name", "")
        values = [event["value"]] if event["e"] == "value" else event["text"].splitlines() if event["fd"] == 1 else []
        for value in values:
            row = dict(zip(columns, (name, event["iteration"], named, value)))
            writer.writerow(row) if as_csv else print(json.dumps(row))
        sys.stdout.flush()

    return show


def print_event(name: str, event: dict[str, Any]) -> None:
    """Show what a probe printed or logged.

    Args:
        name: of the run.
    """
    if event["e"] == "value":
        print(f"{event['name']} {event['value']}", flush=True)
        return
    stream = sys.stdout if event["fd"] == 1 else sys.stderr
    stream.flush()
    stream.buffer.write(event["text"].encode("utf-8", "surrogateescape"))
    stream.flush()


def plan_and_replay(options: "Options", allow_divergence: bool, yes: bool, outdir: str, show: "Show") -> int:
    """Say what will be done, do it, keep it, and give the verdict; the exit status."""
    from rex.hindsight.replay.choice import find_recorded
    from rex.hindsight.replay.workers import begin
    recorded = find_recorded(options)
    with begin(options, recorded) as workers:
        from rex.hindsight.replay.plan import make_plan     # a worker imports meanwhile
        plan = make_plan(options, recorded, options.jobs or workers.count)
        say(f"rex: {options.archive}:{plan.experiment.name}: {plan_text(plan)}")
        if plan.expected_s > 60 and sys.stdin.isatty() and not yes:
            import click     # few runs are so long
            try:
                click.confirm("rex: go on?", abort=True, err=True)
            except click.Abort:
                raise KeyboardInterrupt from None
        findings, name = replay_and_keep(plan, options, workers, show)
        if findings.files:
            from rex.hindsight.replay.gathered import gather
            outdir = outdir or f"__out_{name}"
            files = gather(findings.files, os.path.abspath(outdir))
            say(f"rex: {count(len(files), 'file')} that added statements wrote: below {outdir}")
        for saved in dict.fromkeys(findings.saved):
            say(f"rex: {count(findings.saved.count(saved), 'object')} that added statements saved: "
                f"rex.hindsight.load({options.archive!r}, {saved!r}, {name!r})")
    return verdict(findings, f"{options.archive}:{name}", allow_divergence)


def replay_and_keep(plan: "Plan", options: "Options", workers: "Workers | Cluster",
                    show: "Show") -> tuple["Findings", str]:
    """Do what was planned; what was found, and the name under which that is kept."""
    import time
    from rex.archive import Archive
    from rex.hindsight.replay.kept import KeptReplay
    from rex.hindsight.replay.launch import run_plan
    kept, begun_s = KeptReplay(Archive.open(options.archive), plan, plan.sources), time.monotonic()

    def take(event: dict[str, Any]) -> None:
        kept.add(event)
        if event["e"] != "saved":
            show(plan.experiment.name, event)

    try:
        findings = run_plan(plan, options, workers, take)
    except BaseException:
        kept.abandon()
        raise
    kept.finish(findings, time.monotonic() - begun_s)
    return findings, kept.name


def verdict(findings: "Findings", where: str, is_allowed: bool) -> int:
    """Say what the check found; the exit status."""
    for note in findings.notes.values():
        say(f"rex: {note}")
    if not findings.diverged:
        say(f"rex: as recorded: output equal, state equal at {count(findings.checked, 'checkpoint')}, "
            f"{count(findings.skipped, 'loop')} skipped; kept as {where}")
        return 0
    first = findings.diverged[0]
    what = first["names"][0] if first["what"] == "state" else "output"
    when = f"in iteration {first['iteration']}" if first["iteration"] >= 0 else "outside the main loop"
    say(f"rex: {what} differs from the recording {when} (seen at {first['position']})")
    if first["what"] == "output":
        say(f"rex: recorded: {first['recorded']!r}\nrex: now:      {first['now']!r}")
    return 0 if is_allowed else 20
