"""`rex schedule`: what is worth persisting, and in which order to run."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rex.cli.options import DURATION, GROUPINGS, SIZE, named_by_options, storage_options
from rex.cli.table import clean
from rex.errors import UsageError
from rex.types import format_duration, format_size

if TYPE_CHECKING:
    from rex.workflow.best import Best
    from rex.workflow.dag import Dag, Failures
    from rex.workflow.graph import Workflow
    from rex.workflow.heuristics import Plan, Question
    from rex.workflow.simulate import Simulation
    from rex.workflow.variants import World
    from rex.workflow.wfcommons import Storage

    # What simulated runs took; in another world than the formula's, that world and the bounds of the mean.
    Simulated = tuple[Simulation, tuple[World, float, float] | None]

_SHOWN = 20


@click.command("schedule")
@click.argument("source", metavar="DAG.json|DAG.dax|ARCHIVE:EXP", required=False)
@click.option("--mtbf", type=DURATION, required=True, help="Mean time between failures: 1000, 90s, 6h.")
@click.option("--downtime", type=DURATION, default=0.0, help="Time lost to each failure; 0 if not given.")
@click.option("--heuristic", default="best", metavar="NAME", show_default=True,
              help="best, one of the fourteen such as DF-CkptW, or one of ours such as DFall-CkptD.")
@click.option("--max-bytes", type=SIZE, help="Keep at most so much: 512M, 4GiB.")
@click.option("--evaluate", "schedule_path", metavar="SCHEDULE.json", type=click.Path(path_type=Path),
              help="Price this schedule instead of looking for one.")
@click.option("--simulate", "runs", type=click.IntRange(min=1), metavar="RUNS",
              help="Also run the schedule so many times against random failures.")
@click.option("--machines", type=click.IntRange(min=1), default=1, show_default=True,
              help="With --simulate: so many machines that share the ready tasks and fail one by one.")
@click.option("--overlap", is_flag=True, help="With --simulate: outputs are persisted while the next task runs.")
@click.option("--weibull", "shape", type=float, default=1.0, metavar="SHAPE",
              help="With --simulate: times between failures of this Weibull shape; 1 is exponential.")
@click.option("--budget", "budget_s", type=DURATION, default=10.0,
              help="How long `best` searches beyond the fourteen; about 10s if not given.")
@click.option("--full-sweep/--grid-sweep", "full_sweep", default=None,
              help="Try every number of checkpoints, or a refined grid; the grid above 400 tasks.")
@click.option("--group", "grouping", type=click.Choice(GROUPINGS), default="depth", show_default=True,
              help="What becomes one step of a recording; see rex workflow.")
@storage_options
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same answer.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@named_by_options("source")
def command(source: str, mtbf: float, downtime: float, heuristic: str, max_bytes: int | None,
            schedule_path: Path | None, runs: int | None, machines: int, overlap: bool, shape: float, budget_s: float, full_sweep: bool | None,
            grouping: str, bandwidth: float, latency: float, seed: int, as_json: bool) -> None:
    """Say which outputs of a workflow to persist, and in which order to run its tasks,
    when failures wipe everything that is not persisted.

    DAG.json holds {"tasks": [{"id", "weight", "checkpoint_cost", "recovery_cost",
    "preds": [...]}]}, costs in seconds, or is a WfCommons instance. DAG.dax is a Pegasus workflow
    (also DAG.xml). Of a recorded experiment, the graph is what rex workflow shows,
    and the answer lists files.

    \b
    Example: rex schedule EXP:exp0 --mtbf 6h --downtime 3m
    Exit codes: 0 done, 2 bad input, 10 no such experiment.
    """
    from rex.workflow.best import prefer_given_order
    from rex.workflow.dag import Failures
    from rex.workflow.heuristics import Question
    from rex.workflow.variants import World
    from rex.workflow.wfcommons import Storage
    world = World(machines, overlap, shape)
    if world != World() and not runs:
        raise UsageError("--machines, --overlap and --weibull are simulated", "plans are made for one machine", "add --simulate RUNS")
    dag, workflow = load(source, Storage(bandwidth, latency), grouping)
    failures = Failures(mtbf, downtime)
    question = Question(dag, failures, seed, max_bytes, full_sweep)
    best = answer(question, heuristic, schedule_path, budget_s)
    if workflow and schedule_path is None:
        best = prefer_given_order(question, best)
    simulation = None
    if runs:
        refuse_endless(best.plan, failures, runs)
        simulation = run_world(question, best.plan, world, runs)
    if as_json:
        click.echo(json.dumps({**describe(question, best, simulation), **describe_recording(workflow, best.plan)}))
    else:
        show(question, best, simulation, workflow)


def run_world(question: Question, plan: Plan, world: World, runs: int) -> Simulated:
    """Simulated runs of a plan, with what bounds their mean where the world is not the formula's."""
    from rex.workflow.simulate import simulate
    from rex.workflow.variants import World, bound_world, simulate_world
    dag, failures, schedule = question.dag, question.failures, plan.schedule
    if world == World():
        return simulate(dag, schedule, failures, runs, question.seed), None
    return (simulate_world(dag, schedule, failures, world, runs, question.seed),
            (world, *bound_world(dag, schedule, failures, world)))


def load(source: str, storage: Storage, grouping: str) -> tuple[Dag, Workflow | None]:
    """The graph in a file, ours, WfCommons' or Pegasus'; or that of a recorded experiment, with all about it."""
    from rex.workflow.dax import SUFFIXES, read_dax
    path = Path(source)
    if source.endswith(SUFFIXES):
        return read_dax(path, storage), None
    if not path.is_file() and not source.endswith(".json"):
        from rex.cli.table import open_ref
        from rex.workflow.graph import read_workflow
        workflow = read_workflow(open_ref(source)[1], grouping)
        return workflow.dag(storage), workflow
    from rex.workflow.dag import read_dag, read_json
    from rex.workflow.wfcommons import is_wfcommons, read_wfcommons
    data = read_json(path)
    return read_wfcommons(data, storage) if is_wfcommons(data) else read_dag(data), None


def answer(question: Question, heuristic: str, schedule_path: Path | None, budget_s: float) -> Best:
    """The plan asked for: a given schedule priced, one heuristic's, or the best found."""
    from rex.workflow.best import Best, find_best
    from rex.workflow.dag import read_json, read_schedule
    from rex.workflow.heuristics import run_heuristic
    from rex.workflow.line import Line
    if schedule_path is not None:
        schedule = read_schedule(read_json(schedule_path), question.dag)
        line = Line(question.dag, schedule.order)
        plan = question.plan("given", line, line.flags(schedule.checkpointed))
        return Best(plan, (), (), False, True)
    if heuristic != "best":
        return Best(run_heuristic(question, heuristic), (), (), False, True)
    from rich.console import Console
    console = Console(stderr=True)
    if not console.is_terminal:
        return find_best(question, budget_s)
    with console.status("looking for the best plan"):
        return find_best(question, budget_s)


def refuse_endless(plan: Plan, failures: Failures, runs: int) -> None:
    """Raise where simulated runs would fail so often that nobody would wait for their end."""
    if plan.makespan.seconds * failures.rate * runs > 1e8:
        raise UsageError("the simulation would take too long", "more than 1e8 failures are expected",
                         "simulate fewer runs or a better schedule")


def finite(value: float) -> float | None:
    """The value, or None where JSON has no word for it."""
    return value if abs(value) < float("inf") else None


def describe_plan(dag: Dag, plan: Plan) -> dict[str, object]:
    """A plan as `--json` prints it."""
    makespan, t_inf = plan.makespan, dag.t_inf
    return {"heuristic": plan.name, **plan.schedule.as_json(dag),
            "expected_makespan": finite(makespan.seconds),
            "log_expected_makespan": finite(makespan.log),
            "t_inf": t_inf, "ratio": finite(makespan.seconds / t_inf) if t_inf else None,
            "kept_bytes": plan.kept_bytes}


def describe(question: Question, best: Best, simulation: Simulated | None) -> dict[str, object]:
    """The answer as `--json` prints it."""
    from rex.workflow.flips import saved_seconds
    dag = question.dag
    saved = saved_seconds(dag, best.plan.schedule, question.failures) or {}
    told = describe_plan(dag, best.plan)
    told["saved_s"] = {dag.ids[task]: finite(seconds) for task, seconds in saved.items()}
    told["optimal"] = best.is_optimal
    told["converged"] = best.has_converged
    told["alternatives"] = [describe_plan(dag, plan) for plan in best.alternatives]
    told["heuristics"] = [{"heuristic": plan.name, "expected_makespan": finite(plan.makespan.seconds),
                           "log_expected_makespan": finite(plan.makespan.log),
                           "checkpoints": len(plan.schedule.checkpointed)} for plan in best.heuristics]
    if simulation is not None:
        ran, elsewhere = simulation
        told["simulation"] = ran.as_json()
        if elsewhere:
            world, least_s, most_s = elsewhere
            told["world"] = {**vars(world), "at_least_s": finite(least_s), "at_most_s": finite(most_s)}
    return told


def seconds_text(seconds: float, log: float) -> str:
    """A time for people; a power of ten where no double holds it."""
    if seconds < 1e9:
        return format_duration(seconds)
    return f"1e{log / math.log(10):.1f} s" if math.isfinite(log) else "over 1e308 s"


def describe_recording(workflow: Workflow | None, plan: Plan) -> dict[str, object]:
    """What `--json` adds for a recording: which it is, and the files of every task to persist."""
    if workflow is None:
        return {}
    kept = [workflow.tasks[place] for place in plan.schedule.order if place in plan.schedule.checkpointed]
    return {"experiment": workflow.experiment, "group": workflow.grouping,
            "persist": {task.id: task.outputs for task in kept}}


def show(question: Question, best: Best, simulation: Simulated | None, workflow: Workflow | None) -> None:
    """Print tables of the plan, what it compares with, and what to persist."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    dag, plan = question.dag, best.plan
    console = Console(highlight=False)
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("plan", "MTBF/3", "MTBF", "MTBF x3", "T/T_inf", "persisted", "bytes"):
        table.add_column(heading, justify="left" if heading == "plan" else "right", no_wrap=True)
    for name, row in compared(question, best):
        table.add_row(name, *row)
    console.print(table)
    console.print(f"{len(dag)} tasks, T_inf {format_duration(dag.t_inf)}, "
                  f"MTBF {format_duration(question.failures.mtbf_s)}, "
                  f"downtime {format_duration(question.failures.downtime_s)}; {found_by(best)}",
                  soft_wrap=True)
    print_kept(console, question, plan, workflow)
    print_list(console, "order", [dag.ids[task] for task in plan.schedule.order])
    if simulation is not None:
        print_simulation(console, *simulation)


def print_simulation(console: Any, ran: Simulation, elsewhere: tuple[World, float, float] | None) -> None:
    """One line of what simulated runs took, and one of bounds."""
    console.print(f"simulated {ran.runs} runs: mean {ran.mean_s:.6g} s +- {ran.standard_error_s:.2g}, p50 {ran.p50_s:.6g}, "
                  f"p90 {ran.p90_s:.6g}, p99 {ran.p99_s:.6g}, {ran.failures_per_run:.3g} failures a run", soft_wrap=True)
    if elsewhere:
        world, least_s, most_s = elsewhere
        names = [f"{world.machines} machines"] * (world.machines > 1) + ["persisting beside work"] * world.overlaps + [
            f"Weibull shape {world.shape:g}"] * (world.shape != 1)
        console.print(f"with {', '.join(names)}: the mean is at least {least_s:.6g} s"
                      + (f", at most {most_s:.6g} s" if math.isfinite(most_s) else ""), soft_wrap=True)


def compared(question: Question, best: Best) -> list[tuple[str, list[str]]]:
    """Rows of the first table: nothing, everything, the plan and its alternatives."""
    from rex.workflow.dag import Failures
    from rex.workflow.line import Line
    from rex.workflow.makespan import evaluate
    dag, failures, order = question.dag, question.failures, best.plan.schedule.order
    everything = frozenset(range(len(dag))) - dag.unkept
    named = [("nothing", order, frozenset()), ("everything", order, everything),
             (best.plan.name, order, best.plan.schedule.checkpointed)]
    named += [("less kept", plan.schedule.order, plan.schedule.checkpointed)
              for plan in best.alternatives]
    rows = []
    for name, its_order, kept in named:
        line = Line(dag, its_order)
        cells = []
        for mtbf_s in (failures.mtbf_s / 3, failures.mtbf_s, failures.mtbf_s * 3):
            makespan = evaluate(line, line.flags(kept), Failures(mtbf_s, failures.downtime_s))
            cells.append(seconds_text(makespan.seconds, makespan.log))
            if mtbf_s == failures.mtbf_s:
                ratio = f"{makespan.seconds / dag.t_inf:.4g}" if dag.t_inf else "-"
        size = dag.kept_bytes(kept)
        rows.append((name, [*cells, ratio, str(len(kept)), "?" if size is None else format_size(size)]))
    return rows


def found_by(best: Best) -> str:
    """How sure the plan is, in a few words."""
    if best.is_optimal:
        return "the plan is optimal"
    if not best.heuristics:
        return f"plan: {best.plan.name}"
    first = best.heuristics[0]
    how = "search ended" if best.has_converged else "search stopped by its budget"
    return f"best of the fourteen: {first.name}, {seconds_text(first.makespan.seconds, first.makespan.log)}; {how}"


def print_kept(console: Any, question: Question, plan: Plan, workflow: Workflow | None) -> None:
    """The outputs to persist, those that save most first; of a recording, file by file."""
    from rich import box
    from rich.table import Table
    from rich.text import Text
    dag, kept = question.dag, plan.schedule.checkpointed
    saved = saved_at(question, plan)
    if not kept or saved is None:
        print_list(console, "persist", [dag.ids[task] for task in plan.schedule.order if task in kept])
        return
    table = Table(box=box.SIMPLE_HEAD)
    what = "persist" if workflow else "persist the output of"
    for heading in (what, *(["of step"] if workflow else []), "saves: MTBF/3", "MTBF", "MTBF x3", "costs", "bytes"):
        table.add_column(heading, justify="left" if heading in (what, "of step") else "right",
                         no_wrap=not workflow or heading != what, overflow="fold")
    ranking = sorted(kept, key=lambda task: (-saved[1][task], task))
    for task in ranking[:_SHOWN]:
        size = dag.kept_bytes([task])
        cells = [*(signed_text(each[task]) for each in saved), format_duration(dag.checkpoint_costs[task]),
                 "?" if size is None else format_size(size)]
        if not workflow:
            table.add_row(Text(clean(dag.ids[task])), *cells)
            continue
        for number, path in enumerate(workflow.tasks[task].outputs):
            mine = [clean(dag.ids[task]), *cells] if not number else []
            table.add_row(Text(clean(workflow.shown(path))), *mine)
    console.print(table)
    if len(kept) > _SHOWN:
        console.print(f"... and {len(kept) - _SHOWN} more (--json has all)")


def saved_at(question: Question, plan: Plan) -> list[dict[int, float]] | None:
    """What each checkpoint saves at a third of the MTBF, at it, and at three times it."""
    from rex.workflow.dag import Failures
    from rex.workflow.flips import saved_seconds
    found = []
    for factor in (1 / 3, 1, 3):
        failures = Failures(question.failures.mtbf_s * factor, question.failures.downtime_s)
        saved = saved_seconds(question.dag, plan.schedule, failures)
        if saved is None:
            return None
        found.append(saved)
    return found


def signed_text(seconds: float) -> str:
    """A saving for people; one that costs time is negative."""
    text = seconds_text(abs(seconds), math.log(abs(seconds)) if seconds else 0.0)
    return f"-{text}" if seconds < 0 else text


def print_list(console: Any, title: str, names: list[str]) -> None:
    """One line with the first names; the rest is for --json."""
    shown = " ".join(names[:_SHOWN])
    more = f" ... and {len(names) - _SHOWN} more (--json has all)" if len(names) > _SHOWN else ""
    console.print(f"{title}: {shown or 'nothing'}{more}", markup=False, soft_wrap=True)
