"""`rex workflow`: what a recorded workflow did, step by step, and what each step costs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from rex.cli.options import GROUPINGS, storage_options
from rex.cli.refs import DEFAULT_ARCHIVE, either
from rex.cli.table import clean, guarded, open_ref
from rex.errors import UsageError
from rex.types import format_duration, format_size

if TYPE_CHECKING:
    from rex.archive import Experiment
    from rex.workflow.graph import Workflow
    from rex.workflow.wfcommons import Storage

_COMMAND_CHARS = 200
_HEADINGS = ("step", "seconds", "cpu", "read later", "results", "needs", "command")
_NUMBERS = _HEADINGS[1:5]


@click.command("workflow")
@click.argument("ref", metavar="[ARCHIVE[:EXP]]", required=False)
@click.option("-l", "--archive", default=DEFAULT_ARCHIVE, show_default=True, help="The archive to read.")
@click.option("-e", "--experiment", metavar="EXP", help="Which experiment (the default one).")
@click.option("--group", "grouping", type=click.Choice(GROUPINGS), default="depth", show_default=True,
              help="What becomes one step: a process with all below it where taking it apart gains nothing, and tiny "
              "neighbours of one parent; or tiny neighbours that run one command; or every process alone.")
@click.option("--format", "form", type=click.Choice(["dot", "svg"]), help="Draw the graph: for Graphviz, as a picture.")
@storage_options
@click.option("--json", "as_json", is_flag=True, help="Print the graph as a DAG for rex schedule.")
@guarded
def command(ref: str | None, archive: str, experiment: str | None, grouping: str, form: str | None,
            bandwidth: float, latency: float, as_json: bool) -> int:
    """Show the steps of a recorded workflow: seconds, bytes, commands, and who needs whom.

    Seconds are a step's own: programs that only start others do not carry their time.

    \b
    Example: rex workflow EXP:exp0
    Exit codes: 0 done, 2 bad request, 10 no such experiment, 12 format too new, 13 damaged.
    """
    from rex.workflow.graph import read_workflow
    from rex.workflow.wfcommons import Storage
    if as_json and form:
        raise UsageError("--json and --format at once", "", "ask for one")
    workflow = read_workflow(find_experiment(ref, archive, experiment), grouping)
    storage = Storage(bandwidth, latency)
    if as_json:
        click.echo(json.dumps(describe(workflow, storage)))
    elif form:
        from rex import picture
        from rex.workflow.picture import as_graph
        graph = as_graph(workflow)
        click.echo(picture.as_dot(graph) if form == "dot" else picture.as_svg(graph), nl=False)
    else:
        show(workflow, storage)
    return 0


def find_experiment(ref: str | None, archive: str, experiment: str | None) -> "Experiment":
    """The experiment that ARCHIVE:EXP names, or -l and -e do.

    Raises:
        UsageError: both are given.
        NotFound: it is not there, or did not finish.
    """
    where, name = either(ref, archive, experiment)
    _, found = open_ref(f"{where}:{name}" if name else where)
    return found


def describe(workflow: "Workflow", storage: "Storage") -> dict[str, Any]:
    """The graph as `--json` prints it: a DAG, and what else is known of every task."""
    from rex.workflow.dag import dag_as_json
    told = dag_as_json(workflow.dag(storage))
    tasks: list[Any] = told["tasks"]                     # type: ignore[assignment]  # that is its shape
    for facts, task in zip(tasks, workflow.tasks):
        facts.update({"seconds": task.seconds, "cpu_s": task.cpu_s, "command": task.command,
                      "processes": list(task.roots), "outputs": task.outputs, "results": task.results,
                      "reads": {workflow.tasks[pred].id: list(paths) for pred, paths in task.preds.items()}})
    return {"experiment": workflow.experiment, "group": workflow.grouping, "duration_s": workflow.duration_s,
            "frame_s": workflow.frame_s, "is_parallel": workflow.is_parallel, **told}


def step_row(workflow: "Workflow", place: int) -> list[str]:
    """A step's line of the table; what it needs by the numbers of the ids."""
    task = workflow.tasks[place]
    needs = " ".join(workflow.tasks[pred].id.partition("-")[0] for pred in task.preds)
    return [clean(task.id), f"{task.seconds:.2f}", f"{task.cpu_s:.2f}",
            format_size(task.output_bytes) if task.outputs else "",
            format_size(task.result_bytes) if task.results else "", needs, clean(task.command[:_COMMAND_CHARS])]


def show(workflow: "Workflow", storage: "Storage") -> None:
    """Print a table of the steps and what is worth knowing of them."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text
    table = Table(box=box.SIMPLE_HEAD)
    rows = [step_row(workflow, place) for place in range(len(workflow.tasks))]
    for column, heading in enumerate(_HEADINGS):
        width = max(len(heading), *(len(row[column]) for row in rows))
        table.add_column(heading, justify="right" if heading in _NUMBERS else "left", no_wrap=heading != "needs",
                         overflow="ellipsis", min_width=min(width, 12) if heading in ("needs", "command") else width)
    for row in rows:
        table.add_row(*map(Text, row))
    console = Console(highlight=False)
    console.print(table)
    dag = workflow.dag(storage)
    steps = [task for task in workflow.tasks if not task.is_frame]
    lines = [f"{len(steps)} steps, {format_duration(sum(task.seconds for task in steps))} one after another; "
             f"recorded in {format_duration(workflow.duration_s)}; programs that only start others took "
             f"{format_duration(workflow.frame_s)}",
             f"persisting all that is read later: {format_size(sum(dag.output_bytes or ()))}, "
             f"{format_duration(sum(dag.checkpoint_costs[place] for place in set(range(len(dag))) - dag.unkept))}"]
    if workflow.is_parallel:
        lines.append("steps ran side by side when recorded: their seconds hold what they took from each other")
    for line in lines:
        console.print(line, soft_wrap=True, markup=False)
