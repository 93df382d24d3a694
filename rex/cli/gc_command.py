"""rex gc"""

from __future__ import annotations

from dataclasses import asdict

import click

from rex.cli.table import clean, guarded, print_json
from rex.types import format_size


@click.command("gc", epilog="Example: rex gc EXP   Exit: 0 done, 10 no such archive, "
               "11 somebody records into it, 12 format too new, 13 damaged.")
@click.argument("path", metavar="[ARCHIVE]", default="__default")
@click.option("--recompress", is_flag=True,
              help="Also compress all contents anew, as small as can be: slow, for archives at rest.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@guarded
def command(path: str, recompress: bool, as_json: bool) -> int:
    """Give back the space of contents that no experiment needs any more, as
    after rex rm, and of what crashes left behind."""
    from rex.archive import Archive
    from rex.archive.gc import collect
    from rex.cli.check_command import progress_bar
    with progress_bar("compressing" if recompress else "collecting") as progress:
        done = collect(Archive.open(path), recompress=recompress, progress=progress)
    if as_json:
        print_json({"archive": path, **asdict(done)})
        return 0
    click.echo(f"{clean(path)}: {format_size(max(0, done.freed_bytes))} freed, contents removed: "
               f"{done.removed_objects}, packs removed or replaced: {done.removed_packs}")
    return 0
