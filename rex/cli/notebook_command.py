"""rex notebook"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from rex.cli.options import named_by_options
from rex.cli.table import clean, guarded, parse_ref, print_json
from rex.errors import UsageError
from rex.extras import missing
from rex.text import quoted_ref

if TYPE_CHECKING:
    from rex.archive import Archive, Experiment
    from rex.notebook.display import Shown
    from rex.notebook.graph import Graph, Node

_EXIT = "Exit: 0 done, 2 bad request, 10 no such archive, session or cell, 12 format too new, 13 damaged."
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
_ANY_REF = click.argument("ref", metavar="[ARCHIVE[:EXP]|NB.ipynb]", default="__default")
_REF = click.argument("ref", metavar="ARCHIVE[:EXP]|NB.ipynb", required=False)
_IDS = {"ignore_unknown_options": True}   # -1 is the cell before


def open_session(ref: str) -> tuple["Archive", "Experiment"]:
    """The archive and the session that a ref names; without a name, or of a notebook file, the newest one."""
    from rex.archive import Archive
    from rex.notebook.keeper import find_session, open_notebook
    if ref.endswith(".ipynb") and not os.path.isdir(ref):
        return open_notebook(ref)
    named = parse_ref(ref)
    archive = Archive.open(named.archive)
    return archive, find_session(archive, named.experiment)


def print_shown(shown: "Shown") -> None:
    """With colours on a terminal, plain elsewhere."""
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        click.echo(shown.coloured(shutil.get_terminal_size().columns), color=True)
    else:
        click.echo(shown.text())


def tell_kernel(ref: str, *words: str) -> None:
    """Have the session's live kernel perform a command, and print what it says.

    Raises:
        UsageError: it has no kernel any more.
    """
    from rex.notebook.live import ask, check_answer, connection_of
    archive, experiment = open_session(ref)
    connection = connection_of(experiment)
    if connection is None:
        raise UsageError(f"{experiment.name} has no kernel that can be reached", "",
                         f"load its states into a new one with: rex notebook resume {quoted_ref(archive.path, experiment.name)}")
    click.echo(clean_lines(check_answer(ask(connection, shlex.join(words)))))


def clean_lines(text: str) -> str:
    """Text of several lines without what steers terminals."""
    return "\n".join(clean(line) for line in text.split("\n"))


def node_json(graph: "Graph", node: "Node") -> dict[str, Any]:
    """A cell for machines."""
    return {"node": node.number, "parent": node.parent, "code": node.code, "count": node.count,
            "branch": node.branch, "start_ns": node.start_ns, "cell_s": node.cell_s,
            "track_s": node.track_s, "is_complete": node.is_complete, "error": node.error or None,
            "touched": sorted(node.touched), "removed": sorted(node.removed),
            "changed": {name: {"view": node.views.get(name),
                               "bytes": node.sizes.get(version)}
                        for name, version in sorted(node.changed.items())}}


@click.group("notebook", context_settings={"help_option_names": ["-h", "--help"]},
             epilog="Example: rex notebook log EXP:analysis   " + _EXIT)
def command() -> None:
    """Notebook time travel from a shell. A notebook or ipython session with
    %load_ext rex.notebook keeps the state after each cell in an archive; %rex
    help lists the commands inside. Without EXP the newest session is meant;
    NB.ipynb means the newest session of that notebook."""


@command.command("log", epilog="Example: rex notebook log EXP:analysis   " + _EXIT)
@_ANY_REF
@click.option("-n", "limit", type=int, default=None, help="Show so many lines at most.")
@_JSON
@named_by_options("ref")
@guarded
def log_command(ref: str, limit: int | None, as_json: bool) -> int:
    """Show the graph of cells: branches, tags, heads, what each changed.
    Nothing is unpickled."""
    from rex.notebook.display import show_log
    from rex.notebook.index import read_graph
    archive, experiment = open_session(ref)
    graph = read_graph(experiment)
    if as_json:
        print_json({"archive": archive.path, "experiment": experiment.name,
                    "state": experiment.state, "head": graph.head, "branch": graph.branch or None,
                    "branches": graph.branches, "tags": graph.tags,
                    "cells": [node_json(graph, graph.nodes[n]) for n in sorted(graph.nodes)]})
        return 0
    title = f"{archive.path}:{experiment.name} ({experiment.state})"
    print_shown(show_log(graph, title, limit))
    return 0


@command.command("show", context_settings=_IDS, epilog="Example: rex notebook show EXP:analysis 13:df   " + _EXIT)
@_REF
@click.argument("what", metavar="ID[:VARIABLE]", required=False)
@click.option("--load", is_flag=True, help="Load the variable and print it. This runs code "
              "from the archive: do it with archives of your own only.")
@_JSON
@named_by_options("ref", behind="what")
@guarded
def show_command(ref: str, what: str, load: bool, as_json: bool) -> int:
    """Show one cell: code, outputs, changes; or what is known of one
    variable after it."""
    from rex.notebook.display import show_node, show_variable
    from rex.notebook.index import read_graph
    archive, experiment = open_session(ref)
    graph = read_graph(experiment)
    where, _, name = what.partition(":")
    node = graph.nodes[graph.resolve(where)]
    if name and load:
        click.echo(load_text(archive, experiment, node.number, name))
    elif name:
        shown, facts = show_variable(graph, node.number, name)
        print_json(facts) if as_json else print_shown(shown)
    elif as_json:
        print_json({**node_json(graph, node), "outputs": outputs_of(archive, node)})
    else:
        print_shown(show_node(graph, node, outputs_of(archive, node)))
    return 0


def outputs_of(archive: "Archive", node: "Node") -> list[dict[str, Any]]:
    """What a cell showed."""
    from rex.archive import Content
    from rex.notebook.outputs import unpack
    return unpack(node.outputs, lambda ref: archive.read(Content(*ref)))


def load_text(archive: "Archive", experiment: "Experiment", node: int, name: str) -> str:
    """A variable's value as text; runs code from the archive."""
    from rex.state import StateTracker, load_history, values_at
    tracker = StateTracker({"__name__": "__main__"}, load_history(archive, experiment))
    try:
        return repr(values_at(tracker, node, [name], archive.read)[name])
    finally:
        tracker.close()


@command.command("diff", context_settings=_IDS, epilog="Example: rex notebook diff EXP:analysis 13 20   " + _EXIT)
@_REF
@click.argument("one", metavar="ID|-N|TAG|BRANCH")
@click.argument("other", metavar="[ID|-N|TAG|BRANCH]", required=False, default="head")
@_JSON
@guarded
def diff_command(ref: str, one: str, other: str, as_json: bool) -> int:
    """Say which variables differ between two states: added, removed,
    changed; with shapes, columns, values as they were noted. Nothing is
    unpickled. Exit 0 also when they differ."""
    from rex.notebook.display import show_diff
    from rex.notebook.index import read_graph
    _, experiment = open_session(ref)
    graph = read_graph(experiment)
    numbers = graph.resolve(one), graph.resolve(other)
    changes = graph.difference(*numbers)
    if as_json:
        print_json({"from": numbers[0], "to": numbers[1], "variables": [
            {"name": c.name, "kind": c.kind, "from": c.old, "to": c.new, "from_bytes": c.old_bytes,
             "to_bytes": c.new_bytes} for c in changes]})
        return 0
    print_shown(show_diff(graph, *numbers, changes))
    return 0


@command.command("checkout", context_settings=_IDS,
                 epilog="Example: rex notebook checkout EXP:analysis 13   " + _EXIT)
@_REF
@click.argument("where", metavar="ID|-N|TAG|BRANCH", required=False)
@click.option("-o", "--output", metavar="FILE.ipynb", help="Write the notebook's cells of that "
              "state to a file instead; no kernel is needed, nothing is unpickled.")
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@named_by_options("ref", behind="where")
@guarded
def checkout_command(ref: str, where: str, output: str | None, force: bool) -> int:
    """Put the session's live kernel back into the state after a cell.
    Without a live kernel see: rex notebook resume --at.

    This loads states of the archive, which may hold any code, and runs its cells with your rights: check out only
    sessions that you trust. With -o nothing is run."""
    if output is None:
        tell_kernel(ref, "checkout", where)
        return 0
    from rex.archive import Content
    from rex.notebook import document
    from rex.notebook.index import read_graph
    archive, experiment = open_session(ref)
    graph = read_graph(experiment)
    node = graph.resolve(where)
    found = document.build(graph, node, lambda ref: archive.read(Content(*ref)))
    kept = document.write(found, output, force)
    click.echo(f"{len(found['cells'])} cells as of {node} written to {clean(output)}"
               + (f"; what was there is in {clean(kept)}" if kept else ""))
    return 0


@command.command("undo", epilog="Example: rex notebook undo EXP:analysis   " + _EXIT)
@_ANY_REF
@named_by_options("ref")
@guarded
def undo_command(ref: str) -> int:
    """Put the session's live kernel back to before the last cell.

    This loads states of the archive, which may hold any code, and runs its cells with your rights: undo only in
    sessions that you trust."""
    tell_kernel(ref, "undo")
    return 0


def _name_command(kind: str, what: str) -> None:
    @command.command(kind, context_settings=_IDS, help=what, epilog=f"Example: rex notebook {kind} EXP:analysis good 13   "
                     + _EXIT)
    @_REF
    @click.argument("name", required=False)
    @click.argument("where", metavar="[ID]", required=False)
    @click.option("-d", "--delete", is_flag=True, help="Remove the name; the cells stay.")
    @guarded
    def run(ref: str, name: str | None, where: str | None, delete: bool) -> int:
        if name is None:
            from rex.notebook.display import show_names
            from rex.notebook.index import read_graph
            print_shown(show_names(read_graph(open_session(ref)[1]), kind))
            return 0
        tell_kernel(ref, kind, *(["-d"] if delete else []), name, *([where] if where else []))
        return 0


_name_command("tag", "List the tags; or, with a live kernel, name a state.")
_name_command("branch", "List the branches; or, with a live kernel, begin one.")


@command.command("resume", epilog="Example: rex notebook resume analysis.ipynb --at 13   " + _EXIT)
@_ANY_REF
@click.option("--at", metavar="ID|TAG|BRANCH", help="Another state than the last.")
@click.option("--kernel", is_flag=True, help="Start a Jupyter kernel for other front ends to "
              "connect to, instead of ipython in this terminal.")
@named_by_options("ref")
@guarded
def resume_command(ref: str, at: str | None, kernel: bool) -> int:
    """Load a session's last state into a new kernel, after a crash too. In a
    notebook: %load_ext rex.notebook, then %rex resume.

    This loads states of the archive, which may hold any code, and runs its cells with your rights: resume only
    sessions that you trust."""
    archive, experiment = open_session(ref)   # before a kernel is started
    words = ["resume", f"{archive.path}:{experiment.name}", *(["--at", at] if at else [])]
    lines = ["%load_ext rex.notebook", f"%rex {shlex.join(words)}"]
    os.environ["REX_NOTEBOOK_ARCHIVE"] = archive.path
    try:
        if kernel:
            from ipykernel.kernelapp import launch_new_instance as start
        else:
            from IPython import start_ipython as start
    except ImportError as error:
        raise missing("notebook", "cannot start a kernel") from error
    app = "IPKernelApp" if kernel else "InteractiveShellApp"
    return int(start(argv=[f"--{app}.exec_lines={line}" for line in lines]) or 0)


@command.command("enable", epilog="Example: rex notebook enable   Exit: 0 done, 2 the file cannot be written.")
@guarded
def enable_command() -> int:
    """Load the extension in each new kernel and ipython of yours, so that
    no notebook needs %load_ext rex.notebook. This writes one file to the
    default IPython profile ($IPYTHONDIR, else ~/.ipython)."""
    from rex.notebook.startup import enable
    click.echo(f"written: {enable()}")
    click.echo("new kernels keep the state after each cell; rex notebook disable ends that")
    return 0


@command.command("disable", epilog="Example: rex notebook disable   Exit: 0 done, 2 the file cannot be removed.")
@guarded
def disable_command() -> int:
    """Undo `rex notebook enable`: remove its file. Kernels that run now go on."""
    from rex.notebook.startup import disable, startup_file
    click.echo(f"removed: {startup_file()}" if disable() else "it was not enabled")
    return 0
