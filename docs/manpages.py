"""Writes a man page for every command into a directory: docs/manpages.py DIRECTORY. Needs click-man."""

from __future__ import annotations

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import click  # noqa: E402
from click_man.core import write_man_pages  # noqa: E402

from rex import __version__  # noqa: E402
from rex.cli.group import COMMANDS, cli  # noqa: E402


def main(directory: str) -> None:
    """Write them all."""
    os.makedirs(directory, exist_ok=True)
    context = click.Context(cli, info_name="rex")
    cli.commands = {name: command for name in COMMANDS if (command := cli.get_command(context, name))}
    write_man_pages("rex", cli, version=__version__, target_dir=directory)


if __name__ == "__main__":
    main(sys.argv[1])
