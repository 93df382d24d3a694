"""rex record"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from typing import Iterator

import click

from rex.types import format_duration, format_size


def end_like(status: int) -> int:
    """The exit status for a wait status; ends us by the signal that ended the program."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return code
    sys.stdout.flush()
    sys.stderr.flush()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [-code])
        os.kill(os.getpid(), -code)
    except (OSError, ValueError):   # the C library keeps some signals for itself
        pass
    return 128 - code


@contextlib.contextmanager
def cells_file(named: str) -> Iterator[str]:
    """The notebook or script itself; of a notebook session ARCHIVE:EXP, its cells in a file meanwhile."""
    archive, _, name = named.rpartition(":")
    if os.path.exists(named) or not name or not os.path.isdir(archive):
        yield named
        return
    import tempfile
    from rex.archive import Archive, Content
    from rex.notebook import document
    from rex.notebook.index import read_graph
    opened = Archive.open(archive)
    graph = read_graph(opened.experiment(name))
    found = document.build(graph, graph.head, lambda ref: opened.read(Content(*ref)))
    with tempfile.TemporaryDirectory(prefix="rex-") as folder:
        path = os.path.join(folder, f"{name}.ipynb")
        document.write(document.without_magics(found), path)
        yield path


@click.command(context_settings={"ignore_unknown_options": False,
                                 "allow_interspersed_args": False},
               epilog="Example: rex record -l EXP -- ./analysis.sh in.dat   "
                      "Exit: the program's; 125 Rex failed, 126 not executable, 127 not found.")
@click.option("-l", "--archive", default="__default", show_default=True, help="The archive to add to.")
@click.option("-e", "--experiment", metavar="NAME", help="Name of the experiment (exp0, exp1, ...).")
@click.option("--keep-env", multiple=True, metavar="GLOB",
              help="Keep these variables though they look like credentials.")
@click.option("--drop-env", multiple=True, metavar="GLOB", help="Leave these variables out.")
@click.option("--exclude", multiple=True, metavar="GLOB",
              help="Keep files of these paths or names out of the archive.")
@click.option("--cells", is_flag=True,
              help="COMMAND is a notebook, Python script, or notebook session ARCHIVE:EXP: record it cell by cell, "
              "as a version.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="With --cells: the seed of the randomness that the system gives.")
@click.option("--serialize", is_flag=True,
              help="Run one thread at a time, in an order that replays keep: for programs whose output "
                   "depends on which thread is first.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON, on standard error.")
@click.option("-q", "--quiet", is_flag=True, help="No summary line.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def command(archive: str, experiment: str | None, keep_env: tuple[str, ...], drop_env: tuple[str, ...],
            exclude: tuple[str, ...], cells: bool, seed: int, serialize: bool, as_json: bool,
            quiet: bool, command: tuple[str, ...]) -> int:
    """Run COMMAND and keep everything it used: programs, libraries, inputs,
    outputs, environment, and what the operating system told it."""
    from rex.record import Options, record
    options = Options(list(command), archive, experiment, keep_env, drop_env, exclude,
                      serialize=serialize)
    count_cells = 0
    if cells:
        from rex.multiversion.recording import CellOptions, record_cells
        with cells_file(command[0]) as path:
            outcome, version = record_cells(CellOptions(path, list(command[1:]), seed), options)
        count_cells = len(version.cells)
    else:
        outcome = record(options)
    manifest = outcome.manifest
    where = f"{archive}:{outcome.experiment.name}"
    if as_json:
        import json
        click.echo(json.dumps({
            "archive": archive, "experiment": outcome.experiment.name,
            "duration_s": manifest.duration_s, "exit_status": manifest.exit_status,
            **({"cells": count_cells} if cells else {}), **manifest.counts, "stored_bytes": outcome.stored_bytes,
            "withheld": list(manifest.withheld), "excluded": outcome.excluded, "warnings": outcome.warnings}), err=True)
    elif not quiet:
        for warning in outcome.warnings:
            click.echo(f"rex: {warning}", err=True)
        withheld = f"; withheld {', '.join(manifest.withheld)}" if manifest.withheld else ""
        withheld += f"; left out {', '.join(outcome.excluded)}" if outcome.excluded else ""
        count = manifest.counts["processes"]
        next_step = (f"see: rex tree -l {archive}" if cells else
                     f"replay with: rex replay -l {archive} -e {outcome.experiment.name}")
        cell_part = f"{count_cells} cell{'s' if count_cells != 1 else ''}, " if cells else ""
        click.echo(f"rex: recorded {where} in {format_duration(manifest.duration_s)}: "
                   f"{cell_part}{count} process{'es' if count != 1 else ''}, {manifest.counts['files']} files, "
                   f"{format_size(outcome.stored_bytes)} stored{withheld}; {next_step}", err=True)
    return end_like(outcome.status)
