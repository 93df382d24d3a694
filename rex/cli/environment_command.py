"""rex environment"""

from __future__ import annotations

import click

from rex.cli.options import named_by_options
from rex.cli.table import clean, guarded, open_ref, print_columns, print_json
from rex.transfer.environment import FORMATS

_SHOWN = 10


@click.command("environment", epilog="Example: rex environment EXP:exp0 --format apt   Exit: 0 done, "
               "10 no such archive or experiment, 12 format too new, 13 damaged.")
@click.argument("ref", metavar="[ARCHIVE[:EXP]]", default="__default")
@click.option("--format", "kind", type=click.Choice(FORMATS), help="As lists that package managers read, a Dockerfile, or an SBOM (CycloneDX).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@named_by_options("ref")
@guarded
def command(ref: str, kind: str | None, as_json: bool) -> int:
    """Show which packages an experiment used, by version, and which files are of
    no package. A package counts if this machine has it, and what it installed
    is, by its own checksum, what the archive holds."""
    from rex.transfer.environment import text_of, used
    archive, experiment = open_ref(ref)
    found = used(archive, experiment)
    if as_json:
        print_json({"archive": archive.path, "experiment": experiment.name, "unknown": list(found.unknown), "packages": [
            {"manager": each.manager, "name": each.name, "version": each.version} for each in found.packages]})
        return 0
    if kind:
        click.echo(text_of(found, kind, experiment), nl=False)
    else:
        print_columns([(each.manager, clean(each.name), clean(each.version)) for each in found.packages], ("manager", "package", "version"))
    for path in found.unknown[:_SHOWN]:
        click.echo(f"rex: of no package: {clean(path)}", err=True)
    if len(found.unknown) > _SHOWN:
        click.echo(f"rex: of no package: {len(found.unknown) - _SHOWN} more (--json has all)", err=True)
    return 0
