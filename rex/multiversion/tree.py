"""The execution tree: versions merged on their shared prefixes."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from rex.errors import UsageError

FORM = 'a tree is {"nodes": [{"id", "parent", "cost", "size"}]}, "written" where it is known'


@dataclass(frozen=True)
class Node:
    """One cell of the tree, run after the cell `parent`.

    `cost_s` are the seconds it takes to run, `size_bytes` the bytes of a
    checkpoint taken after it; None says that no checkpoint can be taken.
    `written_bytes` is the memory that the cell writes: beside a checkpoint of its
    parent one of the cell takes no more. None says that nobody knows: all of it.
    """

    id: str
    parent: str | None
    cost_s: float
    size_bytes: int | None
    written_bytes: int | None = None


class ExecutionTree:
    """Cells as a tree; each path from a root to a leaf is a version.

    Several roots are allowed: such versions share nothing but the cache.
    The tree does not change after construction.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        """Take the nodes in any order.

        Raises:
            UsageError: no nodes, an id twice, an unknown parent, a cycle, or a
                negative or infinite number.
        """
        self.by_id: dict[str, Node] = {}
        for node in nodes:
            if node.id in self.by_id:
                raise UsageError(f"bad tree: node {node.id!r} occurs twice")
            _check_numbers(node)
            self.by_id[node.id] = node
        if not self.by_id:
            raise UsageError("bad tree: it has no nodes", advice=FORM)
        self.children: dict[str, tuple[str, ...]] = self._find_children()
        self.order: tuple[str, ...] = self._sort()

    def _find_children(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {name: [] for name in self.by_id}
        for node in self.by_id.values():
            if node.parent is None:
                continue
            if node.parent not in found:
                raise UsageError(f"bad tree: node {node.id!r} has the unknown parent {node.parent!r}")
            found[node.parent].append(node.id)
        return {name: tuple(below) for name, below in found.items()}

    def _sort(self) -> tuple[str, ...]:
        order: list[str] = []
        stack = list(reversed(self.roots))
        while stack:
            name = stack.pop()
            order.append(name)
            stack.extend(reversed(self.children[name]))
        if len(order) < len(self.by_id):
            reached = set(order)
            lost = next(name for name in self.by_id if name not in reached)
            raise UsageError(f"bad tree: node {lost!r} is its own ancestor, or below one that is")
        return tuple(order)

    @property
    def roots(self) -> tuple[str, ...]:
        """The first cells, in the order given."""
        return tuple(node.id for node in self.by_id.values() if node.parent is None)

    @property
    def leaves(self) -> tuple[str, ...]:
        """The last cell of each version, depth first."""
        return tuple(name for name in self.order if not self.children[name])

    def only(self, leaves: Collection[str]) -> "ExecutionTree":
        """The tree of these versions alone, in the order of this one."""
        needed: set[str] = set()
        for leaf in leaves:
            name: str | None = leaf
            while name is not None and name not in needed:
                needed.add(name)
                name = self.by_id[name].parent
        return ExecutionTree(node for node in self.by_id.values() if node.id in needed)

    @property
    def total_s(self) -> float:
        """Seconds to run every cell once: no sequence is cheaper."""
        return math.fsum(node.cost_s for node in self.by_id.values())

    @property
    def sequential_s(self) -> float:
        """Seconds to run every version from its start: what no cache costs."""
        leaves_below: dict[str, int] = {}
        for name in reversed(self.order):
            below = self.children[name]
            leaves_below[name] = sum(leaves_below[child] for child in below) if below else 1
        return math.fsum(self.by_id[name].cost_s * count for name, count in leaves_below.items())

    @property
    def largest_bytes(self) -> int:
        """Size of the largest possible checkpoint; 0 when there is none."""
        return max((node.size_bytes or 0 for node in self.by_id.values()), default=0)

    def as_json(self) -> dict[str, object]:
        """The form that `from_json` reads."""
        return {"nodes": [_as_json(node) for node in self.by_id.values()]}

    @classmethod
    def from_json(cls, data: object) -> "ExecutionTree":
        """Build the tree from parsed JSON; see `FORM`.

        Raises:
            UsageError: the data has another form, or is no tree.
        """
        nodes = data.get("nodes") if isinstance(data, dict) else None
        if not isinstance(nodes, list):
            raise UsageError("bad tree: no list of nodes", advice=FORM)
        return cls(_read_node(entry, place) for place, entry in enumerate(nodes))

    @classmethod
    def load(cls, path: Path) -> "ExecutionTree":
        """Read the tree from a JSON file.

        Raises:
            UsageError: the file cannot be read, is no JSON, or holds no tree.
        """
        try:
            return cls.from_json(json.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise UsageError(f"cannot read {path}", error.strerror or str(error)) from error
        except (ValueError, RecursionError) as error:
            raise UsageError(f"bad tree: {path} is not JSON", str(error), FORM) from error


def _check_numbers(node: Node) -> None:
    """Refuse what no sum or comparison could digest."""
    if not (math.isfinite(node.cost_s) and node.cost_s >= 0):
        raise UsageError(f"bad tree: node {node.id!r} has the cost {node.cost_s}",
                         "seconds are finite and not negative")
    for what, size in (("size", node.size_bytes), ("written", node.written_bytes)):
        if size is not None and size < 0:
            raise UsageError(f"bad tree: node {node.id!r} has {what} {size}",
                             "bytes are not negative; null says: no checkpoint, or not known")


def _as_json(node: Node) -> dict[str, object]:
    fields: dict[str, object] = {"id": node.id, "parent": node.parent, "cost": node.cost_s, "size": node.size_bytes}
    if node.written_bytes is not None:
        fields["written"] = node.written_bytes
    return fields


def _read_node(entry: object, place: int) -> Node:
    """One node of the JSON form."""
    if not isinstance(entry, dict):
        raise UsageError(f"bad tree: entry {place} of nodes is no object", advice=FORM)
    missing = [key for key in ("id", "parent", "cost", "size") if key not in entry]
    if missing:
        raise UsageError(f"bad tree: entry {place} of nodes lacks {missing[0]!r}", advice=FORM)
    name, parent = entry["id"], entry["parent"]
    if not _is_name(name) or not (parent is None or _is_name(parent)):
        raise UsageError(f"bad tree: entry {place} of nodes has an id or parent that is no name", advice=FORM)
    cost = _read_number(entry["cost"], "cost", name)
    size, written = (None if entry.get(key) is None else math.ceil(_read_number(entry[key], key, name))
                     for key in ("size", "written"))
    return Node(str(name), None if parent is None else str(parent), cost, size, written)


def _is_name(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool) and value != ""


def _read_number(value: object, key: str, name: object) -> float:
    """A finite, non-negative number, or the reason why it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UsageError(f"bad tree: node {name!r} has the {key} {value!r}", "a number is needed")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not (math.isfinite(number) and number >= 0):
        raise UsageError(f"bad tree: node {name!r} has the {key} {value!r}",
                         "it must be finite and not negative")
    return value if isinstance(value, int) and key != "cost" else number
