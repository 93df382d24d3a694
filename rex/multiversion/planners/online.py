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
    """The cells seen so far, and the cache."""

    def __init__(self, tree: ExecutionTree, budget_bytes: int) -> None:
        self._tree, self._budget_bytes = tree, budget_bytes
        self._seen: dict[str, None] = {}          # cells, parents first
        self._latest: set[str] = set()            # those of the latest version
        self._cached: dict[str, int] = {}
        self.ops: list[Op] = []

    def replay(self, path: list[str]) -> None:
        """Replay a version, from the deepest checkpoint that it can use."""
        self._seen |= dict.fromkeys(path)
        self._latest = set(path)
        start = max((place + 1 for place, name in enumerate(path[:-1]) if name in self._cached), default=0)
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
        self._cached[name] = size
        evicted = []
        while sum(self._cached.values()) > self._budget_bytes:
            evicted.append(self._least())
            del self._cached[evicted[-1]]
        self.ops += [(EVICT, other) for other in evicted if other != name]
        if name in self._cached:
            self.ops.append((CHECKPOINT, name))

    def _least(self) -> str:
        """The checkpoint whose loss per byte would cost the next version least."""
        away_s: dict[str, float] = {}             # to a cell from the nearest checkpoint above it
        nearest: dict[str, str | None] = {}
        weight = dict.fromkeys(self._cached, 0)
        for name in self._seen:
            node = self._tree.by_id[name]
            above_s = 0.0 if node.parent is None or node.parent in self._cached else away_s[node.parent]
            away_s[name] = above_s + node.cost_s
            nearest[name] = name if name in self._cached else nearest.get(node.parent or "")
            if (owner := nearest[name]) is not None:
                weight[owner] += _LATEST if name in self._latest else 1
        return min(self._cached, key=lambda name: (weight[name] * away_s[name] / max(self._cached[name], 1), name))


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
