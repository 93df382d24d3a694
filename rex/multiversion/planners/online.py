"""Plan for versions that arrive one by one: each is replayed before the next is known.

The next version parts after some cell seen so far. Most versions are an edit of the one before, so a cell of the latest version is
taken to be ten times as likely as another. A checkpoint is worth the seconds that its loss would add on average. When the cache
overflows, the one worth least per byte goes; that may be the new one.
"""

from __future__ import annotations

from rex.multiversion.sequence import CHECKPOINT, COMPUTE, EVICT, RESTORE, Op, ReplaySequence
from rex.multiversion.tree import ExecutionTree

# How much likelier the next version is to part from the latest one's cells (chosen on the trees of bench/papers, see docs/papers.md).
_LATEST = 10


class _Arrivals:
    """The cells seen so far, and the cache. A cell belongs to the nearest checkpoint at it or above it."""

    def __init__(self, tree: ExecutionTree, budget_bytes: int) -> None:
        self._tree, self._budget_bytes = tree, budget_bytes
        self._seen: set[str] = set()
        self._latest: list[str] = []              # the cells of the latest version
        self._cached: dict[str, int] = {}         # bytes
        self._cells: dict[str, int] = {}          # of a checkpoint: how many cells belong to it
        self.ops: list[Op] = []

    def replay(self, path: list[str]) -> None:
        """Replay a version, from the deepest checkpoint that it can use."""
        self._latest = path
        start = max((place + 1 for place, name in enumerate(path[:-1]) if name in self._cached), default=0)
        for name in path[start:]:
            if name not in self._seen:
                self._seen.add(name)
                if start:
                    self._cells[path[start - 1]] += 1
        if start:
            self.ops.append((RESTORE, path[start - 1], path[start]))
        for name in path[start:-1]:
            self.ops.append((COMPUTE, name))
            self._keep(name)
        self.ops.append((COMPUTE, path[-1]))      # nothing follows it, as far as is known

    def _keep(self, name: str) -> None:
        size = self._tree.by_id[name].size_bytes
        if size is None or size > self._budget_bytes or name in self._cached:
            return
        self._add(name, size)
        evicted = []
        while sum(self._cached.values()) > self._budget_bytes:
            evicted.append(self._least())
            self._remove(evicted[-1])
        self.ops += [(EVICT, other) for other in evicted if other != name]
        if name in self._cached:
            self.ops.append((CHECKPOINT, name))

    def _add(self, name: str, size: int) -> None:
        """Take the cells that belong to a new checkpoint from the one above it."""
        above = self._above(name)[0]
        self._cached[name], self._cells[name] = size, 0
        stack = [name]
        while stack:
            cell = stack.pop()
            self._cells[name] += 1
            stack += [child for child in self._tree.children[cell] if child in self._seen and child not in self._cached]
        if above is not None:
            self._cells[above] -= self._cells[name]

    def _remove(self, name: str) -> None:
        del self._cached[name]
        cells = self._cells.pop(name)
        above = self._above(name)[0]
        if above is not None:
            self._cells[above] += cells

    def _above(self, name: str) -> tuple[str | None, float]:
        """The nearest checkpoint above a cell, and the seconds from there to the end of the cell."""
        node = self._tree.by_id[name]
        seconds = node.cost_s
        while node.parent is not None and node.parent not in self._cached:
            node = self._tree.by_id[node.parent]
            seconds += node.cost_s
        return node.parent, seconds

    def _least(self) -> str:
        """The checkpoint whose loss per byte would cost the next version least."""
        weight = dict(self._cells)
        owner = None
        for name in self._latest:
            owner = name if name in self._cached else owner
            if owner is not None:
                weight[owner] += _LATEST - 1
        return min(self._cached, key=lambda name: (weight[name] * self._above(name)[1] / max(self._cached[name], 1), name))


def plan_online(tree: ExecutionTree, budget_bytes: int) -> ReplaySequence:
    """Replay the versions in the order of their last cells in the tree, which is that of their recording."""
    arrivals = _Arrivals(tree, budget_bytes)
    for leaf in (name for name in tree.by_id if not tree.children[name]):
        path: list[str] = []
        at: str | None = leaf
        while at is not None:
            path.append(at)
            at = tree.by_id[at].parent
        arrivals.replay(path[::-1])
    return ReplaySequence(tuple(arrivals.ops))
