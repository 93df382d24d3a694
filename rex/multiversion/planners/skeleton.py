"""The tree without what no plan depends on: planners work on this."""

from __future__ import annotations

from dataclasses import dataclass, field

from rex.multiversion.tree import ExecutionTree

NEVER = 1 << 62
"""Size of a state that cannot be checkpointed, in bytes: above every budget."""


@dataclass
class Skeleton:
    """The branching cells, by number, parents before children.

    Lossless: a cheapest plan of the skeleton is one of the tree. Of a run of
    cells without branches only those stay that are smaller than every later
    one of the run: another would be a checkpoint both larger and farther from
    its use. A run that ends in a leaf is one leaf. Where it is known what cells write,
    checkpoints share memory, and a larger one may be the cheaper one: all stay.

    `written` are the bytes that a node's cells write, NEVER where that is not known.
    """

    cells: list[tuple[str, ...]] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    cost_s: list[float] = field(default_factory=list)
    size: list[int] = field(default_factory=list)
    written: list[int] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)

    def add(self, parent: int, cells: list[str], cost_s: float, size: int, written: int = NEVER) -> int:
        """A new node below `parent` (-1: none) that stands for `cells`; its number."""
        number = len(self.cells)
        self.cells.append(tuple(cells))
        self.parent.append(parent)
        self.children.append([])
        self.cost_s.append(cost_s)
        self.size.append(size)
        self.written.append(written)
        (self.roots if parent < 0 else self.children[parent]).append(number)
        return number

    @property
    def shares_memory(self) -> bool:
        """Whether it is known of some cell what it writes."""
        return any(written < NEVER for written in self.written)

    def as_if_beside_parents(self, budget_bytes: int) -> "Skeleton":
        """The same with each checkpoint that fits as small as it can be, beside that of its parent."""
        least = [NEVER if size > budget_bytes else size if parent < 0 else min(size, written)
                 for parent, size, written in zip(self.parent, self.size, self.written)]
        return Skeleton(self.cells, self.parent, self.children, self.cost_s, least, self.written, self.roots)

    def __len__(self) -> int:
        return len(self.cells)


def build_skeleton(tree: ExecutionTree) -> Skeleton:
    """The skeleton of the tree; linear in its size."""
    skeleton = Skeleton()
    stack = [(root, -1) for root in reversed(tree.roots)]
    while stack:
        name, parent = stack.pop()
        run = [name]
        while len(tree.children[run[-1]]) == 1:
            run.append(tree.children[run[-1]][0])
        below = tree.children[run[-1]]
        for piece in _cut_run(tree, run, bool(below)):
            cost = sum(tree.by_id[cell].cost_s for cell in piece)
            size = tree.by_id[piece[-1]].size_bytes
            written = [tree.by_id[cell].written_bytes for cell in piece]
            parent = skeleton.add(parent, piece, cost, NEVER if size is None else size,
                                  NEVER if None in written else sum(written))   # type: ignore[arg-type]
        stack.extend((child, parent) for child in reversed(below))
    return skeleton


def _cut_run(tree: ExecutionTree, run: list[str], has_branches: bool) -> list[list[str]]:
    """Cut a run of cells after each one that is worth a checkpoint."""
    if not has_branches:
        return [run]
    if any(tree.by_id[name].written_bytes is not None for name in run):
        return [[name] for name in run]
    least = tree.by_id[run[-1]].size_bytes
    least = NEVER if least is None else least
    ends = [len(run)]
    for place in range(len(run) - 2, -1, -1):
        size = tree.by_id[run[place]].size_bytes
        if size is not None and size < least:
            least = size
            ends.append(place + 1)
    ends.append(0)
    ends.reverse()
    return [run[start:end] for start, end in zip(ends, ends[1:])]


@dataclass
class Facts:
    """What planners ask of each node of a skeleton, all linear to compute.

    For node u and the nodes below it: `total_s` seconds to run each once,
    `leaves`, `spread_s` the seconds of one path per leaf (u itself excluded),
    `once` bytes with which nothing runs twice, `enough` bytes above which more
    are of no use, `least` the least that a branching node can take, `largest` the
    size of the largest, `parked` the least of one that has another below it.
    """

    total_s: list[float]
    leaves: list[int]
    spread_s: list[float]
    once: list[int]
    enough: list[int]
    least: list[int]
    parked: list[int]
    largest: list[int]


def find_facts(skeleton: Skeleton) -> Facts:
    """Bottom-up sums and extremes of the skeleton."""
    n = len(skeleton)
    facts = Facts([0.0] * n, [1] * n, [0.0] * n, [0] * n, [0] * n, [NEVER] * n, [NEVER] * n, [0] * n)
    paths = [0] * n
    for u in range(n - 1, -1, -1):
        below = skeleton.children[u]
        facts.total_s[u] = skeleton.cost_s[u] + sum(facts.total_s[c] for c in below)
        if not below:
            continue
        size = skeleton.size[u]
        least = min(size, skeleton.written[u]) if size < NEVER else NEVER
        facts.leaves[u] = sum(facts.leaves[c] for c in below)
        facts.spread_s[u] = sum(facts.spread_s[c] + skeleton.cost_s[c] * facts.leaves[c] for c in below)
        paths[u] = max(paths[c] for c in below) + (size if size < NEVER else 0)
        facts.once[u] = _bytes_for_once(size, [facts.once[c] for c in below])
        facts.enough[u] = min(paths[u], facts.once[u])
        facts.least[u] = min(least, min(facts.least[c] for c in below))
        facts.parked[u] = min(facts.parked[c] for c in below)
        facts.largest[u] = max(size if size < NEVER else 0, max(facts.largest[c] for c in below))
        if any(skeleton.children[c] for c in below):
            facts.parked[u] = min(facts.parked[u], least)
    return facts


def _bytes_for_once(size: int, below: list[int]) -> int:
    """Bytes with which one visit of a node serves all its children.

    All but the neediest child run beside the node's checkpoint; the last one
    starts from it and evicts it.
    """
    if len(below) == 1:
        return below[0]
    needs = sorted(below)
    return max(size + needs[-2], needs[-1])
