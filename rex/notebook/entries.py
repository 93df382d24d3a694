"""From the log of a session to its graph: lines of JSON in, nodes and names out; nothing is unpickled."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Hashable

from rex.errors import Damaged
from rex.notebook.graph import MAIN, Graph, Node
from rex.state import Delta, History, Version


def entry_of(line: bytes) -> dict[str, Any]:
    """What the graph needs of one line of the log: versions become their sizes.

    Raises:
        Damaged: it is no such line.
    """
    try:
        found = json.loads(line)
        if "note" in found:
            return {"note": dict(found["note"]), "dropped": len(found["dropped"])}
        sizes = {one["id"]: size for one in found["versions"]
                 if (size := _size_of(one)) is not None}
        digests = {one["id"]: _digest_of(one) for one in found["versions"]}
        kept = {key: found[key] for key in ("node", "parent", "changed", "removed", "touched",
                                            "code", "cell_s", "track_s", "is_complete")}
        return {**kept, "sizes": sizes, "digests": digests, "facts": dict(found.get("facts") or {})}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Damaged("the record of a notebook is damaged",
                      f"{type(error).__name__}: {error}") from error


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
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged("the record of a notebook is damaged",
                      f"{type(error).__name__}: {error}") from error
    graph.add(node)


def set_facts(node: Node, facts: dict[str, Any], code: str) -> None:
    """Give a node what the session knew of it besides its state; strangers' facts may be anything."""
    def text(name: str, default: str = "") -> str:
        return value if isinstance(value := facts.get(name), str) else default

    count = facts.get("count")
    node.code = text("raw", code)
    node.count = count if isinstance(count, int) else None
    node.start_ns = start if isinstance(start := facts.get("start_ns"), int) else 0
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
