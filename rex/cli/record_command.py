"""rex record"""

from __future__ import annotations

from typing import Any

import click

from rex.cli.record_run import run


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
def command(**words: Any) -> int:
    """Run COMMAND and keep everything it used: programs, libraries, inputs,
    outputs, environment, and what the operating system told it."""
    return run(**words)
