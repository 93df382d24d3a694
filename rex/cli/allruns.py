"""`rex replay --all` of plain recordings: what it prints."""

from __future__ import annotations

import fnmatch
import json
from typing import TYPE_CHECKING, Any

import click

from rex.cli.ending import Report
from rex.errors import NotFound, OwnFailure, UsageError
from rex.text import clean
from rex.types import format_duration, format_size, parse_size

if TYPE_CHECKING:
    from rex.archive import Archive, Experiment
    from rex.contents.rules import Rules
    from rex.trees.cut import Run
    from rex.trees.merge import StepTree
    from rex.trees.replayall import StepsReplayed


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


def replay_runs(archive: str, chosen: "list[Experiment]", pattern: str | None, outdir: str, cache: str | None, workers: int, dask: str,
                deadline_s: float | None, sandbox: bool, as_json: bool, quiet: bool, check: bool, told: Report,
                rules: "Rules | None" = None) -> int:
    """Run `rex replay --all` on plain recordings; the exit code."""
    from rex.archive import Archive
    from rex.trees.cut import load_runs
    from rex.trees.keeping import KEEP_NOTHING
    from rex.trees.merge import merge_steps
    from rex.trees.replayall import replay_steps
    budget_bytes = None
    if cache is not None:
        try:
            budget_bytes = parse_size(cache)
        except (ValueError, OverflowError) as error:
            raise UsageError(f"bad --cache: {error}") from error
    opened, notes = Archive.open(archive), list[str]()
    runs = load_runs(chosen, notes)
    if not runs:
        raise NotFound(f"no finished run of {archive} is named {pattern}" if pattern else f"there are no finished runs in {archive}", "",
                       "see: rex ls")
    tree, choice = merge_steps(runs), dict[str, Any]()
    if deadline_s is not None:
        runs, tree, choice = within(deadline_s, runs, tree, KEEP_NOTHING if sandbox else budget_bytes, workers)
        notes.append(f"{len(runs)} of {choice['of']} runs fit {format_duration(deadline_s)}; no choice has more than {choice['at_most']}")
    done = replay_steps(opened, runs, tree, outdir, budget_bytes, workers, sandbox, dask)
    if check:
        judge(done, opened, outdir, rules)
    found = describe(done, tree, archive, outdir) | choice
    told.write(found)
    if as_json:
        click.echo(json.dumps(found))
    if not quiet:
        for note in notes:
            click.echo(f"rex: {clean(note)}", err=True)
        show(done, tree, archive, outdir, check)
    if any(each.is_host_failure for each in done.runs):
        return OwnFailure.code
    return 1 if any(each.failed for each in done.runs) or check and not done.is_identical else 0


def within(deadline_s: float, runs: "list[Run]", tree: "StepTree", budget_bytes: int | None, workers: int) -> "tuple[list[Run], StepTree, dict[str, Any]]":
    """As many runs as fit the deadline, their tree, and the facts of the choice for the report."""
    from rex.trees.deadline import fit_runs, only, planned_s
    from rex.trees.keeping import plan_kept
    fit = fit_runs(tree, deadline_s, lambda part: planned_s(part, plan_kept(part, budget_bytes), workers), workers)
    return ([run for run in runs if run.name in fit.runs], only(tree, set(fit.runs)),
            {"deadline": deadline_s, "of": len(runs), "at_most": fit.at_most})


def judge(done: "StepsReplayed", archive: "Archive", outdir: str, rules: "Rules | None") -> None:
    """Say of outputs that differ what that means, and let those that the rules allow not count."""
    import contextlib
    import os
    from rex.contents.rules import Rules
    from rex.expdiff.output import STDERR, STDOUT
    from rex.expdiff.replayed import judge_files, judge_streams
    rules = rules or Rules()
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


def describe(done: "StepsReplayed", tree: "StepTree", archive: str, outdir: str) -> dict[str, Any]:
    """For machines; seconds and bytes."""
    return {"archive": archive, "outdir": outdir, "one_by_one": done.plan.alone_s, "planned": done.plan.cost_s,
            "lower_bound": done.plan.bound_s, "computed": done.computed_s, "wall": done.wall_s, "peak": done.plan.peak_bytes,
            "identical": done.is_identical,
            "runs": {each.name: {"identical": each.is_identical, "verdict": each.describe(), "within_tolerance": each.within, "ran": each.ran, "put_back": each.put_back,
                                 "seconds": each.seconds, "steps": len(tree.runs[each.name])} for each in done.runs}}


def show(done: "StepsReplayed", tree: "StepTree", archive: str, outdir: str, check: bool) -> None:
    """A line for each run that is not as recorded, or with --check for each, and one for all."""
    for each in done.runs:
        if check or not each.is_identical:
            click.echo(f"rex: {clean(archive)}:{each.name}: {clean(each.describe())}", err=True)
    back = sum(len(each.put_back) for each in done.runs)
    steps = sum(map(len, tree.runs.values()))
    click.echo(f"rex: replayed {len(done.runs)} runs in {format_duration(done.wall_s)}: of {steps} steps {back} were put back; planned "
               f"{format_duration(done.plan.cost_s)} instead of {format_duration(done.plan.alone_s)}, "
               f"{format_size(done.plan.peak_bytes)} kept at most; outputs in {clean(outdir)}", err=True)
