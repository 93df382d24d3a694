"""Task graphs from Pegasus DAX files, XML of versions 2 and 3 (https://pegasus.isi.edu)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from rex.errors import UsageError
from rex.types import format_size
from rex.workflow.dag import Dag, build_dag
from rex.workflow.wfcommons import Storage

SUFFIXES = (".dax", ".xml")
# A million tasks take less; more would only fill the memory.
_MOST_BYTES = 512 << 20


def read_dax(path: Path, storage: Storage) -> Dag:
    """The graph of a DAX file: jobs, their run times, and the sizes of the files that they write.

    Edges are the file's `child` and `parent` elements. Checkpoint and recovery cost are the time to move a job's output files.

    Raises:
        UsageError: the file cannot be read or is no DAX; a run time or a size is missing or no number.
    """
    reader = _Reader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        size = path.stat().st_size
        if size > _MOST_BYTES:
            raise UsageError(f"{path} is too large for a DAX file", f"{format_size(size)}, at most {format_size(_MOST_BYTES)}")
        parser.Parse(path.read_bytes(), True)
    except OSError as error:
        raise UsageError(f"cannot read {path}", error.strerror or str(error)) from error
    except expat.ExpatError as error:
        raise UsageError(f"{path} is not XML", str(error)) from error
    if not reader.is_dax:
        raise UsageError(f"{path} is no DAX file", "its first element is not <adag>")
    return build_dag([job.as_task(storage) for job in reader.jobs.values()])


def _refuse_doctype(*_declared: object) -> None:
    # Entities are the way in which small XML files become large; no DAX needs them.
    raise UsageError("the DAX file has a DOCTYPE", "it is not read for safety", "remove the declaration")


@dataclass
class _Job:
    id: str
    runtime: str | None
    sizes: dict[str, str | None] = field(default_factory=dict)
    parents: list[str] = field(default_factory=list)

    def as_task(self, storage: Storage) -> dict[str, object]:
        """The job as `build_dag` takes it."""
        if self.runtime is None:
            raise UsageError(f"job {self.id!r} has no runtime")
        size = sum(_number(value, f"job {self.id!r}: the size of {name!r}") for name, value in self.sizes.items())
        cost_s = storage.seconds(size)
        return {"id": self.id, "weight": _number(self.runtime, f"job {self.id!r}: runtime"), "checkpoint_cost": cost_s,
                "recovery_cost": cost_s, "preds": self.parents, "output_bytes": size}


class _Reader:
    """Collects jobs as the parser meets their elements."""

    def __init__(self) -> None:
        self.jobs: dict[str, _Job] = {}
        self.is_dax = False
        self._depth = 0
        self._job: _Job | None = None
        self._child: _Job | None = None
        self._runtime: list[str] | None = None

    def start(self, tag: str, given: Mapping[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if not self._depth:
            self.is_dax = name == "adag"
        self._depth += 1
        if name in ("dax", "dag"):
            raise UsageError("the DAX file holds other workflows", f"<{name}> is not supported", "plan those files one by one")
        if name == "job":
            self._start_job(given)
        elif name == "uses" and self._job and given.get("link") in ("output", "inout"):
            self._job.sizes[given.get("file", given.get("name", ""))] = given.get("size")
        elif name == "profile" and self._job and given.get("key") == "runtime":
            self._runtime = []
        elif name == "child":
            self._child = self._known(given.get("ref", ""))
        elif name == "parent" and self._child:
            self._child.parents.append(self._known(given.get("ref", "")).id)

    def end(self, tag: str) -> None:
        self._depth -= 1
        name = tag.rpartition(" ")[2]
        if name == "job":
            self._job = None
        elif name == "child":
            self._child = None
        elif name == "profile" and self._runtime is not None and self._job:
            self._job.runtime = self._job.runtime or "".join(self._runtime)
            self._runtime = None

    def text(self, text: str) -> None:
        if self._runtime is not None:
            self._runtime.append(text)

    def _start_job(self, given: Mapping[str, str]) -> None:
        name = given.get("id", "")
        if not name or name in self.jobs:
            raise UsageError(f"the DAX file has two jobs {name!r}" if name else "a job of the DAX file has no id")
        self._job = self.jobs[name] = _Job(name, given.get("runtime"))

    def _known(self, name: str) -> _Job:
        if name not in self.jobs:
            raise UsageError("the DAX file names an unknown job", repr(name))
        return self.jobs[name]


def _number(value: str | None, what: str) -> float:
    if value is None:
        raise UsageError(f"{what} is missing")
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise UsageError(f"{what} is {value!r}", "it must be a finite number, 0 or more")
    return number
