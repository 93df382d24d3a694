"""Recorded versions: what the archive keeps of each cell (docs/formats/cells.md)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any

from rex.archive import Archive, Experiment
from rex.errors import Damaged, NotFound, TooNew

FORMAT = 1
ATTACHMENT = "cells"


@dataclass
class RecordedCell:
    """One cell of a version, as it was recorded.

    Attributes:
        first, last: scripts: its range of top-level statements.
        code, lineage, events: hashes: of its code, of all that its state depends on, of its events.
        size_bytes: private memory of the process after it.
        written_bytes: of the memory, by this cell; None in old recordings.
        cpu_seconds: processor time, with that of children that were waited for.
        unforkable: why no checkpoint can be taken after it; empty if one can.
        how: ok, error or exit.
        clock, variables, arguments: what it read that no event shows; variables with values, None
            for unset, arguments among "name" and "arguments".
        files: files it read that the version had not written, with their hashes.
    """

    source: str
    code: str
    lineage: str
    events: str
    seconds: float
    size_bytes: int
    first: int = 0
    last: int = 0
    may_raise: bool = False
    unforkable: str = ""
    how: str = "ok"
    status: int = 0
    execution_count: int | None = None
    clock: list[str] = field(default_factory=list)
    variables: dict[str, str | None] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    outputs: list[dict[str, Any]] = field(default_factory=list)
    cpu_seconds: float = 0.0
    written_bytes: int | None = None


@dataclass
class Version:
    """A recorded notebook or script.

    Attributes:
        kind: notebook or script.
        path: as it was given; program: its absolute path.
        seed: of the system's randomness.
        base: lineage of the state before the first cell; base_bytes: its size.
    """

    kind: str
    path: str
    program: str
    arguments: list[str]
    seed: int
    base: str
    base_bytes: int
    cells: list[RecordedCell]
    name: str = ""

    def as_json(self) -> dict[str, Any]:
        """The form that is kept; the name is the experiment's."""
        data = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "name"}
        return {"format": FORMAT, **data, "cells": [vars(cell) for cell in self.cells]}

    @classmethod
    def from_json(cls, data: dict[str, Any], name: str) -> "Version":
        """Read the kept form.

        Raises:
            TooNew: a newer Rex wrote it.
            Damaged: it has another form.
        """
        try:
            if data["format"] > FORMAT:
                raise TooNew(f"the cells of {name} have format version {data['format']}",
                             f"this Rex reads up to {FORMAT}", "use a newer Rex")
            known = {each.name for each in fields(RecordedCell)}
            cells = [RecordedCell(**{k: v for k, v in cell.items() if k in known}) for cell in data["cells"]]
            facts = {each.name: data[each.name] for each in fields(cls) if each.name not in ("name", "cells")}
            version = cls(**facts, cells=cells, name=name)
            _check_form(version)
            return version
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise Damaged(f"the cells of {name} are damaged", f"{type(error).__name__}: {error}") from error


def _check_form(version: Version) -> None:
    """Archives come from strangers: what is used as a number or text must be one."""
    texts = [version.kind, version.path, version.program, version.base, *version.arguments]
    for cell in version.cells:
        texts += [cell.source, cell.code, cell.lineage, cell.events, cell.unforkable, cell.how]
        numbers = (cell.seconds, cell.size_bytes, cell.first, cell.last, cell.status, cell.written_bytes or 0)
        if not all(isinstance(n, (int, float)) and n >= 0 for n in numbers):
            raise ValueError("a number is expected")
    if not all(isinstance(text, str) for text in texts) or not version.cells:
        raise ValueError("a text is expected")


def with_updates(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What each cell of a version showed in the end: displays that later cells updated show the update."""
    found = [{**line, "outputs": list(line["outputs"])} for line in lines]
    for line in lines:
        for update in line.get("updates", ()):
            outputs = found[update["cell"]]["outputs"]
            shown = {"data": update["data"], "metadata": update["metadata"]}
            outputs[update["place"]] = {**outputs[update["place"]], **shown}
    return found


def load_version(archive: Archive, experiment: Experiment) -> Version | None:
    """The version that an experiment recorded; None if it was not recorded cell by cell."""
    content = experiment.manifest.attachments.get(ATTACHMENT)
    if content is None or "cells" not in experiment.manifest.extra:
        return None
    try:
        data = json.loads(archive.read(content))
    except (ValueError, RecursionError) as error:
        raise Damaged(f"the cells of {experiment.name} are damaged", str(error)) from error
    return Version.from_json(data, experiment.name)


def load_versions(path: str) -> tuple[Archive, list[Version]]:
    """All versions of an archive, oldest first.

    Raises:
        NotFound: it holds none.
    """
    archive = Archive.open(path)
    versions = []
    for experiment in archive.experiments():
        if experiment.state == "complete" and (version := load_version(archive, experiment)):
            versions.append(version)
    if not versions:
        raise NotFound(f"{path} holds no versions", "nothing in it was recorded cell by cell",
                       "see: rex record --cells")
    return archive, versions
