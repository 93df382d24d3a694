"""The server of the pages, which `rex ui` and `rex runnew` open at different places."""

from __future__ import annotations

from typing import Any

import click

from rex.extras import missing

PORT = 7490


def open_pages(archive: str, port: int, no_browser: bool, experiment: str | None, **options: Any) -> int:
    """Serve the pages of an archive until Ctrl-C; the exit status.

    Args:
        options: as `rex.web.serve.serve` takes them.
    """
    from rex.runnew import plan_run, start
    try:
        from rex.web.serve import serve
        from rex.web.services import Services
    except ModuleNotFoundError as error:
        raise missing("web", "the page cannot be served; --headless of rex runnew needs no page") from error
    serve(archive, Services(plan_run, start), port, not no_browser, lambda line: click.echo(f"rex: {line}", err=True),
          experiment, **options)
    return 0
