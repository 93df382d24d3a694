"""The user's defaults (`rex.config`) as click wants them."""

from __future__ import annotations

from typing import Any

import click

from rex import config
from rex.errors import UsageError


def long_name(param: click.Parameter) -> str:
    """The long name of an option, without dashes; "" of arguments."""
    return next((text[2:] for text in param.opts if text.startswith("--")), "")


def default_map(command: click.Command, name: str, settings: list[config.Setting]) -> dict[str, Any]:
    """Defaults by parameter for a command, and for the commands below it.

    Args:
        name: as one types it, with spaces between words.
    Raises:
        UsageError: there is a default for an option that it does not have.
    """
    archive = next(each.value for each in settings if (each.command, each.option) == ("", "archive"))
    found: dict[str, Any] = {param.name: archive if param.default == config.ARCHIVE else (archive,) for param in command.params
                             if param.name and param.default in (config.ARCHIVE, (config.ARCHIVE,))}
    options = {long_name(param): param for param in command.params if isinstance(param, click.Option)}
    for each in settings:
        if each.command == name:
            param = options.get(each.option)
            if not param or not param.name:
                raise UsageError(f"{each.source} sets {each.option} of rex {name}", "it has no such option", f"see: rex {name} --help")
            found[param.name] = tuple(each.value) if param.multiple and isinstance(each.value, list) else each.value
    if isinstance(command, click.Group):
        for sub, below in command.commands.items():
            found[sub] = default_map(below, f"{name} {sub}", settings)
    return found
