"""rex cat"""

from __future__ import annotations

import sys

import click

from rex.cli.options import named_by_options
from rex.cli.table import guarded, parse_ref


@click.command("cat", epilog="Example: rex cat EXP:exp0 results/table.csv   Exit: 0 done, 2 no file of bytes, "
               "10 no such archive, experiment or path, 12 format too new, 13 damaged.")
@click.argument("ref", metavar="ARCHIVE[:EXP]", required=False)
@click.argument("paths", metavar="PATH...", nargs=-1)
@click.option("--before", is_flag=True, help="As it was before the run, not after it.")
@named_by_options("ref", behind="paths")
@guarded
def command(ref: str, paths: tuple[str, ...], before: bool) -> int:
    """Write the content of files of an experiment to standard output: inputs
    and outputs, as they were after the run. A PATH may be relative to the
    directory that the experiment ran in, or the end of one file's path."""
    from rex.api import Archive
    from rex.cli.extract_command import find
    named = parse_ref(ref)
    archive = Archive(named.archive)
    experiment = archive[named.experiment] if named.experiment else archive.default()
    for path in [each for path in paths for each in find(experiment, path, before)]:
        sys.stdout.buffer.write(experiment.file(path, "before" if before else "after").read_bytes())
    sys.stdout.buffer.flush()
    return 0
