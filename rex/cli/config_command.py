"""rex config"""

from __future__ import annotations

import json
import os

import click

from rex import config
from rex.cli.table import clean, guarded, print_columns, print_json


@click.command("config", epilog="Example: rex config   Exit: 0 done, 2 a file makes no sense.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@guarded
def command(as_json: bool) -> int:
    """Show which defaults hold, and from where. REX_ARCHIVE names the default
    archive. Files in TOML do that too (archive = "..."), and give defaults for
    the options of a command below its name in brackets: .rex.toml in the
    directory or above it, then rex/config.toml in ~/.config."""
    found = config.settings()
    if as_json:
        print_json({"settings": [{"command": each.command, "option": each.option, "value": each.value, "source": each.source}
                                 for each in found], "files": config.files(), "user_file": config.user_file()})
        return 0
    print_columns([(" ".join(filter(None, (each.command, each.option))), clean(json.dumps(each.value)), clean(each.source or "Rex itself"))
                   for each in found], ("option", "default", "from"))
    if not os.path.exists(config.user_file()):
        click.echo(f"your own file would be {clean(config.user_file())}")
    return 0
