"""rex note"""

from __future__ import annotations

import click

from rex.cli.options import named_by_options
from rex.cli.select import one
from rex.cli.table import clean, guarded, print_json


@click.command("note", epilog="Example: rex note EXP:exp0 'after fixing the filter'   Exit: 0 done, 2 not finished, "
               "10 no such archive or experiment, 12 format too new.")
@click.argument("ref", metavar="ARCHIVE:EXP", required=False)
@click.argument("text", metavar="[TEXT]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@named_by_options("ref", behind="text", is_alone=True)
@guarded
def command(ref: str, text: str | None, as_json: bool) -> int:
    """Set the note on an experiment ('' removes it), or without TEXT print it."""
    from rex.archive import about
    archive, name = one(ref)
    if text is not None:
        about.set_note(archive, name, text)
    note = about.note_of(archive.experiment(name).manifest)
    if as_json:
        print_json({"archive": archive.path, "experiment": name, "note": note})
    elif text is None:
        click.echo(clean(note))
    return 0
