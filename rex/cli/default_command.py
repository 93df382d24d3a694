"""rex default"""

from __future__ import annotations

import click

from rex.cli.options import named_by_options
from rex.cli.table import clean, guarded, parse_ref, print_json, quietable
from rex.errors import UsageError
from rex.text import quoted


@click.command("default", epilog="Example: rex default EXP:exp0   Exit: 0 done, 2 not finished, "
               "10 no such archive or experiment, 12 format too new.")
@click.argument("text", metavar="[ARCHIVE[:EXP]]", default="__default")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@quietable
@named_by_options("text")
@guarded
def command(text: str, as_json: bool) -> int:
    """Make an experiment the one that is meant when only the archive is
    named; without :EXP say which one that is. At first it is the oldest
    that was recorded; runs of rex runnew never become it by themselves."""
    from rex.archive import COMPLETE, Archive
    ref = parse_ref(text)
    archive = Archive.open(ref.archive)
    if ref.experiment:
        state = archive.experiment(ref.experiment).state
        if state != COMPLETE:
            raise UsageError(f"{ref.experiment} cannot be the default", f"it is {state}",
                             f"see: rex ls {quoted(ref.archive)}")
        archive.set_default(ref.experiment)
    name = archive.default()
    if as_json:
        print_json({"archive": ref.archive, "default": name})
    else:
        click.echo(f"{clean(ref.archive)}:{name}")
    return 0
