"""The commands and their options, read by click: a subcommand's module is found by name, and only that is imported."""

from __future__ import annotations

import difflib
import importlib
import os

import click

from rex import config, limits
from rex.cli.defaults import default_map
from rex.cli.ending import exit_code, say
from rex.cli.options import SIZE

COMPLETING = "_REX_COMPLETE"

# Every subcommand, in the order and under the headings of the help page; the module of a command is
# rex.cli.<name>_command and is imported only when it is called.
GROUPS: dict[str, dict[str, str]] = {
    "Record and replay": {
        "record": "Run a command and keep everything it used.",
        "replay": "Run an experiment again, from the archive alone.",
    },
    "Compare and look": {
        "expdiff": "Say what differs between two experiments.",
        "compare": "Compare many experiments: who gave the same, and what separates the results.",
        "ls": "List experiments, or the files of one.",
        "show": "Show everything about one experiment.",
        "log": "Print the syscall log of an experiment.",
        "extract": "Write files of an experiment to a directory.",
        "environment": "Show which packages an experiment used.",
        "cat": "Write the content of an experiment's files to standard output.",
        "ui": "Show an archive in the browser.",
    },
    "Vary": {
        "runnew": "Run a new experiment: an archived one with changes.",
        "bisect": "Find the difference of two experiments that makes an output differ.",
        "sweep": "Run an experiment with every combination of parameters.",
    },
    "Keep order": {
        "label": "Set labels of experiments, to find them by.",
        "note": "Set or print the note on an experiment.",
        "rename": "Give an experiment another name.",
        "cp": "Copy experiments to another archive.",
        "rm": "Remove experiments.",
        "rules": "Show or set what comparisons of an archive allow to differ.",
        "default": "Say or set the experiment that is meant by default.",
        "check": "Verify every hash and reference of an archive.",
        "gc": "Give back the space that no experiment needs.",
    },
    "Share": {
        "export": "Write experiments to one file, or in a form without Rex.",
        "import": "Add the experiments of an export file.",
        "push": "Send experiments to a remote archive.",
        "pull": "Fetch experiments from a remote archive.",
    },
    "Many versions": {
        "tree": "Show what the runs of an archive share, and why they part.",
        "plan": "Show the replay sequence of many versions, and its cost.",
    },
    "Notebooks": {
        "notebook": "Look at notebook sessions and go back in them.",
    },
    "Training": {
        "hindsight": "Answer log statements that were added after a training run.",
    },
    "Workflows": {
        "workflow": "Show the steps of a recorded workflow, and what they cost.",
        "schedule": "Say what is worth persisting, and in which order to run.",
    },
    "Rex itself": {
        "doctor": "Say whether recording works here, and what to do if not.",
        "config": "Show which defaults hold, and from where.",
        "completion": "Print what makes a shell complete rex's words.",
        "help": "Show the help of a command.",
    },
}
COMMANDS: dict[str, str] = {name: text for commands in GROUPS.values() for name, text in commands.items()}
ALIASES = {"diff": "expdiff", "run": "runnew"}


# These run programs, which would inherit limits of their process.
RUNNING = {"record", "replay", "runnew", "ui", "sweep", "bisect", "hindsight", "notebook", "doctor"}


class LazyGroup(click.Group):
    """A group whose commands are imported when used: start-up time matters."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, also the aliases."""
        return [*COMMANDS, *ALIASES]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import the module of a command; None where there is no such command."""
        name = ALIASES.get(name, name)
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"rex.cli.{name}_command").command
        if COMPLETING in os.environ:
            from rex.cli.completion_command import prepare
            prepare(command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word means, with the user's defaults; `rex config` shows those, right or wrong."""
        word = args[0]
        if word not in COMMANDS and word not in ALIASES and not word.startswith("-"):
            near = difflib.get_close_matches(word, [*COMMANDS, *ALIASES], n=3, cutoff=0.5)
            raise click.UsageError(f"there is no command {word}" + (f": did you mean {' or '.join(near)}?" if near else ""), ctx)
        _, command, rest = super().resolve_command(ctx, args)
        name = ALIASES.get(word, word)
        if command and name != "config":
            ctx.default_map = {name: default_map(command, name, config.settings())}
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings."""
        width = max(map(len, COMMANDS))
        for heading, commands in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), text) for name, text in commands.items()])


def print_version(ctx: click.Context, _param: click.Parameter, asked: bool) -> None:
    """Print the version and the engines, and exit."""
    if not asked or ctx.resilient_parsing:
        return
    from rex.version import __version__
    from rex.tracer import describe_engines
    click.echo(f"rex {__version__}")
    click.echo(describe_engines())
    ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-V", "--version", is_flag=True, is_eager=True, expose_value=False,
              callback=print_version, help="Show the version and the engine in use.")
@click.option("--debug", is_flag=True, help="Show a traceback with every error.")
@click.option("--max-memory", type=SIZE, envvar=limits.MEMORY_VARIABLE, metavar="SIZE",
              help="What a command may take for what archives hold; a quarter of the machine's memory if not given.")
@click.option("--max-read", type=SIZE, envvar=limits.READ_VARIABLE, metavar="SIZE",
              help="What a command may read of an archive that stands for much more than it stores; 64G if not given.")
@click.pass_context
def cli(ctx: click.Context, debug: bool, max_memory: int | None, max_read: int | None) -> None:
    """Record experiments with everything they used, replay them anywhere,
    run new ones on the archived programs, and show what differs."""
    limits.set_memory(max_memory)
    limits.set_work(max_read)
    if ctx.invoked_subcommand not in RUNNING:
        ctx.with_resource(limits.reading(max_read))


# Newer versions of click raise it where a command of commands is given no word; older ones show the help and end with 0.
_NO_WORDS: type[click.UsageError] | tuple[()] = getattr(click.exceptions, "NoArgsIsHelpError", ())


def help_of(error: click.ClickException) -> str:
    """The command that explains what was wrong."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f"{context.command_path if context else 'rex'} --help"


def run(argv: list[str]) -> int:
    """Run a command line; the exit status."""
    try:
        status = cli.main(args=argv, prog_name="rex", standalone_mode=False)
    except _NO_WORDS as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        say(f"rex: {' '.join(error.format_message().split()).rstrip('.')}; see: {help_of(error)}")
        return exit_code(2, argv)
    except click.Abort:
        return 130
    return status if isinstance(status, int) else 0
