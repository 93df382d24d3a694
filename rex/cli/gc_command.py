"""rex gc"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from rex.cli.options import named_by_options
from rex.cli.table import clean, guarded, print_json, quietable
from rex.text import quoted
from rex.types import format_size

if TYPE_CHECKING:
    from rex.archive.gc import Collected


def left(path: str, done: "Collected") -> list[str]:
    """What was not removed though no finished experiment needs it, and what to do."""
    return [
        *([f"contents that no experiment needs: {done.left_objects}, {format_size(done.left_bytes)} before compression; "
           f"remove with: rex gc --recompress {quoted(path)}"] if done.left_objects else []),
        *[f"{clean(path)}:{name}, which is not finished; remove with: rex rm {quoted(path)}:{name}" for name in done.unfinished],
        *[f"{clean(name)} among the packs, which is not Rex's" for name in done.other_files]]


@click.command("gc", epilog="Example: rex gc EXP   Exit: 0 done, 10 no such archive, "
               "11 somebody uses it, 12 format too new, 13 damaged, or not certain what is needed.")
@click.argument("path", metavar="[ARCHIVE]", default="__default")
@click.option("--recompress", is_flag=True,
              help="Also compress all contents again, as small as possible: slow, for archives at rest.")
@click.option("--empty", is_flag=True, help="Remove all contents where no experiment is left.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@quietable
@named_by_options("path", is_archive=True)
@guarded
def command(path: str, recompress: bool, empty: bool, as_json: bool) -> int:
    """Give back the space of contents that no experiment needs any more, as
    after rex rm, and of what crashes left behind; say what is left. Nothing is
    removed where it is not certain which experiments there are."""
    from rex.archive import Archive
    from rex.archive.gc import collect
    from rex.cli.check_command import progress_bar
    with progress_bar("compressing" if recompress else "collecting") as progress:
        done = collect(Archive.open(path), recompress=recompress, progress=progress, may_be_none=empty)
    if as_json:
        print_json({"archive": path, **asdict(done)})
        return 0
    click.echo(f"{clean(path)}: {format_size(max(0, done.freed_bytes))} freed, contents removed: "
               f"{done.removed_objects}, packs removed or replaced: {done.removed_packs}")
    for line in left(path, done):
        click.echo(f"left: {line}")
    return 0
