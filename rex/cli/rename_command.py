"""rex rename"""

from __future__ import annotations

import click

from rex.cli.options import named_by_options
from rex.cli.select import one
from rex.cli.table import clean, guarded, parse_ref, print_json, quietable


@click.command("rename", epilog="Example: rex rename EXP:exp0 baseline   Exit: 0 done, 2 not finished, or the name is taken, "
               "10 no such archive or experiment, 12 format too new.")
@click.argument("ref", metavar="ARCHIVE:EXP", required=False)
@click.argument("name", metavar="NAME", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@quietable
@named_by_options("ref", behind="name")
@guarded
def command(ref: str, name: str, as_json: bool) -> int:
    """Give an experiment another name. Experiments that were made from it
    follow, and so does the choice of the default one."""
    from rex.archive import about
    archive, old = one(ref)
    about.rename(archive, old, name)
    where = parse_ref(ref).archive
    if as_json:
        print_json({"archive": where, "experiment": name, "was": old})
    else:
        click.echo(clean(f"{where}:{old} is {where}:{name}"))
    return 0
