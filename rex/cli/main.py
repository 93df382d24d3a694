"""The `rex` command: finds a subcommand's module by name and imports only that."""

from __future__ import annotations

import errno
import gc
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


def words_before_program(argv: list[str]) -> list[str]:
    """Our own words: what stands behind -- belongs to the program."""
    return argv[: argv.index("--")] if "--" in argv else argv


def exit_code(code: int, argv: list[str]) -> int:
    """What we end with for a failure of ours with this code.

    Where the program's own status is handed on, ours must not be taken for it.
    """
    own = words_before_program(argv)
    name, after = [*[word for word in own if not word.startswith("-")][:2], "", ""][:2]
    hands_on = name in ("record", "runnew") or (name == "replay" and "--check" not in own) or (
        name == "hindsight" and after == "record")
    return 125 if hands_on and code not in (126, 127) else code


def report(error: RexError, argv: list[str]) -> int:
    """Print one line (and with --json an object) for a foreseen failure; its exit code."""
    if "--json" in words_before_program(argv):
        click.echo(json.dumps(error.as_json()))
    click.echo(f"rex: {error}", err=True)
    return exit_code(error.code, argv)


def from_system(error: OSError) -> RexError:
    """A failure of the operating system in one line."""
    advice = {errno.ENOSPC: "free some space", errno.EDQUOT: "free some space",
              errno.EROFS: "the file system is read-only"}.get(error.errno or 0, "")
    where = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes)) else ""
    return RexError(f"cannot use {where}" if where else "the system refused",
                    error.strerror or str(error), advice)


def run(argv: list[str]) -> int:
    """Run the command line; the exit status."""
    try:
        status = cli.main(args=argv, prog_name="rex", standalone_mode=False)
    except RexError as error:
        if "--debug" in argv[:1]:
            raise
        return report(error, argv)
    except click.ClickException as error:
        click.echo(f"rex: {error.format_message()}; see: rex --help", err=True)
        return exit_code(2, argv)
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        if "--debug" in argv[:1]:
            raise
        return report(from_system(error), argv)
    return status if isinstance(status, int) else 0


# Of commands that end soon otherwise: with these the work begins when the command line was read.
_LASTING = {"--cells", "--all", "--persist"}


def leaves_at_once(argv: list[str]) -> bool:
    """Whether a command ends soon, with nothing open: Python need not look for garbage, nor take itself apart in the end."""
    own = words_before_program(argv)
    is_short = own[:1] in (["record"], ["replay"]) or own[:2] == ["hindsight", "replay"]
    return is_short and _LASTING.isdisjoint(word.partition("=")[0] for word in own)


def main() -> None:
    """The entry point of the `rex` script."""
    is_quick = leaves_at_once(sys.argv[1:])
    if is_quick:
        gc.disable()
    status = run(sys.argv[1:])
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream:
                stream.flush()
    except OSError:
        sys.exit(status)   # Python says why
    if is_quick:
        os._exit(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
