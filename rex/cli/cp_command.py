"""rex cp"""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

import click

from rex.cli.options import named_by_options
from rex.cli.select import expand
from rex.cli.table import clean, guarded, parse_ref, print_json, quietable
from rex.errors import UsageError

if TYPE_CHECKING:
    from rex.archive import Archive
    from rex.archive.import_checks import Landed


def copy(source: "Archive", target: "Archive", names: list[str]) -> list["Landed"]:
    """Copy experiments, by way of an export file; contents that the target has are stored once."""
    from rex.archive.exporting import export, import_from
    with tempfile.TemporaryFile(dir=target.path) as stream:
        export(source, stream, names)
        stream.seek(0)
        return import_from(stream, target)


@click.command("cp", epilog="Example: rex cp EXP:exp0 OTHER:baseline   Exit: 0 done, 2 bad request, "
               "10 no such archive or experiment, 12 format too new, 13 damaged.")
@click.argument("refs", metavar="ARCHIVE:EXP...", nargs=-1)
@click.argument("target", metavar="ARCHIVE[:NAME]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@quietable
@named_by_options("refs", is_many=True)
@guarded
def command(refs: tuple[str, ...], target: str, as_json: bool) -> int:
    """Copy experiments to another archive, which is made if nothing is there.
    EXP may be a pattern. An experiment that is there already stays as it is;
    one whose name is taken gets the next free one."""
    from rex.archive import Archive, about
    named, goal = expand(refs), parse_ref(target)
    if goal.experiment and len(named) > 1:
        raise UsageError(f"{len(named)} experiments cannot all be {goal.experiment}", "", f"write {goal.archive}")
    there = Archive.create(goal.archive)
    if any(os.path.samefile(path, there.path) for path, _ in named):
        raise UsageError("an experiment is in an archive once", "source and target are the same", "see: rex rename --help")
    there.check_name(goal.experiment or None)
    told = []
    for path in dict.fromkeys(path for path, _ in named):
        for landed in copy(Archive.open(path), there, [name for where, name in named if where == path]):
            name = goal.experiment or landed.name
            if landed.is_new and name != landed.name:
                about.rename(there, landed.name, name)
            name = name if landed.is_new else landed.name
            told.append({"from": f"{path}:{landed.source}", "archive": goal.archive, "experiment": name, "is_new": landed.is_new})
    if as_json:
        print_json({"copied": told})
    else:
        for each in told:
            click.echo(clean(f"{each['from']} {'copied to' if each['is_new'] else 'is already'} {each['archive']}:{each['experiment']}"))
    return 0
