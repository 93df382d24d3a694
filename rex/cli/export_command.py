"""rex export"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Iterator

import click

from rex.cli.options import named_by_options
from rex.cli.check_command import progress_bar
from rex.cli.secrets import warn_of_secrets
from rex.cli.table import clean, guarded, parse_ref, print_json
from rex.errors import UsageError
from rex.text import quoted
from rex.types import format_size

if TYPE_CHECKING:
    from rex.archive import Archive

_NEXT = {"dir": "run it with: {path}/run.sh", "docker": "build it with: docker build {path}",
         "apptainer": "build it with: cd {path} && apptainer build exp.sif *.def",
         "rocrate": "see: {path}/ro-crate-metadata.json"}


@contextmanager
def output_file(path: str, is_forced: bool) -> Iterator[BinaryIO]:
    """A file that gets its name when it is whole; - is standard output.

    Raises:
        UsageError: something has the name, and it is not to be replaced.
    """
    if path == "-":
        if sys.stdout.isatty():
            raise UsageError("an export file is no text for a terminal", "", "choose a file with -o")
        yield sys.stdout.buffer
        return
    from rex.archive.locks import whole_file
    if os.path.lexists(path) and not is_forced:
        raise UsageError(f"{path} exists", "", "choose another name, or use --force")
    with whole_file(path) as stream:
        yield stream


def export_file(archive: "Archive", names: tuple[str, ...], path: str, has_log: bool,
                is_forced: bool, key: str | None) -> dict[str, Any]:
    """Write an export file, and its signature if a key is given; facts for machines."""
    from rex.archive.exporting import export
    with progress_bar("exporting") as progress, output_file(path, is_forced) as stream:
        done = export(archive, stream, names, has_log, progress)
    told = {"format": "rex", "path": path, "experiments": list(done.experiments),
            "objects": done.objects, "size_bytes": done.size_bytes}
    if key:
        from rex.transfer.signing import sign
        told["signature"] = sign(path, key)
    return told


def export_other(archive: "Archive", name: str | None, path: str, kind: str) -> dict[str, Any]:
    """Write one experiment in another form; facts for machines."""
    experiment = archive.experiment(name)
    if kind == "rocrate":
        from rex.transfer.crate import export_crate
        tree = export_crate(archive, experiment, path)
    else:
        from rex.transfer import image
        write = {"dir": image.export_dir, "docker": image.export_docker,
                 "apptainer": image.export_apptainer}[kind]
        tree = write(archive, experiment, path)
    return {"format": kind, "path": path, "experiments": [experiment.name],
            "missing": list(tree.missing)}


@click.command("export", epilog="Example: rex export EXP -o exp.rex   Exit: 0 done, 2 cannot be written, "
               "10 no such archive or experiment, 12 format too new, 13 damaged.")
@click.argument("ref", metavar="[ARCHIVE[:EXP]]", default="__default")
@click.option("-o", "--output", required=True, metavar="PATH",
              help="The file or directory to write; - writes to standard output.")
@click.option("-e", "--experiment", "names", multiple=True, metavar="EXP",
              help="Only this one (may be repeated; all finished ones, or with another format the default one).")
@click.option("--no-log", is_flag=True, help="Leave logs out: for new runs, not for replays.")
@click.option("--format", "kind", default="rex", show_default=True,
              type=click.Choice(["rex", "dir", "docker", "apptainer", "rocrate"]),
              help="An export file; a root directory with a run script; what an image is built from; "
                   "a Workflow Run RO-Crate.")
@click.option("--sign", "key", metavar="KEY", help="Sign the file with this ssh key, in PATH.sig.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("-q", "--quiet", is_flag=True, help="No summary line.")
@named_by_options("ref", is_archive=True)
@guarded
def command(ref: str, output: str, names: tuple[str, ...], no_log: bool, kind: str, key: str | None,
            force: bool, as_json: bool, quiet: bool) -> int:
    """Write experiments to one file, for mail and data repositories; rex import
    reads it. Other formats need no Rex any more. What looks like a credential is warned of."""
    from rex.archive import Archive
    where = parse_ref(ref)
    archive = Archive.open(where.archive)
    names += (where.experiment,) if where.experiment else ()
    warn_of_secrets(archive, where.archive, names or (() if kind == "rex" else (archive.experiment(None).name,)))
    if kind == "rex":
        if key and output == "-":
            raise UsageError("standard output cannot be signed", "", "choose a file with -o")
        told = export_file(archive, names, output, not no_log, force, key)
    elif key or no_log or len(names) > 1 or output == "-":
        raise UsageError(f"--format {kind} takes one experiment, to a new directory",
                         "--sign and --no-log go with --format rex only")
    else:
        told = export_other(archive, names[0] if names else None, output, kind)
    if as_json:
        click.echo("", nl=False) if output == "-" else print_json(told)
    elif not quiet:
        summary(told)
    return 0


def summary(told: dict[str, Any]) -> None:
    """What was written, for people, on standard error: standard output may be the file."""
    path, count = clean(told["path"]), len(told["experiments"])
    if told["format"] == "rex":
        signed = f", signature in {clean(told['signature'])}" if "signature" in told else ""
        click.echo(f"rex: wrote {count} experiment{'s' if count != 1 else ''}, "
                   f"{format_size(told['size_bytes'])}, to {path}{signed}; read it with: "
                   f"rex import {quoted(told['path'])}", err=True)
        return
    for name in told["missing"]:
        click.echo(f"rex: {clean(name)} is missing: its bytes were not kept", err=True)
    click.echo(f"rex: wrote {told['experiments'][0]} to {path}; "
               + _NEXT[told["format"]].format(path=quoted(told["path"])), err=True)
