"""Planners that decide once: no cache, LFU, and PRP in its two kinds."""

from __future__ import annotations

import heapq
import math

from rex.multiversion.planners.parts import parts_of_cached_set, write_sequence
from rex.multiversion.planners.skeleton import NEVER, Skeleton
from rex.multiversion.sequence import CHECKPOINT, COMPUTE, EVICT, RESTORE, Op, ReplaySequence
from rex.multiversion.tree import ExecutionTree


def plan_none(skeleton: Skeleton) -> ReplaySequence:
    """Run every version from its start."""
    return write_sequence(skeleton, parts_of_cached_set(skeleton, set()))


class _LeastFrequent:
    """A cache that gives up the cells that are worth least, if less than the new one.

    A cell is worth its uses times the cells of its subtree for each byte of its checkpoint.
    """

    def __init__(self, tree: ExecutionTree, budget_bytes: int) -> None:
        self.tree = tree
        self.free_bytes = budget_bytes
        self.uses: dict[str, int] = dict.fromkeys(tree.by_id, 0)
        self.cached: dict[str, int] = {}
        self._below: dict[str, int] = {}     # cells of the subtree, the cell itself among them
        for name in reversed(tree.order):
            self._below[name] = 1 + sum(self._below[child] for child in tree.children[name])

    def _worth(self, name: str) -> float:
        size = self.tree.by_id[name].size_bytes
        return self.uses[name] * self._below[name] / size if size else math.inf

    def admit(self, name: str) -> list[str] | None:
        """The cells evicted for this one, or None when it stays out."""
        size = self.tree.by_id[name].size_bytes
        if size is None or name in self.cached or not self.tree.children[name]:
            return None
        evicted: list[str] = []
        free_bytes = self.free_bytes
        for other in sorted(self.cached, key=self._worth):
            if free_bytes >= size or self._worth(other) >= self._worth(name):
                break
            evicted.append(other)
            free_bytes += self.cached[other]
        if free_bytes < size:
            return None
        for other in evicted:
            del self.cached[other]
        self.cached[name] = size
        self.free_bytes = free_bytes - size
        return evicted


def plan_lfu(tree: ExecutionTree, budget_bytes: int) -> ReplaySequence:
    """Visit the versions in order, with a least-frequently-used cache of all cells.

    A use is a computation or a restore. What goes first has least uses times cells of its subtree for each byte.
    Source: Manne et al., CHEX, PVLDB 15(6), 2022, section 7, the baseline after Vizier;
    how ties and new cells are treated is not described there.
    """
    cache = _LeastFrequent(tree, budget_bytes)
    ops: list[Op] = []
    for leaf in tree.leaves:
        path = [leaf]
        while path[-1] not in cache.cached and tree.by_id[path[-1]].parent is not None:
            path.append(tree.by_id[path[-1]].parent)
        path.reverse()
        if path[0] in cache.cached:
            cache.uses[path[0]] += 1
            if not (ops and ops[-1][:2] in ((COMPUTE, path[0]), (CHECKPOINT, path[0]))):
                ops.append((RESTORE, path[0], path[1]))
            path = path[1:]
        for name in path:
            ops.append((COMPUTE, name))
            cache.uses[name] += 1
            evicted = cache.admit(name)
            if evicted is not None:
                ops.extend((EVICT, other) for other in evicted)
                ops.append((CHECKPOINT, name))
    ops.extend((EVICT, name) for name in cache.cached)
    return ReplaySequence(tuple(ops))


class _CachedSet:
    """A growing set of cached nodes, and what one more would save.

    `runs[u]` counts the computations of u while it is not cached: one for each
    leaf or cached node below it that has no cached node in between.
    """

    def __init__(self, skeleton: Skeleton, budget_bytes: int) -> None:
        self.skeleton = skeleton
        self.budget_bytes = budget_bytes
        self.cached: set[int] = set()
        self.below_bytes = [0] * len(skeleton)
        self.runs = [1] * len(skeleton)
        for u in range(len(skeleton) - 1, -1, -1):
            if skeleton.children[u]:
                self.runs[u] = sum(self.runs[child] for child in skeleton.children[u])

    def find_saving(self, u: int) -> float:
        """Seconds saved by caching u as well; 0 when it does not fit."""
        above_bytes, path_s = 0, 0.0
        v, is_found = u, False
        while v >= 0:
            if v in self.cached:
                is_found = True
                above_bytes += self.skeleton.size[v]
            elif not is_found:
                path_s += self.skeleton.cost_s[v]
            v = self.skeleton.parent[v]
        if above_bytes + self.skeleton.size[u] + self.below_bytes[u] > self.budget_bytes:
            return 0.0
        return (self.runs[u] - 1) * path_s

    def add(self, u: int) -> None:
        """Cache u: nodes above it, up to the next cached one, run less often."""
        fewer = self.runs[u] - 1
        self.cached.add(u)
        held = self.below_bytes[u] + self.skeleton.size[u]
        self.below_bytes[u] = held
        v, is_found = self.skeleton.parent[u], False
        while v >= 0:
            is_found = is_found or v in self.cached
            if not is_found:
                self.runs[v] -= fewer
            elif v in self.cached and fewer:
                self.runs[v] -= fewer
                fewer = 0
            own = self.skeleton.size[v] if v in self.cached else 0
            self.below_bytes[v] = own + max(self.below_bytes[c] for c in self.skeleton.children[v])
            v = self.skeleton.parent[v]


def plan_prp(skeleton: Skeleton, budget_bytes: int, per_byte: bool) -> ReplaySequence:
    """Cache, again and again, the node that saves most, or most per byte.

    Source: Manne et al., CHEX, PVLDB 15(6), 2022, Algorithm 1 (PRP-v1 and
    PRP-v2). We take the best node of each round, where the listing takes the
    last that improves, and stop when nothing is saved. Savings only shrink, so
    a round looks again only at nodes that lead the queue.
    """
    chosen = _CachedSet(skeleton, budget_bytes)

    def find_rank(u: int) -> float:
        saving = chosen.find_saving(u)
        return saving / max(skeleton.size[u], 1) if per_byte else saving

    queue = [(-find_rank(u), u) for u in range(len(skeleton))
             if skeleton.children[u] and skeleton.size[u] < NEVER]
    heapq.heapify(queue)
    while queue:
        rank, u = heapq.heappop(queue)
        if rank >= 0:
            break
        fresh = -find_rank(u)
        if fresh > rank:
            heapq.heappush(queue, (fresh, u))
        else:
            chosen.add(u)
    return write_sequence(skeleton, parts_of_cached_set(skeleton, chosen.cached))
