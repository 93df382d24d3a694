"""The server of the pages, which `rex ui` and `rex runnew` open at different places."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import partial
from typing import Any, Iterator

import click

from rex.errors import UsageError
from rex.extras import missing
from rex.text import clean

PORT = 7490


@contextmanager
def _web_libraries() -> Iterator[None]:
    """Say what to install where a library is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise missing("web", "the pages cannot be made; --headless of rex runnew needs none") from error


def open_pages(archive: str, port: int, no_browser: bool, experiment: str | None, is_sandboxed: bool, **options: Any) -> int:
    """Serve the pages of an archive until Ctrl-C; the exit status.

    Args:
        is_sandboxed: let what it runs of the archive see nothing of this machine but its own files.
        options: as `rex.web.serve.serve` takes them.
    """
    from rex.runnew import plan_run, start
    with _web_libraries():
        from rex.web.serve import serve
        from rex.web.services import Services
    serve(archive, Services(plan_run, partial(start, is_sandboxed=is_sandboxed), is_sandboxed), port, not no_browser, lambda line: click.echo(f"rex: {line}", err=True),
          experiment, **options)
    return 0


def export_pages(archive: str, experiment: str | None, directory: str) -> int:
    """Write the pages of an archive as files; the exit status.

    Raises:
        UsageError: one experiment is named, or the directory is not empty.
    """
    from rex.cli.check_command import progress_bar
    if experiment:
        raise UsageError(f"{experiment} alone cannot be exported", "--export writes the pages of a whole archive", "name only the archive")
    with _web_libraries():
        from rex.web.export import export
    with progress_bar("exporting") as progress:
        count = export(archive, directory, progress)
    click.echo(f"rex: wrote {count} files; open {clean(os.path.join(os.path.abspath(directory), 'index.html'))}", err=True)
    return 0
