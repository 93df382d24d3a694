"""rex import"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import asdict
from typing import TYPE_CHECKING, Sequence

import click

from rex.cli.table import clean, guarded, print_json, quietable
from rex.text import quoted

if TYPE_CHECKING:
    from rex.archive import Archive
    from rex.archive.import_checks import Landed


def tell(path: str, landed: "Sequence[Landed]") -> None:
    """What came, for people: one line each."""
    for each in landed:
        where = f"{clean(path)}:{each.name}"
        if not each.is_new:
            click.echo(f"{each.source}: already there as {where}")
        elif each.name != each.source:
            click.echo(f"{each.source}: added as {where}, another experiment has its name")
        else:
            click.echo(f"added {where}")


def tell_logless(archive: "Archive", path: str, landed: "Sequence[Landed]") -> None:
    """Say which new experiments have no log, and what can be done with them."""
    new = [archive.experiment(each.name) for each in landed if each.is_new]
    logless = [each for each in new if not each.manifest.log and not each.is_session]
    if logless:
        names = ", ".join(each.name for each in logless[:3]) + (f" and {len(logless) - 3} more" if len(logless) > 3 else "")
        withheld = sorted({name for each in logless for name in each.manifest.withheld})
        click.echo(f"no log: {names} cannot be replayed; run with: rex runnew {quoted(path)}:{logless[0].name} --headless -o OUTDIR"
                   + (f"; withheld {clean(', '.join(withheld))}" if withheld else ""))


@click.command("import", epilog="Example: rex import exp.rex -l EXP   Exit: 0 done, 2 cannot be read, "
               "10 no such experiment, 12 format too new, 13 damaged.")
@click.argument("source", metavar="FILE", type=click.Path())
@click.option("-l", "--archive", "path", default="__default", show_default=True,
              help="The archive to add to.")
@click.option("-e", "--experiment", "names", multiple=True, metavar="EXP",
              help="Add only this one (may be repeated).")
@click.option("--signed-by", metavar="KEY", help="Refuse the file unless this key signed it "
              "(a public key, or a file of allowed signers).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@quietable
@guarded
def command(source: str, path: str, names: tuple[str, ...], signed_by: str | None, as_json: bool) -> int:
    """Add the experiments of an export FILE (- for standard input) to an
    archive. All hashes are verified; nothing in the file is run. FILE may be
    a bundle of ReproZip (.rpz): each of its runs becomes an experiment without
    a log, which rex runnew can run and rex replay cannot."""
    from rex.archive import Archive
    from rex.transfer.reprozip import import_file
    if signed_by:
        from rex.transfer.signing import verify
        verify(source, signed_by)
    with open(source, "rb") if source != "-" else nullcontext(sys.stdin.buffer) as stream, Archive.made(path) as archive:
        landed = import_file(stream, archive, names)
    if as_json:
        print_json({"archive": path, "experiments": [asdict(each) for each in landed]})
    else:
        tell(path, landed)
        tell_logless(archive, path, landed)
    return 0
