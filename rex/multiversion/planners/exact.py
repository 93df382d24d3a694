"""The true optimum of small trees, by search over all states of a replay."""

from __future__ import annotations

import heapq

from rex.multiversion.cachespace import CacheSpace
from rex.multiversion.planners.skeleton import NEVER, Skeleton
from rex.multiversion.sequence import CHECKPOINT, COMPUTE, EVICT, RESTORE, Op, ReplaySequence

FRESH = -1

# (live node, cached nodes as bits, computed leaves as bits)
State = tuple[int, int, int]


class StatesSpent(Exception):
    """The search met more states than it was allowed to."""


class _Search:
    """Dijkstra over (live node, cache, leaves done).

    A move computes a child of the live node. Before it, the live node may have
    been checkpointed, other checkpoints evicted, and another one restored.
    Evicting only to make room for a checkpoint loses nothing.
    """

    def __init__(self, skeleton: Skeleton, budget_bytes: int, max_states: int) -> None:
        self.skeleton = skeleton
        self.budget_bytes = budget_bytes
        self.max_states = max_states
        self.leaves = {u: 1 << place for place, u in
                       enumerate(u for u in range(len(skeleton)) if not skeleton.children[u])}
        numbers = range(len(skeleton))
        self.space = CacheSpace({u: skeleton.parent[u] if skeleton.parent[u] >= 0 else None for u in numbers},
                                {u: skeleton.size[u] if skeleton.size[u] < NEVER else None for u in numbers},
                                {u: skeleton.written[u] if skeleton.written[u] < NEVER else None for u in numbers})
        self.bytes: dict[int, int] = {}
        self.below = [0] * len(skeleton)
        for u in range(len(skeleton) - 1, -1, -1):
            self.below[u] = self.leaves.get(u, 0)
            for child in skeleton.children[u]:
                self.below[u] |= self.below[child]

    def run(self) -> list[State]:
        """The states of a cheapest replay, first to last.

        Raises:
            StatesSpent: see `max_states`.
        """
        start: State = (FRESH, 0, 0)
        goal = (1 << len(self.leaves)) - 1
        best: dict[State, float] = {start: 0.0}
        came: dict[State, State] = {}
        queue: list[tuple[float, State]] = [(0.0, start)]
        while queue:
            cost, state = heapq.heappop(queue)
            if cost > best[state]:
                continue
            if state[2] == goal:
                return _trace_back(came, state)
            if len(best) > self.max_states:
                raise StatesSpent
            for step, after in self._moves(state):
                if cost + step < best.get(after, float("inf")):
                    best[after] = cost + step
                    came[after] = state
                    heapq.heappush(queue, (cost + step, after))
        raise AssertionError("the leaves can always be computed one by one")

    def _moves(self, state: State) -> list[tuple[float, State]]:
        live, cache, done = state
        moves: list[tuple[float, State]] = []
        for kept in self._caches(live, cache):
            for source in self._sources(live, kept):
                children = self.skeleton.roots if source == FRESH else self.skeleton.children[source]
                for child in children:
                    if self.below[child] & ~done:
                        after = done | self.leaves.get(child, 0)
                        moves.append((self.skeleton.cost_s[child], (child, self._useful(kept, after), after)))
        return moves

    def _useful(self, cache: int, done: int) -> int:
        """The cache without checkpoints below which all is done."""
        for u in range(len(self.skeleton)):
            if cache >> u & 1 and not self.below[u] & ~done:
                cache &= ~(1 << u)
        return cache

    def _sources(self, live: int, cache: int) -> list[int]:
        """Where the next computation can start: live state, checkpoints, fresh process."""
        cached = [u for u in range(len(self.skeleton)) if cache >> u & 1 and u != live]
        return ([live] if live != FRESH else []) + cached + [FRESH]

    def _caches(self, live: int, cache: int) -> list[int]:
        """The cache as it is, or with the live node checkpointed in place of others."""
        if live == FRESH or live in self.leaves or cache >> live & 1:
            return [cache]
        size = self.skeleton.size[live]
        if size == NEVER or size > self.budget_bytes:
            return [cache]
        kept = cache
        found = [cache]
        while True:
            if self._bytes(kept | 1 << live) <= self.budget_bytes:
                found.append(kept | 1 << live)
            if not kept:
                return found
            kept = (kept - 1) & cache

    def _bytes(self, cache: int) -> int:
        known = self.bytes.get(cache)
        if known is None:
            known = self.bytes[cache] = self.space.bytes_of(
                [u for u in range(len(self.skeleton)) if cache >> u & 1])
        return known


def _trace_back(came: dict[State, State], state: State) -> list[State]:
    path = [state]
    while state in came:
        state = came[state]
        path.append(state)
    path.reverse()
    return path


def find_optimum(skeleton: Skeleton, budget_bytes: int, max_states: int = 10**9) -> ReplaySequence:
    """A cheapest sequence of all that exist; for trees of up to about 15 nodes.

    Raises:
        StatesSpent: more than `max_states` states were met.
    """
    states = _Search(skeleton, budget_bytes, max_states).run()
    return ReplaySequence(tuple(_write_ops(skeleton, states)))


def _write_ops(skeleton: Skeleton, states: list[State]) -> list[Op]:
    """The steps between the states; an eviction stands where it first can."""
    ops: list[Op] = []
    name = [cells[-1] for cells in skeleton.cells]
    held = 0
    for (live, _, _), (target, cache, _) in zip(states, states[1:]):
        is_new = live != FRESH and cache >> live & 1 and not held >> live & 1
        source = skeleton.parent[target]
        # The source of the move stays until it is restored, unless it is live.
        gone = [u for u in range(len(skeleton)) if held >> u & 1 and not cache >> u & 1]
        late = [u for u in gone if u == source != live]
        ops.extend((EVICT, name[u]) for u in gone if u not in late)
        if is_new:
            ops.append((CHECKPOINT, name[live]))
        if source != live and source != FRESH:
            ops.append((RESTORE, name[source], skeleton.cells[target][0]))
        ops.extend((EVICT, name[u]) for u in late)
        ops.extend((COMPUTE, cell) for cell in skeleton.cells[target])
        held = cache
    return ops
