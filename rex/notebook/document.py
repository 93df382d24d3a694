"""The notebook file of a state: its cells as they were, with the outputs that they gave."""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import re
import shutil
from typing import Any, Callable

from rex.errors import UsageError
from rex.notebook.graph import Graph, Node
from rex.notebook.outputs import Displays, unpack

MAX_BYTES = 64 << 20
_ALIKE = 0.6     # of a text that was edited
_OURS = re.compile(r"\s*%(rex\b|load_ext\s+rex\.notebook)")

Document = dict[str, Any]
Read = Callable[[list[Any]], bytes]


def find_path(namespace: dict[str, Any]) -> str | None:
    """The notebook file that this kernel serves, where its front end tells."""
    for path in (namespace.get("__vsc_ipynb_file__"), os.environ.get("JPY_SESSION_NAME")):
        if isinstance(path, str) and path.endswith(".ipynb"):
            return os.path.abspath(path)
    return None


class Watch:
    """Tells the notebook file's cells when they have changed, without their outputs."""

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._seen: tuple[int, int] | None = None

    def changed(self) -> bytes | None:
        """The cells as saved last; None where they are as before, or there is no file."""
        if self.path is None:
            return None
        try:
            info = os.stat(self.path)
            if info.st_size > MAX_BYTES or (info.st_mtime_ns, info.st_size) == self._seen:
                return None
            with open(self.path, "rb") as file:
                document = json.loads(file.read())
            self._seen = (info.st_mtime_ns, info.st_size)
            for cell in document["cells"]:
                if cell.get("cell_type") == "code":
                    cell["outputs"], cell["execution_count"] = [], None
            return json.dumps(document, separators=(",", ":")).encode()
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None


def build(graph: Graph, node: int, read: Read) -> Document:
    """The notebook as it was when a cell had run.

    The file as saved last gives order and texts; cells executed on the way to the
    node have the code and outputs of their last run; others have no outputs.

    Raises:
        NotFound, Damaged: pieces are missing.
    """
    path = [graph.nodes[number] for number in reversed(graph.path(node))]
    document = _saved(path, read)
    cells = _Cells(document["cells"], {step.code for step in path})
    displays = Displays()
    for step in path:
        cell = cells.of(step)
        cell["source"] = step.code
        cell["execution_count"] = step.count
        outputs = unpack(step.outputs, read)
        for output in outputs:
            if output["output_type"] == "execute_result":
                output["execution_count"] = step.count
        cell["outputs"] = displays.place(outputs)
    return document


class _Cells:
    """Finds the cells of a notebook that were run; each is there once, whatever the front end reports about them.

    Some front ends tell the file's cell ids, some ids of their own, some none.
    """

    def __init__(self, cells: list[dict[str, Any]], run: set[str]) -> None:
        """Args: run: the code of all cells that were run."""
        self._cells, self._run = cells, run
        self._by_id = {cell["id"]: cell for cell in cells if isinstance(cell.get("id"), str) and cell.get("cell_type") == "code"}
        self._saved = {id(cell): _source(cell) for cell in cells if cell.get("cell_type") == "code"}
        self._taken: set[int] = set()
        self._place = 0     # behind the cell that ran before

    def of(self, step: Node) -> dict[str, Any]:
        """The cell of a step; where there is none, a new one behind that of the step before."""
        cell = self._by_id.get(step.cell_id) or self._alike(step)
        if cell is None:
            cell = _new_cell(step)
            self._cells.insert(self._place, cell)
        if step.cell_id:
            self._by_id[step.cell_id] = cell
        self._taken.add(id(cell))
        self._place = 1 + next(place for place, one in enumerate(self._cells) if one is cell)
        return cell

    def _alike(self, step: Node) -> dict[str, Any] | None:
        """The nearest cell with that code; else one that was edited since it was run, or since it was saved."""
        near = [*self._cells[self._place:], *self._cells[:self._place]]
        free = [cell for cell in near if id(cell) in self._saved and id(cell) not in self._taken]
        same = [cell for cell in free if self._saved[id(cell)] == step.code]
        if not same and not step.cell_id:     # it was run again
            same = [cell for cell in near if id(cell) in self._taken and _source(cell) == step.code]
        return next(iter(same), None) or next((cell for cell in free if self._is_edited(self._saved[id(cell)], step.code)), None)

    def _is_edited(self, saved: str, code: str) -> bool:
        return bool(saved.strip()) and saved not in self._run and (
            difflib.SequenceMatcher(None, saved, code, autojunk=False).ratio() >= _ALIKE)


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source")
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def _new_cell(step: Node) -> dict[str, Any]:
    identity = step.cell_id if step.cell_id.replace("-", "").replace("_", "").isalnum() \
        and len(step.cell_id) <= 64 else f"rex-{step.number}"
    return {"cell_type": "code", "id": identity, "metadata": {}, "source": "", "outputs": [],
            "execution_count": None}


def _saved(path: list[Node], read: Read) -> Document:
    """The file as it was saved last before the end of a path; an empty notebook where it never was."""
    empty: Document = {"cells": [], "metadata": {"language_info": {"name": "python"}, "kernelspec": {
        "name": "python3", "display_name": "Python 3", "language": "python"}},
        "nbformat": 4, "nbformat_minor": 5}
    reference = next((step.document for step in reversed(path) if step.document), None)
    if reference is None:
        return empty
    try:
        document = json.loads(read(reference))
        cells = [cell for cell in document["cells"] if isinstance(cell, dict)]
        metadata = document.get("metadata")
        return {**empty, "cells": cells, "metadata": metadata if isinstance(metadata, dict)
                else empty["metadata"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        return empty


def without_magics(document: Document) -> Document:
    """The notebook without our own commands, which mean nothing where no session is."""
    for cell in document["cells"]:
        if cell.get("cell_type") == "code":
            cell["source"] = "\n".join(line for line in _source(cell).split("\n") if not _OURS.match(line))
    return document


def write(document: Document, path: str, force: bool = False) -> str:
    """Write a notebook file; where the texts of one that was there before are kept, if they are others.

    Raises:
        UsageError: something is there, and force is not given.
    """
    data = json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True).encode(
        "utf-8", "surrogateescape") + b"\n"
    if not force and os.path.exists(path):
        raise UsageError(f"{path} exists", "", "choose another name, or give --force")
    temporary = f"{path}.tmp-{os.getpid()}"
    with open(temporary, "wb") as file:
        file.write(data)
    kept = _keep(path, document)
    os.replace(temporary, path)
    return kept


def _keep(path: str, document: Document) -> str:
    """Copy a notebook that is about to be replaced by other texts; the copy's name, or ""."""
    if not os.path.isfile(path):
        return ""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        with open(path, "rb") as file:
            before = json.loads(file.read())["cells"]
        if [_source(cell) for cell in before] == [_source(cell) for cell in document["cells"]]:
            return ""
    stem, number = path.removesuffix(".ipynb"), 1
    while os.path.exists(name := f"{stem}-before-{number}.ipynb"):
        number += 1
    shutil.copy2(path, name)
    return name
