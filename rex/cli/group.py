"""The commands and their options, read by click: a subcommand's module is found by name, and only that is imported."""

from __future__ import annotations

import importlib

import click

from rex.cli.ending import exit_code, say

# Every subcommand, in the order of the help page; the module of a command is
# rex.cli.<name>_command and is imported only when it is called.
COMMANDS: dict[str, str] = {
    "record": "Run a command and keep everything it used.",
    "replay": "Run an experiment again, from the archive alone.",
    "expdiff": "Say what differs between two experiments.",
    "runnew": "Run a new experiment: an archived one with changes.",
    "ls": "List experiments, or the files of one.",
    "show": "Show everything about one experiment.",
    "log": "Print the syscall log of an experiment.",
    "check": "Verify every hash and reference of an archive.",
    "gc": "Give back the space that no experiment needs.",
    "rm": "Remove experiments.",
    "default": "Say or set the experiment that is meant by default.",
    "export": "Write experiments to one file, or in a form without Rex.",
    "import": "Add the experiments of an export file.",
    "push": "Send experiments to a remote archive.",
    "pull": "Fetch experiments from a remote archive.",
    "hindsight": "Answer log statements that were added after a training run.",
    "doctor": "Say whether recording works here, and what to do if not.",
    "notebook": "Look at notebook sessions and go back in them.",
    "workflow": "Show the steps of a recorded workflow, and what they cost.",
    "schedule": "Say what is worth persisting, and in which order to run.",
    "tree": "Show the execution tree of recorded versions.",
    "plan": "Show the replay sequence of many versions, and its cost.",
}


class LazyGroup(click.Group):
    """A group whose commands are imported when used: start-up time matters."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        return importlib.import_module(f"rex.cli.{name}_command").command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def print_version(ctx: click.Context, _param: click.Parameter, asked: bool) -> None:
    if not asked or ctx.resilient_parsing:
        return
    from rex import __version__
    from rex.tracer import describe_engines
    click.echo(f"rex {__version__}")
    click.echo(describe_engines())
    ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False,
              callback=print_version, help="Show the version and the engine in use.")
@click.option("--debug", is_flag=True, help="Show a traceback with every error.")
def cli(debug: bool) -> None:
    """Record experiments with everything they used, replay them anywhere,
    run new ones on the archived programs, and show what differs."""


def run(argv: list[str]) -> int:
    """Run a command line; the exit status."""
    try:
        status = cli.main(args=argv, prog_name="rex", standalone_mode=False)
    except click.ClickException as error:
        say(f"rex: {error.format_message()}; see: rex --help")
        return exit_code(2, argv)
    except click.Abort:
        return 130
    return status if isinstance(status, int) else 0
