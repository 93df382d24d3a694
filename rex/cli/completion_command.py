"""rex completion"""

from __future__ import annotations

import os
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from rex import config
from rex.errors import RexError

_SHELLS = ("bash", "zsh", "fish")
# Bash takes a colon for the end of a word; ARCHIVE:EXP is one word.
_BEFORE = {"bash": "COMP_WORDBREAKS=${COMP_WORDBREAKS//:}\n"}


def experiments(archive: str, begin: str) -> list[str]:
    """Names of an archive's experiments that begin so."""
    from rex.archive import Archive
    try:
        return [each.name for each in Archive.open(archive).experiments() if each.name.startswith(begin)]
    except (RexError, OSError):
        return []


class Ref(click.ParamType):
    """ARCHIVE[:EXP], or with `is_archive_given` EXP alone: what is there is offered."""

    name = "ref"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete an archive's folder, or an experiment's name."""
        if "-e" in param.opts:
            return [CompletionItem(name) for name in experiments(ctx.params.get("archive") or config.default_archive(), incomplete)]
        archive, colon, begin = incomplete.rpartition(":")
        if colon:
            return [CompletionItem(f"{archive}:{name}") for name in experiments(archive, begin)]
        return [CompletionItem(incomplete, type="dir")]


class PathInside(click.ParamType):
    """A path inside the experiment that the command was given."""

    name = "path"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete a path inside the experiment that the line names."""
        from rex.api import Archive
        from rex.cli.table import parse_ref
        try:
            ref = parse_ref(ctx.params["ref"])
            archive = Archive(ref.archive)
            experiment = archive[ref.experiment] if ref.experiment else archive.default()
            when: Any = "before" if ctx.params.get("before") else "after"
            files = [path for path, file in experiment.files(when=when).items() if file.type == "file"]
            inside = [os.path.relpath(path, experiment.cwd) for path in files if path.startswith(experiment.cwd + "/")]
        except (RexError, OSError, KeyError):
            return []
        return [CompletionItem(path) for path in (files if incomplete.startswith("/") else inside) if path.startswith(incomplete)]


class State(click.ParamType):
    """A state of the notebook session that the command was given: its tags and branches are offered."""

    name = "state"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete a tag or a branch of a notebook's session."""
        from rex.cli.notebook_command import open_session
        from rex.notebook.index import read_graph
        try:
            graph = read_graph(open_session(ctx.params.get("ref") or config.default_archive())[1])
        except (RexError, OSError):
            return []
        return [CompletionItem(name) for name in sorted({*graph.tags, *graph.branches}) if name.startswith(incomplete)]


def prepare(command: click.Command) -> None:
    """Let the parameters of a command offer what is in archives."""
    for param in command.params:
        metavar = param.metavar or ""
        if "ARCHIVE" in metavar or set(param.opts) & {"-l", "-e"}:
            param.type = Ref()
        elif isinstance(param, click.Argument) and param.name == "paths" and "PATH" in metavar:
            param.type = PathInside()
        elif "TAG" in metavar:
            param.type = State()
    if isinstance(command, click.Group):
        for below in command.commands.values():
            prepare(below)


@click.command("completion", epilog="Example: eval \"$(rex completion bash)\"   Exit: 0 done, 2 no such shell.")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> int:
    """Print what makes the shell complete commands, options, archives,
    experiments and paths inside them. In bash and zsh: eval "$(rex completion
    SHELL)" in the start file; in fish: rex completion fish | source."""
    kind = get_completion_class(shell)
    assert kind and context.parent
    click.echo(_BEFORE.get(shell, "") + kind(context.parent.command, {}, "rex", "_REX_COMPLETE").source())
    return 0
