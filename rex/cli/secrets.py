"""What `rex check --secrets` says, and what export and push say before they share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Iterable

import click

from rex.cli.table import clean, parse_ref, print_json
from rex.errors import UsageError
from rex.text import quoted

if TYPE_CHECKING:
    from rex.archive import Archive

_WARNED_OF = 5   # experiments


def tell_secrets(named: str, json_wanted: bool) -> int:
    """Name the credentials in an archive, or in one experiment of it; 1 if there are any."""
    from rex.archive import Archive
    from rex.disclosure import disclosures
    if os.path.isfile(named):
        raise UsageError(f"{named} is a file", "credentials are looked for in an archive", "see: rex import")
    ref = parse_ref(named)
    archive = Archive.open(ref.archive)
    experiments = [archive.experiment(ref.experiment)] if ref.experiment else archive.experiments()
    finished = [each for each in experiments if each.state == "complete"]
    found = [(each.name, disclosure) for each in finished for disclosure in disclosures(archive, each)]
    if json_wanted:
        print_json({"archive": ref.archive, "experiments": [each.name for each in finished],
                    "secrets": [{"experiment": name, "place": each.place, "kind": each.kind} for name, each in found]})
        return 1 if found else 0
    for name, each in found:
        click.echo(f"{name}: {clean(each.words())}")
    click.echo(f"{clean(ref.archive)}: {len(finished)} experiment{'s' if len(finished) != 1 else ''}, "
               + (f"{len(found)} possible credential{'s' if len(found) != 1 else ''}" if found else "no credentials found"))
    return 1 if found else 0


def warn_of_secrets(archive: Archive, path: str, names: Iterable[str]) -> None:
    """Say on standard error which experiments hold credentials, all finished ones if no names are given.

    Raises:
        NotFound, Damaged: they cannot be read.
    """
    from rex.archive.exporting import choose
    from rex.disclosure import disclosures
    count = 0
    for experiment in choose(archive, names):
        if found := disclosures(archive, experiment):
            count += 1
            if count <= _WARNED_OF:
                more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
                click.echo(f"rex: {experiment.name}: {clean(found[0].words())}{more}; see: "
                           f"rex check --secrets {quoted(f'{path}:{experiment.name}')}", err=True)
    if count > _WARNED_OF:
        click.echo(f"rex: {count - _WARNED_OF} more experiments hold what looks like credentials; see: rex check --secrets {quoted(path)}", err=True)
