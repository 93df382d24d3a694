"""`rex tree`: the execution tree of an archive's versions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from rex.cli.refs import either
from rex.errors import NotFound, UsageError
from rex.text import clean
from rex.types import format_duration, format_size

if TYPE_CHECKING:
    from rich.tree import Tree

    from rex.multiversion.merge import CellNode, VersionTree
    from rex.trees.merge import StepTree

_SHOWN_LINES = 6
_WIDTH = 60
_CHEAP = 0.01        # of all seconds: cells below become one line
_SHOWN_RUN = 2


@click.command("tree", epilog="Example: rex tree -l EXP   Exit: 0 drawn, 10 no such archive, or no runs in it.")
@click.argument("ref", metavar="[ARCHIVE]", required=False)
@click.option("-l", "--archive", default="__default", show_default=True, help="The archive to read.")
@click.option("--json", "as_json", is_flag=True,
              help="Print one JSON object, which `rex plan --tree` reads too.")
@click.option("--format", "form", type=click.Choice(["text", "dot", "svg"]), default="text", show_default=True,
              help="Draw it as text, as Graphviz input, or as a picture.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, not to standard output.")
def command(ref: str | None, archive: str, as_json: bool, form: str, output: str | None) -> None:
    """Show the execution tree of all runs of an archive: what they share, and why they part.

    A step is a process with all that it starts. Steps that were given the same, by
    content, and left the same are one. Of versions recorded with --cells each cell
    is a step: cells whose states are proven equal are one node."""
    where = either(ref, archive, None)[0]
    cells, steps = load_trees(where)
    if as_json:
        text = json.dumps({**describe(cells), **_described_steps(steps)})
    elif form == "dot":
        text = "\n".join([*([draw_dot(cells)] if cells.nodes or not steps.nodes else []), *([_draw_steps(steps, form)] if steps.nodes else [])])
    elif form == "svg":
        if cells.nodes and steps.nodes:
            raise UsageError("this archive holds versions of cells and plain runs", "one picture cannot hold both", "use --format dot")
        from rex.multiversion.drawing import draw_svg
        text = draw_svg(cells) if cells.nodes else _draw_steps(steps, form)
    else:
        from rex.cli.steptree import draw_steps
        text = "\n\n".join([*([draw_text(cells, where)] if cells.nodes else []), *([draw_steps(steps, where)] if steps.nodes else [])])
    if output:
        with open(output, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    else:
        click.echo(text)


def load_trees(archive: str) -> "tuple[VersionTree, StepTree]":
    """The tree of the versions of an archive, and that of its plain runs; one of them may be empty.

    Raises:
        NotFound: there are neither.
    """
    from rex.archive import Archive
    from rex.multiversion.merge import merge
    from rex.multiversion.versions import load_versions
    from rex.trees.cut import load_runs, plain_runs
    from rex.trees.merge import merge_steps
    notes: list[str] = []
    runs = load_runs(plain_runs(Archive.open(archive).experiments()), notes)
    for note in notes:
        click.echo(f"rex: {clean(note)}", err=True)
    try:
        cells = merge(load_versions(archive)[1])
    except NotFound:
        if not runs:
            raise NotFound(f"there are no finished runs in {archive}", "", "record some with: rex record, or rex record --cells") from None
        cells = merge([])
    return cells, merge_steps(runs)


def _described_steps(tree: "StepTree") -> dict[str, Any]:
    from rex.trees.describe import as_json
    return as_json(tree)


def _draw_steps(tree: "StepTree", form: str) -> str:
    from rex import picture
    from rex.trees.describe import as_graph
    graph = as_graph(tree)
    return (picture.as_dot(graph) if form == "dot" else picture.as_svg(graph)).rstrip("\n")


def describe(tree: "VersionTree") -> dict[str, Any]:
    """The tree for machines."""
    from rex.multiversion.merge import reasons
    nodes = []
    for node in tree.nodes.values():
        first = tree.children(node.parent)[0]
        nodes.append({"id": node.id, "parent": node.parent, "cost": node.seconds, "size": node.size_bytes,
                      "written": node.written_bytes, "lineage": node.cell.lineage, "source": node.cell.source,
                      "unforkable": _reason_against(node),
                      "versions": [version.name for version, _ in node.members],
                      "ends": tree.versions_at(node.id),
                      "differs": [] if node is first else reasons(node, first)})
    return {"nodes": nodes, "versions": tree.ends}


def title(node: "CellNode") -> str:
    """The first line of code that says something."""
    lines = [line.strip() for line in node.cell.source.splitlines()]
    telling = [line for line in lines if line and not line.startswith(("#", '"""', "'''"))] or lines
    text = telling[0]
    more = len(telling) > 1
    if len(text) > _WIDTH:
        text, more = text[:_WIDTH], True
    return clean(text) + (" ..." if more else "")


def draw_text(tree: "VersionTree", archive: str) -> str:
    """The tree for people; chains of cells that cost next to nothing are one line."""
    from rich.console import Console
    from rich.tree import Tree
    total = sum(node.seconds for node in tree.nodes.values())
    alone = sum(cell.seconds for node in tree.nodes.values() for cell in node.cells)
    head = (f"[bold]{_escape(archive)}[/bold]  {len(tree.ends)} versions, {len(tree.nodes)} cells; "
            f"{format_duration(alone)} one by one, {format_duration(total)} with every cell once")
    drawing = Tree(head)
    for node in tree.children(None):
        _add(drawing, tree, node)
    console = Console()
    with console.capture() as capture:
        console.print(drawing)
    return capture.get().rstrip("\n")


def _escape(text: str) -> str:
    return text.replace("[", "\\[")


def _add(place: "Tree", tree: "VersionTree", node: "CellNode") -> None:
    """A node and all below it. Only a branching goes a step to the right."""
    from rex.multiversion.merge import reasons
    stack = [(place, node)]
    cheap_s = _CHEAP * sum(each.seconds for each in tree.nodes.values())
    while stack:
        where, node = stack.pop()
        run = _cheap_run(tree, node, cheap_s)
        if len(run) > _SHOWN_RUN:
            seconds = sum(each.seconds for each in run)
            where.add(f"[cyan]{run[0].id}[/cyan] to [cyan]{run[-1].id}[/cyan]  "
                      f"[dim]{len(run)} cells, {format_duration(seconds)}[/dim]")
            stack.append((where, tree.children(run[-1].id)[0]))
            continue
        siblings = tree.children(node.parent)
        line = _line(tree, node)
        if node is not siblings[0]:
            for reason in reasons(node, siblings[0])[:_SHOWN_LINES]:
                colour = "red" if reason.startswith("-") else "green" if reason.startswith("+") else "yellow"
                line += f"\n[{colour}]{_escape(clean(reason))}[/{colour}]"
        branch = where.add(line)
        below = tree.children(node.id)
        stack += [(branch if len(below) > 1 or len(siblings) > 1 else where, each) for each in reversed(below)]


def _cheap_run(tree: "VersionTree", node: "CellNode", cheap_s: float) -> "list[CellNode]":
    """Cells from here on that cost next to nothing, and where nothing parts, joins or ends."""
    run: list[CellNode] = []
    while node.seconds <= cheap_s and len(tree.children(node.parent)) == 1 and not tree.versions_at(node.id):
        below = tree.children(node.id)
        if len(below) != 1:
            break
        run.append(node)
        node = below[0]
    return run


def _line(tree: "VersionTree", node: "CellNode") -> str:
    size = format_size(node.size_bytes) if node.size_bytes is not None else "no checkpoint"
    reason = _reason_against(node)
    if reason and not (node.parent and _reason_against(tree.nodes[node.parent]) == reason):
        size += f": {_escape(clean(reason))}"
    text = f"[cyan]{node.id}[/cyan]  {_escape(title(node))}  [dim]{format_duration(node.seconds)}, {size}[/dim]"
    ends = tree.versions_at(node.id)
    if ends:
        text += f"  [bold green]= {_escape(', '.join(ends))}[/bold green]"
    if node.cell.how == "error":
        text += "  [red]raises[/red]"
    return text


def _reason_against(node: "CellNode") -> str:
    """Why no checkpoint can be taken after a cell; empty if one can."""
    return next((cell.unforkable for cell in node.cells if cell.unforkable), "")


def draw_dot(tree: "VersionTree") -> str:
    """The tree for Graphviz."""
    lines = ["digraph versions {", "  rankdir=TB; node [shape=box, fontname=monospace, fontsize=10];"]
    for node in tree.nodes.values():
        ends = tree.versions_at(node.id)
        label = "\n".join([f"{node.id}  {title(node)}", format_duration(node.seconds)] + ends)
        shade = ', style=filled, fillcolor="#d8f0d8"' if ends else ""
        lines.append(f"  {json.dumps(node.id)} [label={json.dumps(label)}{shade}];")
        if node.parent is not None:
            lines.append(f"  {json.dumps(node.parent)} -> {json.dumps(node.id)};")
    return "\n".join([*lines, "}"])
