"""`rex plan` of plain runs: what each run does with its steps, what that costs, and the proof."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import click

from rex.cli.allruns import choose
from rex.text import clean
from rex.types import format_duration, format_size

if TYPE_CHECKING:
    from rex.archive import Experiment
    from rex.trees.keeping import KeepPlan, Op
    from rex.trees.merge import StepTree
    from rex.trees.replayall import Wishes


def plan_runs(wishes: "Wishes", experiments: "list[Experiment]", pattern: str | None, as_json: bool) -> None:
    """Print the plan of the runs, or of those that fit the deadline."""
    from rex.trees.deadline import planned_s
    from rex.trees.keeping import steps_in_order
    chosen = choose(wishes, experiments, pattern)
    plan = wishes.plan(chosen.tree)
    side_by_side = planned_s(chosen.tree, plan, wishes.workers) if wishes.workers > 1 else None
    for note in chosen.notes:
        click.echo(f"rex: {clean(note)}", err=True)
    if as_json:
        more = chosen.facts if side_by_side is None else {**chosen.facts, "jobs": wishes.workers, "side_by_side": side_by_side}
        click.echo(json.dumps({**describe(plan, chosen.tree, wishes.budget_bytes), **more}))
        return
    width = max(map(len, chosen.tree.runs))
    for name, ops in steps_in_order(chosen.tree, plan):
        click.echo(f"{clean(name):{width}}  {fold(ops)}")
    show(plan, chosen.tree, wishes.budget_bytes)
    if side_by_side is not None:
        click.echo(f"side by side {format_duration(side_by_side)} with {wishes.workers} runs at a time")


def describe(plan: "KeepPlan", tree: "StepTree", budget_bytes: int | None) -> dict[str, Any]:
    """For machines."""
    from rex.trees.keeping import steps_in_order
    return {"cache": budget_bytes, "cost": plan.cost_s, "lower_bound": plan.bound_s, "gap": plan.gap, "one_by_one": plan.alone_s,
            "saving": plan.saving, "peak": plan.peak_bytes, "kept": sorted(plan.kept, key=lambda name: int(name[1:])),
            "runs": {name: [list(op) for op in ops] for name, ops in steps_in_order(tree, plan)}}


def show(plan: "KeepPlan", tree: "StepTree", budget_bytes: int | None) -> None:
    """The sums, for people."""
    proof = "proven optimal" if plan.gap < 1e-9 else f"at most {100 * plan.gap:.2g} % above the optimum"
    click.echo()
    click.echo(f"{len(tree.runs)} runs, {sum(map(len, tree.runs.values()))} steps, {len(tree.nodes)} distinct ones; seconds of processor time")
    click.echo(f"cost         {format_duration(plan.cost_s)}, {proof}")
    click.echo(f"lower bound  {format_duration(plan.bound_s)}")
    click.echo(f"one by one   {format_duration(plan.alone_s)}, so {100 * plan.saving:.1f} % are saved")
    limit = "without a limit" if budget_bytes is None else f"of {format_size(budget_bytes)}"
    click.echo(f"cache        {format_size(plan.peak_bytes)} used {limit}; outputs of {len(plan.kept)} step{'s' if len(plan.kept) != 1 else ''} kept")


def fold(ops: "list[Op]") -> str:
    """Steps of which the same is done, one after the other, stand behind one word; so do those of them that are kept."""
    from rex.trees.keeping import EXECUTE, KEEP
    parts: list[list[str]] = []
    for what, group in itertools.groupby((op for op in ops if op[0] != KEEP), key=lambda op: op[0]):
        steps = [step for _, step in group]
        kept = [step for step in steps if (KEEP, step) in ops]
        parts += [[what, *steps], *([[KEEP, *kept]] if what == EXECUTE and kept else [])]
    return "  ".join(map(" ".join, parts))
