"""`rex plan`: the replay sequence of many runs or versions, its cost and its proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rex.cli.options import DURATION
from rex.cli.refs import either
from rex.errors import UsageError
from rex.types import format_duration, format_size, parse_size

if TYPE_CHECKING:
    from rex.multiversion.planners import Plan
    from rex.multiversion.sequence import Verdict

ALGORITHMS = ("best", "pc", "prp-v1", "prp-v2", "lfu", "online", "none")


@click.command("plan", help="""Show how rex replay --all replays many runs, and what it costs.

Of plain runs it shows which steps each run executes (CT), keeps (CP), puts
back (PB) and lets go of (EV). Seconds are processor time (docs/trees.md).

If the archive holds versions that were recorded with `rex record --cells`, it
shows in which order their cells run. TREE.json holds the cells of all versions, merged on common prefixes:
{"nodes": [{"id", "parent", "cost", "size"}]}, with cost in seconds and size
in bytes; size null says that the cell cannot be checkpointed.

\b
Of cells:    CT u     compute cell u
             CP u     checkpoint it into the cache
             RS u v   restore u and switch to its child v
             EV u     evict the checkpoint of u

Examples: rex plan -l EXP --cache 4GiB; rex plan --tree TREE.json --cache 4GiB

Exit codes: 0 planned, 2 bad tree or options, or nothing fits --deadline, 10 no such archive, or no finished runs in it.""")
@click.argument("ref", metavar="[ARCHIVE]", required=False)
@click.option("-l", "--archive", default="__default", show_default=True,
              help="Plan what this archive holds.")
@click.option("-e", "--experiment", "pattern", metavar="GLOB", help="Of plain runs: those with such names.")
@click.option("--tree", "tree_path", metavar="TREE.json",
              type=click.Path(path_type=Path), help="Plan this tree instead.")
@click.option("--cache", "cache", metavar="SIZE",
              help="What may be kept at a time: 512M, 4GiB, or bytes: outputs of steps (all), checkpoints of cells (0).")
@click.option("--algorithm", type=click.Choice(ALGORITHMS), default="best", show_default=True,
              help="The planner, of cells.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=1, show_default=True,
              help="Say also how long this many processes side by side will take.")
@click.option("--deadline", "deadline_s", type=DURATION, metavar="DURATION", help="Plan as many as can be replayed in this time, and say which.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(ref: str | None, archive: str, pattern: str | None, tree_path: Path | None, cache: str | None, algorithm: str, jobs: int,
            deadline_s: float | None, as_json: bool) -> None:
    """Plan, and print the steps with their costs."""
    if tree_path is None:
        from rex.cli.allruns import kept_bytes, runs_to_replay
        archive = either(ref, archive, None)[0]
        runs = runs_to_replay(archive, pattern)
        if runs is not None:
            from rex.cli.plan_runs import plan_runs
            from rex.trees.replayall import Wishes
            if algorithm != "best":
                raise UsageError(f"--algorithm {algorithm} plans cells", "this archive holds plain runs", "leave --algorithm out")
            plan_runs(Wishes(archive, "", kept_bytes(cache), jobs, deadline_s=deadline_s), runs, pattern, as_json)
            return
    plan_cells(archive, tree_path, "0" if cache is None else cache, algorithm, jobs, deadline_s, as_json)


def plan_cells(archive: str, tree_path: Path | None, cache: str, algorithm: str, jobs: int, deadline_s: float | None, as_json: bool) -> None:
    """Plan the versions of an archive, or a tree of a file."""
    from rex.multiversion.planners import make_plan, plan_deadline
    from rex.multiversion.scheduling import choose_order
    from rex.multiversion.sequence import check
    from rex.multiversion.tree import ExecutionTree

    try:
        budget_bytes = parse_size(cache)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"bad --cache: {error}") from error
    if tree_path:
        tree = ExecutionTree.load(tree_path)
    else:
        from rex.multiversion.merge import merge
        from rex.multiversion.versions import load_versions
        tree = merge(load_versions(archive)[1]).execution
    more: dict[str, object] = {}
    if deadline_s is None:
        plan = make_plan(tree, budget_bytes, algorithm)
    else:
        fit, plan = plan_deadline(tree, budget_bytes, deadline_s, algorithm)
        more = {"deadline": deadline_s, "versions": list(fit.tree.leaves), "of": len(tree.leaves), "at_most": fit.at_most}
        tree = fit.tree
    verdict = check(tree, plan.sequence.ops, budget_bytes)
    side_by_side = choose_order(tree, budget_bytes, jobs)[1] if jobs > 1 else None
    if as_json:
        if side_by_side is not None:
            more |= {"jobs": jobs, "side_by_side": side_by_side}
        click.echo(json.dumps({**describe(plan, verdict), **more}))
        return
    show(plan, verdict, len(tree.by_id), len(tree.leaves))
    if deadline_s is not None:
        click.echo(f"deadline     {format_duration(deadline_s)}: {len(tree.leaves)} of {more['of']} versions, no choice has more than {more['at_most']}")
        click.echo(f"versions     {', '.join(tree.leaves)}")
    if side_by_side is not None:
        faster = f", {plan.sequential_s / side_by_side:.1f} times as fast as no cache" if side_by_side else ""
        click.echo(f"side by side {format_duration(side_by_side)} with {jobs} processes{faster}")


def describe(plan: Plan, verdict: Verdict) -> dict[str, object]:
    """The plan as `--json` prints it."""
    return {"algorithm": plan.algorithm, "cache": plan.budget_bytes, "cost": plan.cost_s,
            "lower_bound": plan.lower_bound_s, "gap": plan.gap if plan.lower_bound_s else None,
            "no_cache": plan.sequential_s, "saving": plan.saving, "peak": verdict.peak_bytes,
            "ops": [list(op) for op in plan.sequence.ops]}


def show(plan: Plan, verdict: Verdict, cells: int, versions: int) -> None:
    """The plan for people: runs of CT on one line, then the sums."""
    for line in fold(plan):
        click.echo(line)
    proof = "proven optimal" if not plan.gap else f"at most {100 * plan.gap:.2g} % above the optimum"
    click.echo()
    click.echo(f"{versions} versions, {cells} cells, planner {plan.algorithm}")
    click.echo(f"cost         {format_duration(plan.cost_s)}, {proof}")
    click.echo(f"lower bound  {format_duration(plan.lower_bound_s)}")
    click.echo(f"no cache     {format_duration(plan.sequential_s)}, so {100 * plan.saving:.1f} % are saved")
    click.echo(f"cache        {format_size(verdict.peak_bytes)} used of {format_size(plan.budget_bytes)}; "
               f"{verdict.counts['CP']} checkpoints, {verdict.counts['RS']} restores")


def fold(plan: Plan) -> list[str]:
    """One line per step, but consecutive computations share a line."""
    lines: list[list[str]] = []
    for op in plan.sequence.ops:
        if op[0] == "CT" and lines and lines[-1][0] == "CT":
            lines[-1].append(op[1])
        else:
            lines.append(list(op))
    return [" ".join(line) for line in lines]
