"""`rex replay --all` of plain recordings: what it prints."""

from __future__ import annotations

import fnmatch
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rex.cli.ending import Report
from rex.errors import NotFound, OwnFailure, UsageError
from rex.text import clean
from rex.types import format_duration, format_size, parse_size

if TYPE_CHECKING:
    from rex.archive import Experiment
    from rex.contents.rules import Rules
    from rex.trees.cut import Run
    from rex.trees.merge import StepTree
    from rex.trees.replayall import StepsReplayed, Wishes


def runs_to_replay(archive: str, pattern: str | None) -> "list[Experiment] | None":
    """The finished plain runs that are meant; None where the versions of the archive, recorded by cells, are.

    Args:
        pattern: of names; None: all.
    """
    from rex.archive import Archive
    from rex.trees.cut import plain_runs
    experiments = Archive.open(archive).experiments()
    runs = plain_runs(experiments)
    if pattern is not None:
        return [each for each in runs if fnmatch.fnmatchcase(each.name, pattern)]
    names = {run.name for run in runs}
    has_versions = any("cells" in each.manifest.attachments for each in experiments if each.name not in names and each.state == "complete")
    return runs if runs and not has_versions else None


def kept_bytes(cache: str | None) -> int | None:
    """The size that was asked for; None: no limit.

    Raises:
        UsageError: it is none.
    """
    try:
        return None if cache is None else parse_size(cache)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"bad --cache: {error}") from error


@dataclass(frozen=True)
class Chosen:
    """The runs to replay or to plan, and what they share.

    Attributes:
        notes: for the user.
        facts: for machines: of the choice by a deadline.
    """

    runs: "list[Run]"
    tree: "StepTree"
    notes: list[str]
    facts: dict[str, Any]


def choose(wishes: "Wishes", experiments: "list[Experiment]", pattern: str | None) -> Chosen:
    """Read the runs; of these as many as fit the deadline.

    Raises:
        NotFound: there are none.
        UsageError: none fits.
    """
    from rex.archive import Archive
    from rex.trees.cut import load_runs
    from rex.trees.merge import merge_steps
    notes: list[str] = []
    runs = load_runs(experiments, notes, Archive.open(wishes.archive).experiments())
    if not runs:
        raise NotFound(f"no finished run of {wishes.archive} is named {pattern}" if pattern else f"there are no finished runs in {wishes.archive}", "",
                       "see: rex ls")
    tree = merge_steps(runs)
    fit = wishes.fit(tree)
    if fit is None:
        return Chosen(runs, tree, notes, {})
    notes.append(f"{len(fit.runs)} of {len(runs)} runs fit {format_duration(wishes.deadline_s or 0.0)}; no choice has more than {fit.at_most}")
    return Chosen([run for run in runs if run.name in fit.runs], tree.only(set(fit.runs)), notes,
                  {"deadline": wishes.deadline_s, "of": len(runs), "at_most": fit.at_most})


def replay_runs(wishes: "Wishes", experiments: "list[Experiment]", pattern: str | None, check: bool, as_json: bool, quiet: bool, told: Report,
                rules: "Rules | None" = None) -> int:
    """Run `rex replay --all` on plain recordings; the exit code."""
    from rex.trees.replayall import replay_steps
    chosen = choose(wishes, experiments, pattern)
    done = replay_steps(wishes, chosen.runs, chosen.tree)
    if check:
        judge(done, wishes, rules)
    found = describe(done, chosen.tree, wishes) | chosen.facts
    told.write(found)
    if as_json:
        click.echo(json.dumps(found))
    if not quiet:
        for note in chosen.notes:
            click.echo(f"rex: {clean(note)}", err=True)
        show(done, chosen.tree, wishes, check)
    if any(each.is_host_failure for each in done.runs):
        return OwnFailure.code
    return 1 if any(each.failed for each in done.runs) or check and not done.is_identical else 0


def judge(done: "StepsReplayed", wishes: "Wishes", rules: "Rules | None") -> None:
    """Say of outputs that differ what that means, and let those that the rules allow not count."""
    import contextlib
    import os
    from rex.archive import Archive
    from rex.contents.rules import Rules
    from rex.expdiff.output import STDERR, STDOUT
    from rex.expdiff.replayed import judge_files, judge_streams
    rules, archive, outdir = rules or Rules(), Archive.open(wishes.archive), wishes.outdir
    for run in done.runs:
        experiment = archive.experiment(run.name)
        if run.differing:
            run.differing, run.within = judge_files(archive, experiment.manifest, os.path.join(outdir, run.name), run.differing, rules)
        if not run.is_same_output and rules.is_set and not run.failed:
            with contextlib.ExitStack() as stack:
                files = {stream: stack.enter_context(open(os.path.join(outdir, f"{run.name}.{name}"), "rb"))
                         for stream, name in ((STDOUT, "stdout"), (STDERR, "stderr"))}
                run.is_same_output, said = judge_streams(experiment, files, rules)
            run.within.update(said if run.is_same_output else {})


def describe(done: "StepsReplayed", tree: "StepTree", wishes: "Wishes") -> dict[str, Any]:
    """For machines; seconds and bytes."""
    return {"archive": wishes.archive, "outdir": wishes.outdir, "one_by_one": done.plan.alone_s, "planned": done.plan.cost_s,
            "lower_bound": done.plan.bound_s, "processor": done.cpu_s, "wall": done.wall_s, "peak": done.plan.peak_bytes,
            "identical": done.is_identical,
            "runs": {each.name: {"identical": each.is_identical, "verdict": each.describe(), "within_tolerance": each.within, "ran": each.ran, "put_back": each.put_back,
                                 "seconds": each.seconds, "steps": len(tree.runs[each.name])} for each in done.runs}}


def show(done: "StepsReplayed", tree: "StepTree", wishes: "Wishes", check: bool) -> None:
    """A line for each run that is not as recorded, or with --check for each, and one for all."""
    for each in done.runs:
        if check or not each.is_identical:
            click.echo(f"rex: {clean(wishes.archive)}:{each.name}: {clean(each.describe())}", err=True)
    back = sum(len(each.put_back) for each in done.runs)
    steps = sum(map(len, tree.runs.values()))
    click.echo(f"rex: replayed {len(done.runs)} runs in {format_duration(done.wall_s)}: of {steps} steps {back} were put back; "
               f"{format_duration(done.cpu_s)} of processor time, planned {format_duration(done.plan.cost_s)} instead of {format_duration(done.plan.alone_s)}; "
               f"{format_size(done.plan.peak_bytes)} kept at most; outputs in {clean(wishes.outdir)}", err=True)
