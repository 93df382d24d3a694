"""rex extract"""

from __future__ import annotations

import fnmatch
import os
from typing import TYPE_CHECKING

import click

from rex.cli.options import named_by_options
from rex.cli.table import clean, guarded, parse_ref, print_json
from rex.errors import NotFound, UsageError
from rex.types import format_size

if TYPE_CHECKING:
    from rex.api import Experiment, File


def find(experiment: "Experiment", wanted: str, is_before: bool) -> list[str]:
    """Absolute paths of the plain files that a user means.

    Args:
        wanted: a path, from the root or from the experiment's directory, of a file or a folder; a pattern; or the end of a path.
    Raises:
        NotFound: no file is meant.
    """
    paths = [path for path, file in experiment.files(when="before" if is_before else "after").items() if file.type == "file"]
    whole = os.path.normpath(os.path.join(experiment.cwd, wanted))
    for found in ([path for path in paths if path == whole], [path for path in paths if path.startswith(whole + "/")],
                  [path for path in paths if fnmatch.fnmatchcase(path, whole)],
                  [path for path in paths if path.endswith("/" + os.path.normpath(wanted))]):
        if found:
            return found
    raise NotFound(f"no file {wanted} in {experiment}" + (" before the run" if is_before else " after the run"), "",
                   f"see: rex ls {experiment}")


def write(file: "File", outdir: str) -> str:
    """Write a file below outdir at its absolute path; where.

    Raises:
        UsageError: something is there already.
    """
    target = os.path.join(outdir, file.path.lstrip("/"))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    try:
        file.extract(target)
    except FileExistsError:
        raise UsageError(f"{target} exists", "", "choose another directory with -o") from None
    os.utime(target, ns=(file.mtime_ns, file.mtime_ns))
    return target


@click.command("extract", epilog="Example: rex extract EXP:exp0 results -o out   Exit: 0 done, 2 something is there already, "
               "10 no such archive, experiment or path, 12 format too new, 13 damaged.")
@click.argument("ref", metavar="ARCHIVE[:EXP]", required=False)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("-o", "--outdir", default="__out_default", show_default=True, help="Where files go, each at its absolute path below.")
@click.option("--before", is_flag=True, help="As they were before the run, not after it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("-q", "--quiet", is_flag=True, help="No summary line.")
@named_by_options("ref", behind="paths", is_alone=True)
@guarded
def command(ref: str, paths: tuple[str, ...], outdir: str, before: bool, as_json: bool, quiet: bool) -> int:
    """Write files of an experiment to OUTDIR, without running anything: its
    outputs (with --before its inputs), or those that PATH names: a file, a
    folder, a pattern, relative to the directory that the experiment ran in."""
    from rex.api import Archive
    named = parse_ref(ref)
    archive = Archive(named.archive)
    experiment = archive[named.experiment] if named.experiment else archive.default()
    if paths:
        files = [experiment.file(each, "before" if before else "after") for path in paths for each in find(experiment, path, before)]
    else:
        files = [file for file in (experiment.inputs if before else experiment.outputs).values() if file.type == "file"]
    files = [file for file in dict.fromkeys(files) if paths or file.sha256]
    written = [write(file, outdir) for file in files]
    if as_json:
        print_json({"archive": named.archive, "experiment": experiment.name, "files": [
            {"path": file.path, "file": target} for file, target in zip(files, written)]})
    elif not quiet:
        size = format_size(sum(file.size for file in files))
        click.echo(f"rex: wrote {len(files)} file{'s' if len(files) != 1 else ''}, {size}, to {clean(outdir)}", err=True)
    return 0
