"""rex push"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Callable

import click

from rex.cli.options import named_by_options
from rex.cli.check_command import progress_bar
from rex.cli.import_command import tell
from rex.cli.secrets import warn_of_secrets
from rex.cli.table import guarded, parse_ref, print_json, quietable
from rex.types import format_size

if TYPE_CHECKING:
    from rex.transfer.pushpull import Moved


def transfer_options(command: Callable[..., int]) -> Callable[..., int]:
    """The options that push and pull share."""
    for option in reversed((
            click.option("-e", "--experiment", "names", multiple=True, metavar="EXP",
                         help="Only this one (may be repeated; all finished ones)."),
            click.option("--option", "options", multiple=True, metavar="NAME=VALUE",
                         help="An option of the file system, as fsspec names it."),
            click.option("--json", "as_json", is_flag=True, help="Print one JSON object."))):
        command = option(command)
    return command


def summary(moved: "Moved", path: str, as_json: bool, **facts: Any) -> None:
    """What a push or pull did."""
    if as_json:
        print_json({**facts, "experiments": [asdict(each) for each in moved.experiments],
                    "objects": moved.objects, "size_bytes": moved.size_bytes})
        return
    tell(path, moved.experiments)
    click.echo(f"{moved.objects} objects, {format_size(moved.size_bytes)} moved")


@click.command("push", epilog="Example: rex push EXP s3://bucket/exp   Exit: 0 done, 2 cannot be written, "
               "10 no such archive or experiment, 11 the remote is in use, 12 format too new, 13 damaged.")
@click.argument("ref", metavar="ARCHIVE[:EXP]", required=False)
@click.argument("url", metavar="URL", required=False)
@transfer_options
@click.option("--alone", is_flag=True, help="Nobody else pushes there meanwhile: the server may ignore conditional writes.")
@quietable
@named_by_options("ref", behind="url", is_archive=True)
@guarded
def command(ref: str, url: str, names: tuple[str, ...], options: tuple[str, ...], as_json: bool, alone: bool) -> int:
    """Send finished experiments to the archive at URL (a folder, or ssh://,
    s3://, gs:// and all that fsspec knows), made if nothing is there. Only
    what is missing there travels; after an interruption, push again. What looks like a credential is warned of."""
    from rex.archive import Archive
    from rex.transfer.pushpull import parse_options, push
    from rex.transfer.remote import Remote, RemoteArchive
    where = parse_ref(ref)
    archive = Archive.open(where.archive)
    names += (where.experiment,) if where.experiment else ()
    warn_of_secrets(archive, where.archive, names)
    there = RemoteArchive.create(Remote(url, parse_options(options)))
    with progress_bar("pushing") as progress:
        moved = push(archive, there, names, progress, alone)
    summary(moved, there.remote.url, as_json, archive=where.archive, url=there.remote.url)
    return 0
