"""rex ui"""

from __future__ import annotations

import click

from rex import limits
from rex.cli.refs import DEFAULT_ARCHIVE, either
from rex.cli.serving import PORT, export_pages, open_pages


@click.command("ui", epilog="Example: rex ui EXP   rex ui EXP:exp0 --read-only   "
               "Exit: 0 ended, 2 bad request, 10 no such archive or experiment, 12 format too new, 125 Rex failed.")
@click.argument("ref", metavar="[ARCHIVE[:EXP]]", required=False)
@click.option("-l", "--archive", default=DEFAULT_ARCHIVE, show_default=True, help="The archive.")
@click.option("-e", "--experiment", metavar="EXP", help="The experiment to show first.")
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(1, 65535),
              help="Port of the pages; the next free one if it is taken.")
@click.option("--no-browser", is_flag=True, help="Print an address, good once, instead of opening a browser.")
@click.option("--read-only", "is_read_only", is_flag=True, help="Refuse all changes, and new experiments too.")
@click.option("--sandbox", is_flag=True, help="Let programs that the pages run see nothing of this machine but their own files.")
@click.option("--export", "directory", metavar="DIR", help="Write the read-only pages to DIR as files, and serve nothing.")
def command(ref: str | None, archive: str, experiment: str | None, port: int, no_browser: bool, is_read_only: bool,
            sandbox: bool, directory: str | None) -> int:
    """Show an archive in the browser: find experiments, compare, label, rename and delete them.

    The pages are for this machine and its user only. They need no network. Programs run only where you ask for it (a new experiment, a check, a search for a cause, answers of a
    training), with your rights: run only what you trust, or use --sandbox.
    Exported pages open from a disk or from any web host."""
    where, name = either(ref, archive, experiment)
    if directory is not None:
        above = click.get_current_context().parent
        with limits.reading(above.params.get("max_read") if above else None):   # no program will run, which would inherit the limit
            return export_pages(where, name, directory)
    return open_pages(where, port, no_browser, name, sandbox, is_at_form=False, is_read_only=is_read_only)
