"""rex pull"""

from __future__ import annotations

import click

from rex.cli.check_command import progress_bar
from rex.cli.push_command import summary, transfer_options
from rex.cli.table import guarded, quietable


@click.command("pull", epilog="Example: rex pull s3://bucket/exp -l EXP   Exit: 0 done, 2 cannot be read, "
               "10 no such archive or experiment, 12 format too new, 13 damaged.")
@click.argument("url", metavar="URL")
@click.option("-l", "--archive", "path", default="__default", show_default=True,
              help="The archive to add to.")
@transfer_options
@quietable
@guarded
def command(url: str, path: str, names: tuple[str, ...], options: tuple[str, ...], as_json: bool) -> int:
    """Fetch finished experiments from the archive at URL. Only what is
    missing here travels; all of it is verified, and nothing of it is run."""
    from rex.archive import Archive
    from rex.transfer.pushpull import parse_options, pull
    from rex.transfer.remote import Remote, RemoteArchive
    there = RemoteArchive.open(Remote(url, parse_options(options)))
    with progress_bar("pulling") as progress, Archive.made(path) as archive:
        moved = pull(archive, there, names, progress)
    summary(moved, path, as_json, archive=path, url=there.remote.url)
    return 0
