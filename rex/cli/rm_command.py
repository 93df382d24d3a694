"""rex rm"""

from __future__ import annotations

import sys

import click

from rex.cli.options import named_by_options
from rex.cli.select import expand
from rex.cli.table import clean, guarded, print_json
from rex.text import quoted


def is_at_terminal() -> bool:
    """Whether somebody can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


@click.command("rm", epilog="Example: rex rm EXP:exp1 'EXP:try-*'   Exit: 0 done, 1 the answer was no, 2 no experiment named, "
               "10 no such archive or experiment, 11 it is being recorded, 12 format too new.")
@click.argument("refs", metavar="ARCHIVE:EXP...", nargs=-1)
@click.option("-n", "--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask on a terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing.")
@named_by_options("refs", is_many=True)
@guarded
def command(refs: tuple[str, ...], dry_run: bool, yes: bool, as_json: bool, quiet: bool) -> int:
    """Remove experiments, finished or not; EXP may be a pattern. On a terminal
    rex asks before. Contents that nobody else needs stay until rex gc."""
    from rex.archive import Archive
    named = expand(refs)      # all must be there before the first one goes
    names = [f"{clean(path)}:{name}" for path, name in named]
    if is_at_terminal() and not (yes or dry_run or as_json) and not click.confirm(f"remove {', '.join(names)}?"):
        return 1
    for (path, name), text in zip(named, names):
        if not dry_run:
            Archive.open(path).remove(name)
        if not as_json and not quiet:
            click.echo(f"{'would remove' if dry_run else 'removed'} {text}")
    if as_json:
        print_json({"removed": [] if dry_run else [{"archive": path, "experiment": name} for path, name in named],
                    **({"would_remove": names} if dry_run else {})})
    elif not dry_run and not quiet:
        archives = dict.fromkeys(path for path, _ in named)
        click.echo("give the space back with: " + "; ".join(_collect(path) for path in archives))
    return 0


def _collect(path: str) -> str:
    """The command that gives back the space; one without experiments says that this is meant."""
    from rex.archive import Archive
    return f"rex gc {'' if Archive.open(path).experiments() else '--empty '}{quoted(path)}"
