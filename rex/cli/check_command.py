"""rex check"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Callable, Iterator

import click

from rex.cli.options import named_by_options
from rex.cli.table import clean, guarded, print_json, quietable
from rex.errors import UsageError


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


def look(path: str, repair: bool) -> tuple[list[Any], int]:
    """Problems of an archive or an export file, and the number of its experiments."""
    if os.path.isfile(path):
        if repair:
            raise UsageError(f"{path} is an export file", "only an archive can be repaired")
        from rex.archive.exporting import check_file
        with open(path, "rb") as stream:
            return check_file(stream)
    from rex.archive import Archive
    from rex.archive.check import check
    archive = Archive.open(path)
    with progress_bar("checking") as progress:
        return check(archive, repair, progress), len(archive.experiments())


def verify_signature(path: str, signers: str) -> str:
    """Who signed an export file."""
    from rex.transfer.signing import verify
    if os.path.isdir(path):
        raise UsageError(f"{path} is an archive", "signatures belong to export files",
                         "see: rex export --sign")
    return verify(path, signers)


@click.command("check", epilog="Example: rex check EXP   Exit: 0 nothing is lost, 1 problems or credentials found, "
               "10 no such archive or signature, 11 somebody records (--repair only), 12 format too new, 13 signed by somebody else.")
@click.argument("path", metavar="[ARCHIVE[:EXP]|FILE]", default="__default")
@click.option("--repair", is_flag=True,
              help="Remove leftovers of crashes, and packs that no experiment needs; nothing else.")
@click.option("--secrets", "is_for_secrets", is_flag=True,
              help="Instead look for credentials in what ARCHIVE, or ARCHIVE:EXP, holds: before it is shared.")
@click.option("--signed-by", metavar="KEY", help="Also verify that this key signed the export file "
              "(a public key, or a file of allowed signers).")
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON object.")
@quietable
@named_by_options("path", is_archive=True)
@guarded
def command(path: str, repair: bool, is_for_secrets: bool, signed_by: str | None, json_wanted: bool) -> int:
    """Verify an archive, or an export file: every hash, and every reference from experiments to
    their contents. Unfinished experiments and other leftovers of crashes are
    reported, but are harmless.

    With --secrets: look at variables, arguments, small text files and the log of each finished experiment. What looks like a
    credential is named by its place and kind, and is not shown."""
    if is_for_secrets:
        if repair or signed_by:
            raise UsageError("--secrets goes without --repair and --signed-by", "", "leave them out")
        from rex.cli.secrets import tell_secrets
        return tell_secrets(path, json_wanted)
    signer = verify_signature(path, signed_by) if signed_by else None
    problems, count = look(path, repair)
    harmful = [each for each in problems if not each.is_harmless and not each.is_repaired]
    if json_wanted:
        signed = {"signed_by": signer} if signer else {}
        print_json({**as_json(path, problems, not harmful), **signed})
        return 1 if harmful else 0
    for each in problems:
        kind = "removed" if each.is_repaired else "note" if each.is_harmless else "PROBLEM"
        click.echo(f"{kind}: {clean(each.where)}: {clean(each.what)}")
    verdict = (f"{len(harmful)} problem{'s' if len(harmful) != 1 else ''}" if harmful
               else "every finished experiment is whole")
    signed_text = f", signed by {clean(signer)}" if signer else ""
    click.echo(f"{clean(path)}: {count} experiment{'s' if count != 1 else ''}, {verdict}{signed_text}")
    return 1 if harmful else 0
