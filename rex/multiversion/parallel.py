"""Replays all versions of a tree with several processes side by side, by the rules of scheduling.py."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from rex.multiversion.execute import MEASURE_S, Held, Lab, Runner, Tally, Watch
from rex.multiversion.merge import VersionTree
from rex.multiversion.worker_protocol import Orders, State
from rex.multiversion.scheduling import choose_order
from rex.multiversion.worker import WorkerLost

_TRIES = 2


@dataclass
class _Checkpoint:
    """A state in the cache, and how many entries still need it."""

    held: Held
    entries: int
    lock: threading.Lock = field(default_factory=threading.Lock)


class ParallelReplayer(Runner):
    """Runs a tree with up to `count` live processes; their checkpoints share one budget."""

    def __init__(self, tree: VersionTree, orders: Orders, lab: Lab, watch: Watch, budget_bytes: int,
                 count: int) -> None:
        super().__init__(tree, orders, lab, watch)
        self._budget_bytes = budget_bytes
        self._count = count
        self._cache: dict[str, _Checkpoint] = {}
        self._open = [node.id for node in tree.children(None)]   # entries: nodes to begin at
        self._busy = 0
        self._changed = threading.Condition()
        self._measured = 0.0
        self._error: BaseException | None = None
        self._order = choose_order(tree.execution, budget_bytes, count)[0]

    def run(self) -> Tally:
        """Run every version to its end."""
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self._count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for checkpoint in self._cache.values():
            self.drop(checkpoint.held)
        if self._error:
            raise self._error
        return self.tally

    # -------------------------------------------------------------- entries

    def _work(self) -> None:
        try:
            while (name := self._take()) is not None:
                try:
                    self._begin(name)
                finally:
                    with self._changed:
                        self._busy -= 1
                        self._changed.notify_all()
        except BaseException as error:
            with self._changed:
                self._error = self._error or error
                self._changed.notify_all()

    def _take(self) -> str | None:
        """The entry to begin next; None when nothing is left to do."""
        with self._changed:
            while not self._open and self._busy and not self._error:
                self._changed.wait()
            if not self._open or self._error:
                return None
            name = self._order.choose(self._open, {each: found.entries for each, found in self._cache.items()})
            self._open.remove(name)
            self._busy += 1
            return name

    def _begin(self, name: str) -> None:
        """Run an entry and what follows it, one child after the other, to the end of a version."""
        for attempt in range(_TRIES):
            try:
                self._descend(self._held_at(self.tree.nodes[name].parent, name), name)
                return
            except WorkerLost as error:
                with self._changed:
                    reached = self._reached(name)
                    if attempt + 1 == _TRIES:
                        self.tally.failed[reached] = error.why or error.what
                        return
                    self.tally.note(f"{error.what} ({error.why}); cell {reached} is computed again")
                name = reached

    def _reached(self, name: str) -> str:
        """How far an entry came: the first cell on the longest way that has no result."""
        while name in self.tally.results and self.tree.children(name):
            name = self._order.sort_children(name)[0]
        return name

    def _descend(self, held: Held, name: str) -> None:
        at: str | None = name
        while at is not None:
            self.compute(held, at, at in self.tally.results)
            self._enforce()
            if at in self.tally.failed:
                self.drop(held)
                return
            children = self._order.sort_children(at)
            ends = bool(self.tree.versions_at(at))
            if not children:
                self.end(held, at)
                return
            if len(children) > 1:
                self._offer(held, at, children[1:])
            if ends:
                self._end_inside(held, at)
            at = children[0]

    def _end_inside(self, held: Held, name: str) -> None:
        other = self.fork(held)
        if other is None:                    # once more from the start, for this end alone
            other = Held(self.lab.start(self.tree.nodes[name].base), State())
            self.walk(other, self.tree.path(name))
        self.end(other, name)

    # -------------------------------------------------------------- checkpoints

    def _offer(self, held: Held, name: str, children: list[str]) -> None:
        """Make the other children entries; with a checkpoint if there is room."""
        with self._changed:
            size = self._expected_bytes(name)
            has_room = size is not None and self._used_bytes() + size <= self._budget_bytes
        if has_room:
            found = self.fork(held)
            with self._changed:
                if found:
                    self._cache[name] = _Checkpoint(found, len(children))
                    self.tally.checkpoints += 1
                    self._measured = 0.0
        with self._changed:
            self._open += children
            self._changed.notify_all()
        self._enforce()

    def _expected_bytes(self, name: str) -> int | None:
        """What a checkpoint will take beside those that are there; None if there can be none."""
        size = self.tree.nodes[name].size_bytes
        written, at = 0, name
        while size is not None and at not in self._cache:
            node = self.tree.nodes[at]
            if node.parent is None or node.written_bytes is None:
                return size
            written += node.written_bytes
            at = node.parent
        return size if size is None else min(size, written)

    def _enforce(self) -> None:
        """Hold the checkpoints to the budget, by the kernel's account: cheap ones are given up first."""
        doomed = []
        with self._changed:
            if time.monotonic() - self._measured < MEASURE_S:
                return
            sizes = {name: checkpoint.held.worker.memory_bytes() for name, checkpoint in self._cache.items()}
            while sum(sizes.values()) > self._budget_bytes:
                name = min(sizes, key=lambda each: sum(self.tree.nodes[n].seconds for n in self.tree.path(each)))
                doomed.append(self._cache.pop(name))
                del sizes[name]
                self.tally.note(f"the checkpoint of cell {name} had grown too large, and was given up")
            self._measured = time.monotonic()
            self.tally.peak_bytes = max(self.tally.peak_bytes, sum(sizes.values()))
            self.watch.cached(sum(sizes.values()), len(sizes))
        for checkpoint in doomed:
            with checkpoint.lock:
                self.drop(checkpoint.held)

    def _used_bytes(self) -> int:
        return sum(checkpoint.held.worker.memory_bytes() for checkpoint in self._cache.values())

    def _held_at(self, parent: str | None, name: str) -> Held:
        """A process at the parent of an entry."""
        path = self.tree.path(parent) if parent else []
        for known in range(len(path), 0, -1):
            held = self._branch_from(path[known - 1], is_own=known == len(path))
            if held:
                self.walk(held, path[known:])
                return held
        held = Held(self.lab.start(self.tree.nodes[name].base), State())
        self.walk(held, path)
        return held

    def _branch_from(self, name: str, is_own: bool) -> Held | None:
        """A process with the state of a checkpoint; the checkpoint itself for its last entry."""
        with self._changed:
            checkpoint = self._cache.get(name)
            if checkpoint is None:
                return None
            self.tally.restores += 1
            checkpoint.entries -= is_own
            if not checkpoint.entries:
                del self._cache[name]
        with checkpoint.lock:
            if not checkpoint.entries:
                return checkpoint.held
            try:
                return self.fork(checkpoint.held)
            except WorkerLost:
                return None
