"""rex record"""

from __future__ import annotations

from typing import Any

import click

from rex.cli.record_run import run


class RecordCommand(click.Command):
    """`--reuse` alone means yes; click would take the command's first word for its value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Let `--reuse` stand without a value."""
        valued = {name for param in self.params if isinstance(param, click.Option) and not param.is_flag and param.name != "reuse"
                  for name in param.opts}
        at = 0
        while at < len(args) and args[at].startswith("-") and args[at] != "--":
            if args[at] == "--reuse":
                args[at] = "--reuse=yes"
            at += 2 if args[at] in valued else 1
        return super().parse_args(ctx, args)


@click.command(cls=RecordCommand, context_settings={"ignore_unknown_options": False,
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
@click.option("--redact", is_flag=True,
              help="Put placeholders in place of what looks like a credential in the arguments, in the log too; a replay gives "
                   "them to the program.")
@click.option("--cells", is_flag=True,
              help="COMMAND is a notebook, Python script, or notebook session ARCHIVE:EXP: record it cell by cell, "
              "as a version.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="With --cells: the seed of the randomness that the system gives.")
@click.option("--serialize", is_flag=True,
              help="Run one thread at a time, in an order that replays keep: for programs whose output "
                   "depends on which thread is first.")
@click.option("--verify", is_flag=True, help="Replay at once, compare, and note in the archive what came of it.")
@click.option("--reuse", metavar="[=strict]", type=click.Choice(["yes", "strict"]),
              help="Do not run what the archive has and nothing has changed for: put back what it left. strict: but run what read a "
                   "clock, drew random numbers or looked at the machine.")
@click.option("--recheck", type=click.IntRange(min=0), default=0, metavar="K",
              help="With --reuse: run K of the steps that need not run all the same, and compare.")
@click.option("--explain", is_flag=True, help="With --reuse: tell why each program that ran was not put back.")
@click.option("--against", metavar="[ARCHIVE:]EXP",
              help="Say, as it happens, what is first given otherwise than to this experiment, and in the end what differs.")
@click.option("--label", multiple=True, metavar="K=V", help="Give the experiment a label, to find it by: rex ls --where K=V.")
@click.option("--note", default="", metavar="TEXT", help="Give it a note.")
@click.option("--report", metavar="FILE", help="Write a report as JSON to FILE, apart from the program's own streams.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON, on standard error.")
@click.option("-q", "--quiet", is_flag=True, help="No summary line.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def command(**words: Any) -> int:
    """Run COMMAND and keep everything it used: programs, libraries, inputs,
    outputs, environment, and the operating system's answers.

    With --cells ARCHIVE:EXP this runs the cells of the archive with your rights: record only sessions that you trust."""
    return run(**words)
