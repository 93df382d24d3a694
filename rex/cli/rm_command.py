"""rex rm"""

from __future__ import annotations

import click

from rex.cli.table import clean, guarded, named_ref, print_json


@click.command("rm", epilog="Example: rex rm EXP:exp1   Exit: 0 done, 2 no experiment named, "
               "10 no such archive or experiment, 11 it is being recorded, 12 format too new.")
@click.argument("refs", metavar="ARCHIVE:EXP...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@guarded
def command(refs: tuple[str, ...], as_json: bool) -> int:
    """Remove experiments, finished or not. Contents that nobody else needs
    stay until rex gc."""
    from rex.archive import Archive
    named = [named_ref(text) for text in refs]
    for path, name in named:
        Archive.open(path).experiment(name)   # all must be there before the first one goes
    for path, name in dict.fromkeys(named):
        Archive.open(path).remove(name)
        if not as_json:
            click.echo(f"removed {clean(path)}:{name}")
    archives = list(dict.fromkeys(path for path, _ in named))
    if as_json:
        print_json({"removed": [{"archive": path, "experiment": name} for path, name in dict.fromkeys(named)]})
    else:
        click.echo("give the space back with: " + "; ".join(f"rex gc {clean(path)}" for path in archives))
    return 0
