"""Records a version: a notebook or script, cell by cell."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, replace
from typing import Any

from rex import codec
from rex.archive import Manifest, Recording
from rex.cells import runner, split
from rex.errors import NotFound, UsageError
from rex.extras import need
from rex.multiversion.celllineage import Events, base_facts, chain, read_events
from rex.multiversion.versions import ATTACHMENT, RecordedCell, Version, with_updates
from rex.recorder import Options, Outcome, record
from rex.tracer import choose

RUNNER = os.path.abspath(runner.__file__)


@dataclass
class CellOptions:
    """What the user asked of a recording by cells; the rest is as in `rex.recorder.Options`."""

    path: str
    arguments: list[str]
    seed: int = 0


def record_cells(wanted: CellOptions, options: Options) -> tuple[Outcome, Version]:
    """Run a notebook or script cell by cell and add it to an archive.

    Randomness that the system gives follows the seed, so that equal cells of two versions
    that draw it can have equal states.

    Raises:
        UsageError: the file is no notebook or script, or IPython is not there.
    """
    _check(wanted.path)
    report = os.memfd_create("rex-cells")
    os.dup2(report, runner.REPORT, inheritable=True)
    try:
        found: list[Version] = []

        def complete(manifest: Manifest, recording: Recording) -> Manifest:
            version = _derive(wanted, manifest, recording, _lines(report))
            found.append(version)
            data = json.dumps(version.as_json(), sort_keys=True).encode()
            facts = {"kind": version.kind, "path": version.path, "count": len(version.cells)}
            return replace(manifest, extra={**manifest.extra, "cells": facts},
                           attachments={**manifest.attachments, ATTACHMENT: recording.add_bytes(data)})

        command = [sys.executable, RUNNER, wanted.path, *wanted.arguments]
        outcome = record(replace(options, command=command, seed=wanted.seed, complete=complete))
    finally:
        os.close(runner.REPORT)
        os.close(report)
    return outcome, found[0]


def _check(path: str) -> None:
    try:
        with open(path, "rb") as file:
            split.split(path, file.read())
    except FileNotFoundError:
        raise NotFound(f"no such file: {path}", "", "check the spelling") from None
    except split.SplitError as error:
        raise UsageError(f"cannot run {path} cell by cell", str(error)) from error
    need("versions", "cells cannot be recorded", "IPython")
    if choose()[0] != "native":
        raise UsageError("cells need the native engine", "the reference engine leaves randomness as it is",
                         "unset REX_ENGINE, or install gcc and install Rex again")


def _lines(report: int) -> list[dict[str, Any]]:
    """What the runner reported; a last line that it did not finish is left out."""
    data = os.pread(report, os.fstat(report).st_size, 0)
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


def _derive(wanted: CellOptions, manifest: Manifest, recording: Recording,
            lines: list[dict[str, Any]]) -> Version:
    """The version, from the file, what the runner reported, and the log."""
    program = os.path.join(manifest.cwd, codec.text(os.fsencode(wanted.path)))
    program = os.path.normpath(program)
    with open(wanted.path, "rb") as file:
        kind, cells = split.split(wanted.path, file.read())
    with open(recording.log_path, "rb") as log:
        events = read_events(log, manifest, program, wanted.seed)
    told = with_updates([line for line in lines if "cell" in line])
    base = chain("", kind, events[0].digest, *base_facts(manifest))
    version = Version(kind, wanted.path, program, wanted.arguments, wanted.seed, base,
                      lines[0]["weight"]["size_bytes"] if lines else 0, [])
    before = base
    for line, cell, learned in zip(told, cells, events[1:]):
        recorded = _cell(cell, line, learned, manifest, wanted, before)
        before = recorded.lineage
        version.cells.append(recorded)
    if not version.cells:
        raise UsageError(f"{wanted.path} ended before its first cell did", "nothing was kept of it")
    return version


def _cell(cell: split.Cell, line: dict[str, Any], learned: Events, manifest: Manifest,
          wanted: CellOptions, before: str) -> RecordedCell:
    names = line["variables"] if "*" not in line["variables"] else sorted(
        {*manifest.environment, *line["variables"]} - {"*"})
    variables = {name: manifest.environment.get(name) for name in names if name not in manifest.withheld}
    known = [wanted.path] if "name" in line["arguments"] else []
    known += wanted.arguments if "arguments" in line["arguments"] else []
    code = split.code_hash(cell.source)
    seen = json.dumps([variables, line["arguments"], known, line["clock"], cell.may_raise], sort_keys=True)
    return RecordedCell(
        cell.source, code, chain(before, code, learned.digest, seen), learned.digest, line["seconds"],
        line["size_bytes"], cell.first, cell.last, cell.may_raise, line["unforkable"], line["how"],
        line["status"], line["execution_count"], line["clock"], variables, line["arguments"],
        learned.files, line["outputs"], line["cpu_seconds"], line["written_bytes"])
