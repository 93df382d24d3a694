"""rex check"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Callable, Iterator

import click

from rex.cli.table import clean, guarded, print_json


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error while it is a terminal; else nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def as_json(path: str, problems: list[Any], is_whole: bool) -> dict[str, Any]:
    """The findings for machines."""
    return {"archive": path, "whole": is_whole, "problems": [asdict(each) for each in problems]}


@click.command("check", epilog="Example: rex check EXP   Exit: 0 nothing is lost, 1 problems found, "
               "10 no such archive, 11 somebody records (--repair only), 12 format too new.")
@click.argument("path", metavar="[ARCHIVE]", default="__default")
@click.option("--repair", is_flag=True,
              help="Remove leftovers of crashes, and packs that no experiment needs; nothing else.")
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON object.")
@guarded
def command(path: str, repair: bool, json_wanted: bool) -> int:
    """Verify an archive: every hash, and every reference from experiments to
    their contents. Unfinished experiments and other leftovers of crashes are
    told, but harm nobody."""
    from rex.archive import Archive
    from rex.archive.check import check
    archive = Archive.open(path)
    with progress_bar("checking") as progress:
        problems = check(archive, repair, progress)
    harmful = [each for each in problems if not each.is_harmless and not each.is_repaired]
    if json_wanted:
        print_json(as_json(path, problems, not harmful))
        return 1 if harmful else 0
    for each in problems:
        kind = "removed" if each.is_repaired else "note" if each.is_harmless else "PROBLEM"
        click.echo(f"{kind}: {clean(each.where)}: {clean(each.what)}")
    count = len(archive.experiments())
    verdict = (f"{len(harmful)} problem{'s' if len(harmful) != 1 else ''}" if harmful
               else "every finished experiment is whole")
    click.echo(f"{clean(path)}: {count} experiment{'s' if count != 1 else ''}, {verdict}")
    return 1 if harmful else 0
