"""The checkpoint graph: nodes, branches, tags, and what differs between two nodes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Hashable, Iterable

from rex.errors import Damaged, NotFound, UsageError
from rex.notebook.source import head_of
from rex.state import path_up

MAIN = "main"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9._/-]{0,99}")


@dataclass(slots=True)
class Node:
    """One executed cell.

    Attributes:
        code: as the user wrote it.
        changed: the version of each variable that the cell changed; equal ids are equal versions.
        sizes: raw bytes of those versions, where known.
        digests: hashes of those versions' pieces: equal ones are equal, in other sessions too.
        views: a short view of each changed variable.
        outputs: as the archive keeps them.
        error: name and text of the exception that ended it, or "".
    """

    number: int
    parent: int
    code: str = ""
    count: int | None = None
    start_ns: int = 0
    cell_s: float = 0.0
    track_s: float = 0.0
    is_complete: bool = True
    branch: str = MAIN
    changed: dict[str, Hashable] = field(default_factory=dict)
    removed: frozenset[str] = frozenset()
    touched: frozenset[str] = frozenset()
    sizes: dict[Hashable, int] = field(default_factory=dict)
    digests: dict[Hashable, str] = field(default_factory=dict)
    views: dict[str, Any] = field(default_factory=dict)
    outputs: list[Any] = field(default_factory=list)
    error: str = ""
    cell_id: str = ""
    document: list[Any] | None = None

    @property
    def head(self) -> str:
        """The cell's first line."""
        return head_of(self.code)

    @property
    def variables(self) -> list[str]:
        """The variables that it changed, those of the environment left out."""
        return sorted(name for name in self.changed if not name.startswith("<"))


@dataclass(frozen=True, slots=True)
class VariableChange:
    """A variable that differs between two nodes; a side is None where it is missing."""

    name: str
    old: Any
    new: Any
    old_bytes: int | None = None
    new_bytes: int | None = None

    @property
    def kind(self) -> str:
        """added, removed or changed."""
        if self.old is None:
            return "added"
        return "removed" if self.new is None else "changed"


class Graph:
    """Nodes by number, and the names that point at them.

    Attributes:
        classes: how the session treats objects of a class, by its name; "": they are stored.
    """

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self.branches: dict[str, int] = {}
        self.tags: dict[str, int] = {}
        self.classes: dict[str, str] = {}
        self.branch = MAIN
        self.head = 0

    def add(self, node: Node) -> None:
        """A cell was executed after its parent; its branch moves on.

        Raises:
            Damaged: the parent is not there, or the number is taken.
        """
        if node.number <= 0 or node.number in self.nodes or \
                node.parent and node.parent not in self.nodes:
            raise Damaged("the record of a notebook is damaged",
                          f"node {node.number} of parent {node.parent}")
        self.nodes[node.number] = node
        self.branches[node.branch] = node.number
        self.branch, self.head = node.branch, node.number

    def apply(self, note: dict[str, Any]) -> None:
        """Follow a note: a name that was set or removed, a checkout, a class that is treated otherwise."""
        kind, name, node = note.get("kind"), note.get("name"), note.get("node")
        names = {"tag": self.tags, "branch": self.branches}.get(str(kind))
        if names is not None and isinstance(name, str):
            if isinstance(node, int) and (node in self.nodes or node == 0):
                names[name] = node
            else:
                names.pop(name, None)
        if kind == "class" and isinstance(name, str) and isinstance(how := note.get("how"), str):
            self.classes[name] = how
        if kind == "head" and isinstance(node, int) and (node in self.nodes or node == 0):
            self.head = node
            self.branch = name if isinstance(name, str) else ""

    def next_branch(self) -> tuple[str, bool]:
        """The branch that the next cell goes to, and whether it is a new one."""
        if not self.branches:
            return self.branch or MAIN, True
        if self.branch and self.branches.get(self.branch) == self.head:
            return self.branch, False
        number = 1
        while f"branch-{number}" in self.branches or f"branch-{number}" in self.tags:
            number += 1
        return f"branch-{number}", True

    def resolve(self, text: str) -> int:
        """The node that an id, a tag, a branch, or -N (N before this one) names.

        Raises:
            NotFound: there is none.
        """
        text = text.strip()
        if re.fullmatch(r"-\d{1,9}", text):
            node = self.head
            for _ in range(int(text[1:])):
                if node == 0:
                    raise NotFound(f"there are no {text[1:]} cells before this state",
                                   advice="see: %rex log")
                node = self.nodes[node].parent
            return node
        if re.fullmatch(r"\d{1,18}", text):
            if int(text) in self.nodes:
                return int(text)
        elif text in self.tags:
            return self.tags[text]
        elif text in self.branches:
            return self.branches[text]
        elif text in ("head", "HEAD", "."):
            return self.head
        raise NotFound(f"no cell, tag or branch {text!r}", "", "see: %rex log")

    def path(self, node: int) -> list[int]:
        """From a node up to the first; NotFound if there is no such node."""
        return path_up(self.nodes, node)

    def state(self, node: int) -> dict[str, tuple[Hashable, int]]:
        """Version and defining node of each variable after a node."""
        found: dict[str, tuple[Hashable, int]] = {}
        for step in reversed(self.path(node)):
            for name in self.nodes[step].removed:
                found.pop(name, None)
            for name, version in self.nodes[step].changed.items():
                found[name] = (version, step)
        return found

    def difference(self, one: int, other: int) -> list[VariableChange]:
        """The variables whose versions differ between two nodes, with short views."""
        before, after = self.state(one), self.state(other)
        found = []
        for name in sorted(before.keys() | after.keys()):
            old, new = before.get(name), after.get(name)
            if (old and old[0]) != (new and new[0]) or bool(old) != bool(new):
                found.append(VariableChange(name, self._view(name, old), self._view(name, new),
                                            self._size(old), self._size(new)))
        return found

    def _view(self, name: str, place: tuple[Hashable, int] | None) -> Any:
        if place is None:
            return None
        return self.nodes[place[1]].views.get(name) or {"kind": "?"}

    def _size(self, place: tuple[Hashable, int] | None) -> int | None:
        return None if place is None else self.nodes[place[1]].sizes.get(place[0])

    def names_at(self) -> dict[int, list[str]]:
        """Branches, then tags, by node; the current branch first."""
        found: dict[int, list[str]] = {}
        for name in sorted(self.branches, key=lambda n: (n != self.branch, n)):
            found.setdefault(self.branches[name], []).append(name)
        for name, node in sorted(self.tags.items()):
            found.setdefault(node, []).append(f"tag {name}")
        return found

    def rows(self) -> list[tuple[str, Node | None]]:
        """Nodes, newest first, each with the lines to draw before it; None: lines only."""
        return _draw(self.nodes, sorted(self.nodes, reverse=True))


def _draw(nodes: dict[int, Node], order: Iterable[int]) -> list[tuple[str, Node | None]]:
    """Columns of lines, as `git log --graph` has them: a column waits for its next node."""
    lanes: list[int] = []   # the node that each column leads to
    rows: list[tuple[str, Node | None]] = []
    for number in order:
        if number not in lanes:
            lanes.append(number)
        first = lanes.index(number)
        ends = {at for at, wanted in enumerate(lanes) if wanted == number and at > first}
        if ends:   # branches meet here
            rows.append((_join_line(len(lanes), first, ends), None))
            lanes = [wanted for at, wanted in enumerate(lanes) if at not in ends]
        rows.append((" ".join("●" if at == first else "│" for at in range(len(lanes))),
                     nodes[number]))
        if parent := nodes[number].parent:
            lanes[first] = parent
        else:
            lanes.pop(first)
    return rows


def _join_line(lanes: int, first: int, ends: set[int]) -> str:
    text, last = "", max(ends)
    for at in range(lanes):
        is_inside = first <= at < last
        text += "├" if at == first else "╯" if at == last else "┴" if at in ends else \
            "┼" if is_inside else "│"
        text += "─" if is_inside else " "
    return text.rstrip()


def check_name(name: str) -> str:
    """A name for a branch or tag.

    Raises:
        UsageError: it cannot be one.
    """
    if not _NAME.fullmatch(name) or name in ("head", "HEAD"):
        raise UsageError(f"{name!r} cannot name a branch or tag", "",
                         "begin with a letter, go on with letters, digits and . _ / -")
    return name
