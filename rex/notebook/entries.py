"""From the log of a session to its graph: lines of JSON in, nodes and names out; nothing is unpickled."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Hashable

from rex.archive.jsonform import builder
from rex.errors import Damaged
from rex.notebook.graph import MAIN, Graph, Node
from rex.state import Delta, History, Version
from rex.values import dataclass, field

_DAMAGE = (ValueError, LookupError, OverflowError, TypeError, AttributeError, RecursionError)
_MAX_NUMBER = 1 << 63   # of nodes, versions and bytes: also of SQLite's integers


@dataclass(frozen=True)
class _Part:
    """A part of a version, as a line has it."""

    kind: str
    size: int


@dataclass(frozen=True)
class _Version:
    """A version of variables, as a line has it."""

    id: int
    names: tuple[str, ...]
    parts: tuple[_Part, ...]


@dataclass(frozen=True)
class _Line:
    """What a line of the log must have."""

    node: int
    parent: int
    versions: tuple[_Version, ...]
    changed: dict[str, int]
    removed: tuple[str, ...]
    touched: tuple[str, ...]
    code: str
    cell_s: float
    track_s: float
    is_complete: bool
    facts: dict[str, Any] = field(default_factory=dict)


def entry_of(line: bytes) -> dict[str, Any]:
    """What the graph needs of one line of the log: versions become their sizes.

    Raises:
        Damaged: it is no such line.
    """
    try:
        found = json.loads(line)
        if "note" in found:
            return {"note": dict(found["note"]), "dropped": len(found["dropped"])}
        _check_line(builder(_Line)(found))
        sizes = {one["id"]: size for one in found["versions"]
                 if (size := _size_of(one)) is not None}
        digests = {one["id"]: _digest_of(one) for one in found["versions"]}
        kept = {key: found[key] for key in ("node", "parent", "changed", "removed", "touched",
                                            "code", "cell_s", "track_s", "is_complete")}
        return {**kept, "sizes": sizes, "digests": digests, "facts": dict(found.get("facts") or {})}
    except _DAMAGE as error:
        raise Damaged("the record of a notebook is damaged",
                      f"{type(error).__name__}: {error}") from error


def _check_line(line: _Line) -> None:
    """Make sure that the numbers of a line can be used; raises ValueError."""
    numbers: list[float] = [line.node, line.parent, *line.changed.values(), *(one.id for one in line.versions)]
    if not all(0 <= number < _MAX_NUMBER for number in [*numbers, line.cell_s, line.track_s]):   # not a number is neither
        raise ValueError("a number is out of its range")


def _digest_of(version: dict[str, Any]) -> str:
    parts = [{key: value for key, value in part.items() if key != "pid"} for part in version["parts"]]
    pieces = [version["names"], version["stream"], parts, version["broken"]]
    return hashlib.sha256(json.dumps(pieces).encode()).hexdigest()[:24]


def _size_of(version: dict[str, Any]) -> int | None:
    """Raw bytes of a version; None where only its lists of chunks would tell."""
    total = int(version["stream"][1]) if version["stream"] else 0
    for part in version["parts"]:
        if part["kind"] == "memory":
            total += int(part["size"])
        elif "chunks" in part:
            total += sum(int(chunk[1]) for chunk in part["chunks"])
        else:
            return None
    if not 0 <= total < _MAX_NUMBER:
        raise ValueError("a size is out of its range")
    return total


def apply_entry(graph: Graph, entry: dict[str, Any]) -> None:
    """Take an entry into a graph.

    Raises:
        Damaged: it makes no sense.
    """
    try:
        if "note" in entry:
            graph.apply(entry["note"])
            return
        sizes: dict[Hashable, int] = {int(key): int(size) for key, size in entry["sizes"].items()}
        changed: dict[str, Hashable] = {str(name): int(v) for name, v in entry["changed"].items()}
        node = Node(int(entry["node"]), int(entry["parent"]), changed=changed, sizes=sizes,
                    digests={int(key): str(one) for key, one in entry["digests"].items()},
                    removed=frozenset(map(str, entry["removed"])),
                    touched=frozenset(map(str, entry["touched"])),
                    cell_s=float(entry["cell_s"]), track_s=float(entry["track_s"]),
                    is_complete=bool(entry["is_complete"]))
        set_facts(node, entry["facts"], str(entry["code"]))
    except _DAMAGE as error:
        raise Damaged("the record of a notebook is damaged",
                      f"{type(error).__name__}: {error}") from error
    graph.add(node)


def set_facts(node: Node, facts: dict[str, Any], code: str) -> None:
    """Give a node what the session knew of it besides its state; strangers' facts may be anything."""
    def text(name: str, default: str = "") -> str:
        return value if isinstance(value := facts.get(name), str) else default

    def number(name: str) -> int | None:
        value = facts.get(name)
        return value if isinstance(value, int) and 0 <= value < _MAX_NUMBER else None

    node.code = text("raw", code)
    node.count, node.start_ns = number("count"), number("start_ns") or 0
    node.branch = text("branch", MAIN)
    node.error, node.cell_id = text("error"), text("cell_id")
    node.views = views if isinstance(views := facts.get("views"), dict) else {}
    node.outputs = outputs if isinstance(outputs := facts.get("outputs"), list) else []
    node.document = document if isinstance(document := facts.get("document"), list) else None


def node_of(delta: Delta) -> Node:
    """The node of a delta of this process; versions stand for themselves."""
    node = Node(delta.node, delta.parent, changed=dict(delta.changed), removed=delta.removed,
                touched=delta.touched, cell_s=delta.cell_s, track_s=delta.track_s,
                is_complete=delta.is_complete,
                sizes={version: size_of(version) for version in delta.versions})
    set_facts(node, delta.facts, delta.code)
    return node


def size_of(version: Version) -> int:
    """Raw bytes of a version, roughly while it is not stored."""
    return sum(chunk.size_bytes for chunk in version.chunks())


def graph_of(history: History) -> Graph:
    """The graph of states that were loaded."""
    graph = Graph()
    notes = sorted(history.notes, key=lambda note: after if isinstance(
        after := note.get("after"), int) else 0)
    for number, delta in history.deltas.items():
        while notes and _after(notes[0]) < number:
            graph.apply(notes.pop(0))
        graph.add(node_of(delta))
    for note in notes:
        graph.apply(note)
    return graph


def _after(note: dict[str, Any]) -> int:
    after = note.get("after")
    return after if isinstance(after, int) else 0
