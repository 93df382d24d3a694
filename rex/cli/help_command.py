"""rex help"""

from __future__ import annotations

import click


@click.command("help", epilog="Example: rex help hindsight record   Exit: 0 done, 2 no such command.")
@click.argument("words", metavar="[COMMAND]...", nargs=-1)
@click.pass_context
def command(context: click.Context, words: tuple[str, ...]) -> int:
    """Show the help of a command, or the list of all."""
    assert context.parent
    context = context.parent
    found: click.Command = context.command
    for word in words:
        if not isinstance(found, click.Group):
            raise click.UsageError(f"{context.command_path} has no commands below it", context)
        name, below, _ = found.resolve_command(context, [word])
        assert below
        found, context = below, click.Context(below, info_name=name, parent=context)
    click.echo(found.get_help(context))
    return 0
