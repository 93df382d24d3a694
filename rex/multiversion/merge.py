"""From recorded versions to one execution tree: equal lineages are one node."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field

from rex.multiversion.tree import ExecutionTree, Node
from rex.multiversion.versions import RecordedCell, Version

# Equal cells that took very different time or memory were not run alike (another machine,
# another load); a plan would be wrong about one of them. They are merged up to these factors,
# or if they differ by less than the plan could notice.
FACTOR = 5.0
SLACK_S = 2.0
SLACK_BYTES = 256 << 20

ROOT = "start"


@dataclass
class CellNode:
    """A node of the tree with what it stands for.

    Attributes:
        base: for a root: the lineage of the state that it starts from.
        members: the versions that share it, and which of their cells it is.
    """

    id: str
    parent: str | None
    base: str
    members: list[tuple[Version, int]] = field(default_factory=list)

    @property
    def cells(self) -> list[RecordedCell]:
        """The same cell in each version."""
        return [version.cells[place] for version, place in self.members]

    @property
    def cell(self) -> RecordedCell:
        """The cell as its first version has it."""
        return self.cells[0]

    @property
    def seconds(self) -> float:
        """What it costs: the median over the versions."""
        times = sorted(cell.seconds for cell in self.cells)
        return (times[(len(times) - 1) // 2] + times[len(times) // 2]) / 2

    @property
    def size_bytes(self) -> int | None:
        """What a checkpoint takes; None if it cannot be forked."""
        if any(cell.unforkable or cell.how == "exit" for cell in self.cells):
            return None
        return max(cell.size_bytes for cell in self.cells)

    @property
    def written_bytes(self) -> int | None:
        """What a checkpoint takes at most beside one of the parent; None if that is not known."""
        if any(cell.written_bytes is None for cell in self.cells):
            return None
        return max(cell.written_bytes or 0 for cell in self.cells)

    def takes(self, cell: RecordedCell) -> bool:
        """Whether an equal cell took about as long and as much."""
        return (_is_alike(self.cell.seconds, cell.seconds, SLACK_S)
                and _is_alike(self.cell.size_bytes, cell.size_bytes, SLACK_BYTES))


def _is_alike(one: float, two: float, slack: float) -> bool:
    return abs(one - two) <= slack or max(one, two) <= FACTOR * min(one, two)


@dataclass
class VersionTree:
    """The execution tree of an archive.

    Attributes:
        nodes: by id, parents first.
        ends: name of a version -> the node of its last cell.
    """

    nodes: dict[str, CellNode]
    ends: dict[str, str]

    @property
    def execution(self) -> ExecutionTree:
        """The tree as planners see it."""
        return ExecutionTree(Node(node.id, node.parent, node.seconds, node.size_bytes, node.written_bytes)
                             for node in self.nodes.values())

    def children(self, parent: str | None) -> list[CellNode]:
        """The nodes after one; the roots after None."""
        return [node for node in self.nodes.values() if node.parent == parent]

    def path(self, name: str) -> list[str]:
        """The nodes from the root to this one."""
        found: list[str] = []
        at: str | None = name
        while at is not None:
            found.append(at)
            at = self.nodes[at].parent
        return found[::-1]

    def versions_at(self, name: str) -> list[str]:
        """Names of the versions whose last cell this is."""
        return [version for version, end in self.ends.items() if end == name]


def merge(versions: list[Version]) -> VersionTree:
    """Merge versions on equal cell lineages, as long as their costs are alike.

    Names of nodes are the numbers of their cells, with a letter where siblings differ: 1, 2, 3a, 3b.
    """
    tree = VersionTree({}, {})
    below: dict[tuple[str | None, str], list[CellNode]] = {}
    for version in versions:
        parent: str | None = None
        for place, cell in enumerate(version.cells):
            known = below.setdefault((parent, cell.lineage), [])
            node = next((each for each in known if each.takes(cell)), None)
            if node is None:
                node = CellNode(str(len(tree.nodes)), parent, version.base)
                tree.nodes[node.id] = node
                known.append(node)
            node.members.append((version, place))
            parent = node.id
        assert parent is not None
        tree.ends[version.name] = parent
    return _named(tree)


def _named(tree: VersionTree) -> VersionTree:
    """The same tree with names that people can read."""
    counts: dict[int, int] = {}
    depth = {old: len(tree.path(old)) for old in tree.nodes}
    for level in depth.values():
        counts[level] = counts.get(level, 0) + 1
    names: dict[str, str] = {}
    used: dict[int, int] = {}
    for old, level in depth.items():
        used[level] = used.get(level, 0) + 1
        names[old] = f"{level}{_letters(used[level])}" if counts[level] > 1 else str(level)
    nodes = {}
    for old, node in tree.nodes.items():
        node.id = names[old]
        node.parent = names[node.parent] if node.parent is not None else None
        nodes[node.id] = node
    return VersionTree(nodes, {version: names[end] for version, end in tree.ends.items()})


def _letters(number: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(97 + rest) + text
    return text


# ------------------------------------------------------------------ why siblings differ

def reasons(node: CellNode, sibling: CellNode) -> list[str]:
    """What makes a node another one than its sibling: changed lines, or what was read."""
    one, two = sibling.cell, node.cell
    if one.code != two.code:
        return _changed_lines(one.source, two.source)
    found = [f"file {path}" for path in sorted(set(one.files) & set(two.files))
             if one.files[path] != two.files[path]]
    found += [f"variable {name}={two.variables.get(name)}" for name in sorted(set(one.variables) | set(two.variables))
              if one.variables.get(name) != two.variables.get(name)]
    if one.clock != two.clock:
        found.append("the time that it asked for")
    if one.arguments or two.arguments:
        words = [" ".join(each.members[0][0].arguments) for each in (sibling, node)]
        if words[0] != words[1]:
            found.append(f"arguments {words[1]}")
    if node.base != sibling.base and node.parent is None:
        found.append("it starts from another state")
    if not found and one.lineage == two.lineage:
        found.append(f"the same, but {two.seconds:.3g} s and {two.size_bytes} bytes, "
                     f"not {one.seconds:.3g} s and {one.size_bytes} bytes")
    if not found and set(one.files) != set(two.files):
        found = [f"file {path}" for path in sorted(set(one.files) ^ set(two.files))[:4]]
    return found or ["what the system answered"]


def _changed_lines(one: str, two: str) -> list[str]:
    lines = list(difflib.unified_diff(one.splitlines(), two.splitlines(), n=0, lineterm=""))
    return [line for line in lines[2:] if not line.startswith("@@")]   # the first two name the sides
