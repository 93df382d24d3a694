"""What `rex record` does, once its words were read."""

from __future__ import annotations

import contextlib
import os
from typing import Iterator

from rex.cli.ending import end_like, say
from rex.types import format_duration, format_size


@contextlib.contextmanager
def cells_file(named: str) -> Iterator[str]:
    """The notebook or script itself; of a notebook session ARCHIVE:EXP, its cells in a file meanwhile."""
    archive, _, name = named.rpartition(":")
    if os.path.exists(named) or not name or not os.path.isdir(archive):
        yield named
        return
    import tempfile
    from rex.archive import Archive, Content
    from rex.notebook import document
    from rex.notebook.index import read_graph
    opened = Archive.open(archive)
    graph = read_graph(opened.experiment(name))
    found = document.build(graph, graph.head, lambda ref: opened.read(Content(*ref)))
    with tempfile.TemporaryDirectory(prefix="rex-") as folder:
        path = os.path.join(folder, f"{name}.ipynb")
        document.write(document.without_magics(found), path)
        yield path


def run(command: tuple[str, ...], archive: str = "__default", experiment: str | None = None, keep_env: tuple[str, ...] = (),
        drop_env: tuple[str, ...] = (), exclude: tuple[str, ...] = (), cells: bool = False, seed: int = 0,
        serialize: bool = False, as_json: bool = False, quiet: bool = False) -> int:
    """Record, say what was recorded; the exit status."""
    from rex.record import Options, record
    options = Options(list(command), archive, experiment, keep_env, drop_env, exclude,
                      serialize=serialize)
    count_cells = 0
    if cells:
        from rex.multiversion.recording import CellOptions, record_cells
        with cells_file(command[0]) as path:
            outcome, version = record_cells(CellOptions(path, list(command[1:]), seed), options)
        count_cells = len(version.cells)
    else:
        outcome = record(options)
    manifest = outcome.manifest
    where = f"{archive}:{outcome.experiment.name}"
    if as_json:
        import json
        say(json.dumps({
            "archive": archive, "experiment": outcome.experiment.name,
            "duration_s": manifest.duration_s, "exit_status": manifest.exit_status,
            **({"cells": count_cells} if cells else {}), **manifest.counts, "stored_bytes": outcome.stored_bytes,
            "withheld": list(manifest.withheld), "excluded": outcome.excluded, "warnings": outcome.warnings}))
    elif not quiet:
        for warning in outcome.warnings:
            say(f"rex: {warning}")
        withheld = f"; withheld {', '.join(manifest.withheld)}" if manifest.withheld else ""
        withheld += f"; left out {', '.join(outcome.excluded)}" if outcome.excluded else ""
        count = manifest.counts["processes"]
        next_step = (f"see: rex tree -l {archive}" if cells else
                     f"replay with: rex replay -l {archive} -e {outcome.experiment.name}")
        cell_part = f"{count_cells} cell{'s' if count_cells != 1 else ''}, " if cells else ""
        say(f"rex: recorded {where} in {format_duration(manifest.duration_s)}: "
            f"{cell_part}{count} process{'es' if count != 1 else ''}, {manifest.counts['files']} files, "
            f"{format_size(outcome.stored_bytes)} stored{withheld}; {next_step}")
    return end_like(outcome.status)
