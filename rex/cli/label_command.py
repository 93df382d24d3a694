"""rex label"""

from __future__ import annotations

import click

from rex.cli.options import named_by_options, parse_labels
from rex.cli.select import expand
from rex.cli.table import clean, guarded, labels_text, print_json, quietable


@click.command("label", epilog="Example: rex label EXP:exp0 seed=3 filter=new   Exit: 0 done, 2 bad request, "
               "10 no such archive or experiment, 12 format too new.")
@click.argument("ref", metavar="ARCHIVE:EXP", required=False)
@click.argument("labels", metavar="[K=V]...", nargs=-1)
@click.option("-d", "--delete", multiple=True, metavar="K", help="Remove a label.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@quietable
@named_by_options("ref", behind="labels", is_alone=True)
@guarded
def command(ref: str, labels: tuple[str, ...], delete: tuple[str, ...], as_json: bool) -> int:
    """Set labels of an experiment, or of all that EXP as a pattern means, and
    print them. Find experiments by label with: rex ls --where K=V."""
    from rex.archive import Archive, about
    changes: dict[str, str | None] = {**dict.fromkeys(delete), **parse_labels(labels)}
    told = []
    for path, name in expand((ref,)):
        archive = Archive.open(path)
        if changes:
            about.set_labels(archive, name, changes)
        found = about.labels_of(archive.experiment(name).manifest)
        told.append({"archive": path, "experiment": name, "labels": found})
        if not as_json:
            click.echo(f"{clean(f'{path}:{name}')} {labels_text(found)}".rstrip())
    if as_json:
        print_json({"experiments": told})
    return 0
