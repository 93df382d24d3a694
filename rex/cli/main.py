"""The `rex` command: finds a subcommand's module by name and imports only that."""

from __future__ import annotations

import importlib
import json
import os
import sys

import click

from rex.errors import RexError

# Every subcommand, in the order of the help page; the module of a command is
# rex.cli.<name>_command and is imported only when it is called.
COMMANDS: dict[str, str] = {
    "record": "Run a command and keep everything it used.",
    "replay": "Run an experiment again, from the archive alone.",
    "expdiff": "Say what differs between two experiments.",
    "ls": "List experiments, or the files of one.",
    "show": "Show everything about one experiment.",
    "log": "Print the syscall log of an experiment.",
    "check": "Verify every hash and reference of an archive.",
    "gc": "Give back the space that no experiment needs.",
    "rm": "Remove experiments.",
    "default": "Say or set the experiment that is meant by default.",
    "doctor": "Say whether recording works here, and what to do if not.",
    "schedule": "Say what is worth persisting, and in which order to run.",
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


def report(error: RexError, argv: list[str]) -> int:
    """Print one line (or one JSON object) for a foreseen failure; its exit code."""
    own = argv[: argv.index("--")] if "--" in argv else argv
    if "--json" in own:
        click.echo(json.dumps(error.as_json()))
    click.echo(f"rex: {error}", err=True)
    return error.code


def main() -> None:
    """Run the command line; the entry point of the `rex` script."""
    argv = sys.argv[1:]
    try:
        status = cli.main(args=argv, prog_name="rex", standalone_mode=False)
    except RexError as error:
        if "--debug" in argv[:1]:
            raise
        status = report(error, argv)
    except click.ClickException as error:
        click.echo(f"rex: {error.format_message()}; see: rex --help", err=True)
        status = 2
    except (click.Abort, KeyboardInterrupt):
        status = 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141
    sys.exit(status if isinstance(status, int) else 0)


if __name__ == "__main__":
    main()
