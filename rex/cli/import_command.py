"""rex import"""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Sequence

import click

from rex.cli.table import clean, guarded, print_json

if TYPE_CHECKING:
    from rex.archive.landing import Landed


def tell(path: str, landed: "Sequence[Landed]") -> None:
    """What came, for people: one line each."""
    for each in landed:
        where = f"{clean(path)}:{each.name}"
        if not each.is_new:
            click.echo(f"{each.source}: already there as {where}")
        elif each.name != each.source:
            click.echo(f"{each.source}: added as {where}, another experiment has its name")
        else:
            click.echo(f"added {where}")


@click.command("import", epilog="Example: rex import exp.rex -l EXP   Exit: 0 done, 2 cannot be read, "
               "10 no such experiment, 12 format too new, 13 damaged.")
@click.argument("source", metavar="FILE", type=click.Path())
@click.option("-l", "--archive", "path", default="__default", show_default=True,
              help="The archive to add to.")
@click.option("-e", "--experiment", "names", multiple=True, metavar="EXP",
              help="Add only this one (may be repeated).")
@click.option("--signed-by", metavar="KEY", help="Refuse the file unless this key signed it "
              "(a public key, or a file of allowed signers).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@guarded
def command(source: str, path: str, names: tuple[str, ...], signed_by: str | None, as_json: bool) -> int:
    """Add the experiments of an export FILE (- for standard input) to an
    archive. All hashes are verified; nothing in the file is run."""
    from rex.archive import Archive
    from rex.archive.exporting import import_from
    if signed_by:
        from rex.transfer.signing import verify
        verify(source, signed_by)
    if source == "-":
        landed = import_from(sys.stdin.buffer, Archive.create(path), names)
    else:
        with open(source, "rb") as stream:
            landed = import_from(stream, Archive.create(path), names)
    if as_json:
        print_json({"archive": path, "experiments": [asdict(each) for each in landed]})
    else:
        tell(path, landed)
    return 0
