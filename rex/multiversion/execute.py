"""Replays all versions of a tree by a plan: computes, forks, switches, evicts."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rex.multiversion.merge import VersionTree
from rex.multiversion.worker_protocol import Orders, State
from rex.multiversion.sequence import CHECKPOINT, COMPUTE, EVICT, RESTORE, Op
from rex.multiversion.worker import Refusal, Worker, WorkerLost

MEASURE_S = 0.2
_TRIES = 3


class Lab(Protocol):
    """Where processes come from."""

    def start(self, base: str) -> Worker:
        """A fresh process before the first cell, on the apparatus of the versions with this base."""

    def branch(self, worker: Worker) -> str:
        """A new place for a branch's files, with a copy of those that the worker has."""

    def discard(self, directory: str) -> None:
        """Nobody needs a branch's files any more."""

    def keep(self, worker: Worker, versions: list[str]) -> None:
        """The process has ended: its files are what these versions wrote."""


class Watch(Protocol):
    """Gets a call for each thing that happens, while it happens."""

    def begins(self, node: str) -> None:
        """A cell starts."""
    def ends(self, node: str, seconds: float, is_again: bool) -> None:
        """A cell has ended after some seconds; is_again: it was computed again."""
    def cached(self, bytes_used: int, count: int) -> None:
        """The bytes that checkpoints take, and how many there are."""
    def finished(self, versions: list[str]) -> None:
        """These versions are complete."""


class Silence:
    """Watches and tells nobody."""

    def begins(self, node: str) -> None:
        """Ignore it."""

    def ends(self, node: str, seconds: float, is_again: bool) -> None:
        """Ignore it."""

    def cached(self, bytes_used: int, count: int) -> None:
        """Ignore it."""

    def finished(self, versions: list[str]) -> None:
        """Ignore it."""


@dataclass
class Held:
    """A process and what its state is."""

    worker: Worker
    state: State


@dataclass
class Tally:
    """What a replay did, and what it came to.

    Attributes:
        results: what each node's cell showed and took.
        failed: nodes whose cells could not be run to their end, and why.
        notes: what the user should know, each once.
        compute_s: seconds in cells; cpu_s: processor time in them; recomputed_s: those of cells that had been run before.
        peak_bytes: the most that checkpoints took together, by the kernel's account.
    """

    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    compute_s: float = 0.0
    cpu_s: float = 0.0
    recomputed_s: float = 0.0
    peak_bytes: int = 0
    checkpoints: int = 0
    restores: int = 0

    def note(self, text: str) -> None:
        """Keep a text for the summary, once."""
        if text not in self.notes:
            self.notes.append(text)


class Runner:
    """What sequential and parallel replays have in common: reaching a node, and running it."""

    def __init__(self, tree: VersionTree, orders: Orders, lab: Lab, watch: Watch) -> None:
        self.tree = tree
        self.orders = orders
        self.lab = lab
        self.watch = watch
        self.tally = Tally()
        self.guard = threading.Lock()

    def compute(self, held: Held, name: str, is_again: bool) -> None:
        """Run a node's cell on a process at its parent.

        Raises:
            WorkerLost: the process did not survive it.
        """
        node = self.tree.nodes[name]
        order = self.orders.make(node, held.state)
        self.watch.begins(name)
        result = held.worker.run_cell(order)
        held.state.written.update(result.get("written", ()))
        seconds = result["seconds"]
        with self.guard:
            self.tally.compute_s += seconds
            self.tally.cpu_s += result.get("cpu_seconds", 0.0)
            if is_again:
                self.tally.recomputed_s += seconds
            else:
                self.tally.results[name] = result
        if result["how"] == "error" and self.tree.children(name) and not node.cell.may_raise:
            self.tally.failed[name] = "it raises, and did not when it was recorded"
        self.watch.ends(name, seconds, is_again)

    def walk(self, held: Held, path: Sequence[str]) -> None:
        """Take a process down a path of nodes that were run before."""
        for name in path:
            self.compute(held, name, name in self.tally.results)

    def is_lost(self, name: str) -> bool:
        """Whether a node at or above this one cannot be run."""
        return any(each in self.tally.failed for each in self.tree.path(name))

    def fork(self, held: Held) -> Held | None:
        """Another process with the same state; None if there can be none, which is noted.

        Raises:
            WorkerLost: the process itself is gone.
        """
        directory = self.lab.branch(held.worker)
        found = held.worker.fork(directory)
        if isinstance(found, Refusal):
            self.tally.note(f"cell {held.state.node} was no checkpoint: {found.reason}")
            self.lab.discard(directory)
            return None
        return Held(found, held.state.copy())

    def drop(self, held: Held) -> None:
        """Be rid of a process and its files."""
        held.worker.drop()
        self.lab.discard(held.worker.directory)

    def end(self, held: Held, name: str) -> None:
        """Let the process of a version's last cell end; its files are kept."""
        versions = self.tree.versions_at(name)
        held.worker.finish()
        self.lab.keep(held.worker, versions)
        self.watch.finished(versions)


class Replayer(Runner):
    """Follows a replay sequence with one live process.

    Reality wins over the plan: a checkpoint that could not be taken, was lost, or is
    evicted because memory is really used up, costs a recomputation.
    """

    def __init__(self, tree: VersionTree, orders: Orders, lab: Lab, watch: Watch, budget_bytes: int) -> None:
        super().__init__(tree, orders, lab, watch)
        self._budget_bytes = budget_bytes
        self._cache: dict[str, Held] = {}
        self._live: Held | None = None
        self._ops: list[Op] = []
        self._measured = 0.0

    def run(self, ops: Sequence[Op]) -> Tally:
        """Follow the steps, all of them."""
        self._ops = list(ops)
        steps = {COMPUTE: self._compute, CHECKPOINT: self._checkpoint, RESTORE: self._restore, EVICT: self._evict}
        try:
            while self._ops:
                op = self._ops.pop(0)
                if not self.is_lost(op[1]):
                    steps[op[0]](*op[1:])
        finally:
            self._drop_live()
            for name in list(self._cache):
                self._evict(name)
        return self.tally

    # -------------------------------------------------------------- steps

    def _compute(self, name: str) -> None:
        parent = self.tree.nodes[name].parent
        for attempt in range(_TRIES):
            if attempt and attempt + 1 == _TRIES:
                self._make_room(name)
            try:
                held = self._reach(parent, self.tree.nodes[name].base)
                self.compute(held, name, name in self.tally.results)
                break
            except WorkerLost as error:
                self._lose_live()
                if attempt + 1 == _TRIES:
                    self.tally.failed[name] = error.why or error.what
                    return
                self.tally.note(f"cell {name}: {error.what} ({error.why}); it is computed again")
        self._enforce(is_due=False)
        if self.tree.versions_at(name):
            self._end(name)

    def _make_room(self, name: str) -> None:
        """It may have been memory that a cell died of: give up all checkpoints but the one that it starts from."""
        path = self.tree.path(name)
        start = next((each for each in reversed(path) if each in self._cache), None)
        for each in [each for each in self._cache if each != start]:
            self._evict(each)

    def _end(self, name: str) -> None:
        """A version ends here; if others go on from here, it ends in a fork."""
        assert self._live
        if not self.tree.children(name):
            self.end(self._live, name)
            self._live = None
            return
        branch = self._fork(self._live)
        if branch:
            self.end(branch, name)
        else:                                # the others will find their way again
            self.end(self._live, name)
            self._live = None

    def _checkpoint(self, name: str) -> None:
        if not any(op[0] == RESTORE and op[1] == name for op in self._ops):
            return                           # nobody comes back for it
        if not self._live or self._live.state.node != name:
            return
        held = self._fork(self._live)
        if held:
            self._cache[name] = held
            self.tally.checkpoints += 1
            self._enforce(is_due=True)

    def _fork(self, held: Held) -> Held | None:
        try:
            return self.fork(held)
        except WorkerLost as error:
            self.tally.note(f"cell {held.state.node}: {error.what}")
            if held is self._live:
                self._lose_live()
            return None

    def _restore(self, name: str, _child: str) -> None:
        self._drop_live()
        held = self._cache.get(name)
        if held is None:
            return                           # the next step computes it again
        self.tally.restores += 1
        if not any(op[0] == RESTORE and op[1] == name for op in self._ops):
            self._live = self._cache.pop(name)     # nobody else needs it
            return
        self._live = self._fork(held)
        if self._live is None:
            self._evict(name)

    def _evict(self, name: str) -> None:
        held = self._cache.pop(name, None)
        if held:
            self.drop(held)

    # -------------------------------------------------------------- states

    def _reach(self, node: str | None, base: str) -> Held:
        """The live process at a node; if it is elsewhere, from the nearest state that is there."""
        if self._live and self._live.state.node == node:
            return self._live
        self._drop_live()
        path = self.tree.path(node) if node else []
        known = next((at for at in range(len(path), 0, -1) if path[at - 1] in self._cache), 0)
        held = self._fork(self._cache[path[known - 1]]) if known else None
        if held is None:
            known, held = 0, Held(self.lab.start(base), State())
        self._live = held
        self.walk(held, path[known:])
        return held

    def _drop_live(self) -> None:
        if self._live:
            self.drop(self._live)
            self._live = None

    def _lose_live(self) -> None:
        if self._live:
            self._live.worker.kill()
            self._live = None

    def _enforce(self, is_due: bool) -> None:
        """Hold the checkpoints to the budget, by the kernel's account."""
        if not self._cache or (not is_due and time.monotonic() - self._measured < MEASURE_S):
            return
        sizes = {name: held.worker.memory_bytes() for name, held in self._cache.items()}
        while sum(sizes.values()) > self._budget_bytes:
            last = max(sizes, key=self._next_use)
            self._evict(last)
            del sizes[last]
            self.tally.note(f"the checkpoint of cell {last} had grown too large, and was given up")
        self._measured = time.monotonic()
        self.tally.peak_bytes = max(self.tally.peak_bytes, sum(sizes.values()))
        self.watch.cached(sum(sizes.values()), len(sizes))

    def _next_use(self, name: str) -> int:
        return next((at for at, op in enumerate(self._ops) if op[0] == RESTORE and op[1] == name), len(self._ops))
