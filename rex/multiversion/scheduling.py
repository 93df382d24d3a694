"""List scheduling of a tree on N processes: in which order entries begin, and how long it will take.

A process goes on into the child from which the longest way to an end remains; each other child
becomes an entry of its parent's checkpoint, which is given up when its last entry has begun. Where
the budget has no room, an entry begins at the nearest state that is there.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence

from rex.multiversion.cachespace import CacheSpace
from rex.multiversion.tree import ExecutionTree

# What comes first among the entries that are open; none is best on all trees.
LONGEST, DEEPEST, NEARLY_DONE = "longest", "deepest", "nearly done"
ORDERS = (DEEPEST, LONGEST, NEARLY_DONE)


class EntryOrder:
    """Chooses the entry to begin next.

    `deepest` keeps few checkpoints, as a depth-first replay does; `longest` keeps all processes busy to
    the end; `nearly done` frees the checkpoint with the fewest entries left.
    """

    def __init__(self, tree: ExecutionTree, order: str) -> None:
        self.order = order
        self._tree = tree
        self._depth: dict[str, int] = {}
        for name in tree.order:
            parent = tree.by_id[name].parent
            self._depth[name] = self._depth[parent] + 1 if parent is not None else 0
        self.remaining_s: dict[str, float] = {}
        for name in reversed(tree.order):
            below = max((self.remaining_s[child] for child in tree.children[name]), default=0.0)
            self.remaining_s[name] = tree.by_id[name].cost_s + below

    def choose(self, entries: Sequence[str], cache: Mapping[str, int]) -> str:
        """The entry to begin; `cache` has the checkpoints, each with its entries that have not begun."""
        if self.order == LONGEST:
            return max(entries, key=lambda name: self.remaining_s[name])
        if self.order == DEEPEST:
            return max(entries, key=lambda name: (self._depth[name], self.remaining_s[name]))
        return max(entries, key=lambda name: (-cache.get(self._tree.by_id[name].parent or "", len(self._depth)),
                                              self.remaining_s[name]))

    def sort_children(self, name: str) -> list[str]:
        """The children of a node, the longest way first."""
        return sorted(self._tree.children[name], key=lambda child: -self.remaining_s[child])


class _Simulation:
    """N processes on a tree, as `ParallelReplayer` lets them run."""

    def __init__(self, tree: ExecutionTree, budget_bytes: int, workers: int, order: EntryOrder) -> None:
        self._tree, self._budget_bytes, self._workers, self._order = tree, budget_bytes, workers, order
        nodes = tree.by_id
        self._space = CacheSpace({name: node.parent for name, node in nodes.items()},
                                 {name: node.size_bytes for name, node in nodes.items()},
                                 {name: node.written_bytes for name, node in nodes.items()})
        self._cache: dict[str, int] = {}
        self._open = list(tree.roots)

    def run(self) -> float:
        """Seconds until all is done."""
        now, idle = 0.0, list(range(self._workers))
        busy: list[tuple[float, int, Iterator[float]]] = []
        while self._open or busy:
            while self._open and idle:
                name = self._order.choose(self._open, self._cache)
                self._open.remove(name)
                heapq.heappush(busy, (now, idle.pop(), self._work(name)))
            now, worker, work = heapq.heappop(busy)
            seconds = next(work, None)
            if seconds is None:
                idle.append(worker)
            else:
                heapq.heappush(busy, (now + seconds, worker, work))
        return now

    def _work(self, name: str) -> Iterator[float]:
        """The seconds of each cell of one entry, one after the other."""
        missing = []
        at = self._tree.by_id[name].parent
        while at is not None and at not in self._cache:
            missing.append(at)
            at = self._tree.by_id[at].parent
        if at is not None and not missing:
            self._cache[at] -= 1
            if not self._cache[at]:
                del self._cache[at]
        yield sum(self._tree.by_id[each].cost_s for each in missing)
        current: str | None = name
        while current is not None:
            yield self._tree.by_id[current].cost_s
            below = self._order.sort_children(current)
            if below[1:]:
                self._offer(current, below[1:])
            current = below[0] if below else None

    def _offer(self, name: str, children: list[str]) -> None:
        if (self._tree.by_id[name].size_bytes is not None
                and self._space.bytes_of({*self._cache, name}) <= self._budget_bytes):
            self._cache[name] = len(children)
        self._open += children


def predict_s(tree: ExecutionTree, budget_bytes: int, workers: int, order: str) -> float:
    """Seconds that N processes take, if cells take as long as they did and forks take none."""
    return _Simulation(tree, budget_bytes, workers, EntryOrder(tree, order)).run()


def choose_order(tree: ExecutionTree, budget_bytes: int, workers: int) -> tuple[EntryOrder, float]:
    """The order in which N processes are done soonest, and the seconds that they take."""
    seconds = {order: predict_s(tree, budget_bytes, workers, order) for order in ORDERS}
    best = min(ORDERS, key=lambda order: seconds[order])
    return EntryOrder(tree, best), seconds[best]
