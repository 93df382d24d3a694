"""The notebook file of a state: its cells as they were, with the outputs that they gave."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Callable

from rex.errors import UsageError
from rex.notebook.graph import Graph, Node
from rex.notebook.outputs import unpack

MAX_BYTES = 64 << 20
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
    cells = {cell["id"]: cell for cell in document["cells"] if isinstance(cell.get("id"), str)}
    last: Any = None   # the cell that ran before
    for step in path:
        cell = cells.get(step.cell_id) if step.cell_id else None
        if cell is None or cell.get("cell_type") != "code":
            cell = _new_cell(step)
            at = next((i for i, one in enumerate(document["cells"]) if one is last), None)
            document["cells"].insert(len(document["cells"]) if at is None else at + 1, cell)
            cells[cell["id"]] = cell
        cell["source"] = step.code
        cell["execution_count"] = step.count
        cell["outputs"] = [
            {**output, **({"execution_count": step.count}
                          if output["output_type"] == "execute_result" else {})}
            for output in unpack(step.outputs, read)]
        last = cell
    return document


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
        source = cell.get("source")
        if cell.get("cell_type") == "code":
            text = "".join(source) if isinstance(source, list) else str(source)
            cell["source"] = "\n".join(line for line in text.split("\n") if not _OURS.match(line))
    return document


def write(document: Document, path: str, force: bool = False) -> None:
    """Write a notebook file.

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
    os.replace(temporary, path)
