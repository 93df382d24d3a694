"""Replay sequences, and the checker that trusts no planner."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rex.errors import RexError
from rex.multiversion.cachespace import CacheSpace
from rex.multiversion.tree import ExecutionTree

COMPUTE, CHECKPOINT, RESTORE, EVICT = "CT", "CP", "RS", "EV"

Op = tuple[str, ...]


class PlanError(RexError):
    """A replay sequence breaks a rule, does not fit the cache, or is incomplete."""


@dataclass(frozen=True)
class ReplaySequence:
    """Steps that visit every version, in order.

    A step is one of
        ("CT", u)     compute cell u on the live state, which must be that of
                      its parent; a root starts from a fresh process;
        ("CP", u)     checkpoint the live state, that of u, into the cache;
        ("RS", u, v)  restore the checkpoint of u and switch to its child v:
                      the next CT is that of v;
        ("EV", u)     evict the checkpoint of u.
    """

    ops: tuple[Op, ...]

    def cost_s(self, tree: ExecutionTree) -> float:
        """Seconds of all the computing in the sequence."""
        return math.fsum(tree.by_id[op[1]].cost_s for op in self.ops if op[0] == COMPUTE)


def without_idle(ops: Sequence[Op]) -> tuple[Op, ...]:
    """The steps without checkpoints that nobody restores before they are evicted."""
    last: dict[str, int] = {}                # cell -> place of its checkpoint, until it is restored
    idle: set[int] = set()
    for place, op in enumerate(ops):
        if op[0] == CHECKPOINT:
            last[op[1]] = place
        elif op[0] == RESTORE:
            last.pop(op[1], None)
        elif op[0] == EVICT and op[1] in last:
            idle |= {last.pop(op[1]), place}
    idle |= set(last.values())
    return tuple(op for place, op in enumerate(ops) if place not in idle)


@dataclass(frozen=True)
class Verdict:
    """What the checker found out about a legal and complete sequence."""

    cost_s: float
    peak_bytes: int
    counts: dict[str, int]


class _Machine:
    """Cache and live state of a replay, refusing every illegal step."""

    def __init__(self, tree: ExecutionTree, budget_bytes: int) -> None:
        self.tree = tree
        self.budget_bytes = budget_bytes
        self.live: str | None = None
        self.next_cell: str | None = None
        self.cache: set[str] = set()
        self.peak_bytes = 0
        nodes = tree.by_id
        self.space = CacheSpace({name: node.parent for name, node in nodes.items()},
                                {name: node.size_bytes for name, node in nodes.items()},
                                {name: node.written_bytes for name, node in nodes.items()})
        self.computed: set[str] = set()

    def compute(self, name: str) -> None:
        parent = self.tree.by_id[name].parent
        _require(parent is None or self.live == parent, f"the live state is {self.live!r}, not {parent!r}")
        _require(self.next_cell in (None, name), f"the switch was to {self.next_cell!r}")
        self.live, self.next_cell = name, None
        self.computed.add(name)

    def checkpoint(self, name: str) -> None:
        _require(self.live == name and self.next_cell is None, f"the live state is {self.live!r}")
        _require(self.tree.by_id[name].size_bytes is not None, "this cell cannot be checkpointed")
        _require(name not in self.cache, "it is in the cache already")
        self.cache.add(name)
        used_bytes = self.space.bytes_of(self.cache)
        self.peak_bytes = max(self.peak_bytes, used_bytes)
        _require(used_bytes <= self.budget_bytes,
                 f"the cache would hold {used_bytes} of {self.budget_bytes} bytes")

    def restore(self, name: str, child: str) -> None:
        _require(name in self.cache, "it is not in the cache")
        _require(child in self.tree.by_id and self.tree.by_id[child].parent == name,
                 f"{child!r} is no child of it")
        _require(self.next_cell is None, "the restored state before it was never used")
        self.live, self.next_cell = name, child

    def evict(self, name: str) -> None:
        _require(name in self.cache, "it is not in the cache")
        self.cache.remove(name)


def _require(condition: bool, why: str) -> None:
    if not condition:
        raise PlanError("illegal step", why)


def check(tree: ExecutionTree, ops: Sequence[Sequence[str]], budget_bytes: int) -> Verdict:
    """Prove that the steps are legal, fit the cache and compute every cell.

    It shares no code with the planners and knows only the rules of
    `ReplaySequence`.

    Raises:
        PlanError: naming the first step that breaks a rule, or a cell that is
            never computed.
    """
    machine = _Machine(tree, budget_bytes)
    steps = {COMPUTE: (machine.compute, 2), CHECKPOINT: (machine.checkpoint, 2),
             RESTORE: (machine.restore, 3), EVICT: (machine.evict, 2)}
    counts = dict.fromkeys(steps, 0)
    costs: list[float] = []
    for place, op in enumerate(ops):
        kind = op[0] if op else ""
        try:
            _require(kind in steps and len(op) == steps[kind][1], "no such operation")
            _require(op[1] in tree.by_id, "no such cell")
            steps[kind][0](*op[1:])
        except PlanError as error:
            raise PlanError(f"illegal step {place} ({' '.join(map(str, op))})", error.why) from None
        counts[kind] += 1
        if kind == COMPUTE:
            costs.append(tree.by_id[op[1]].cost_s)
    lost = [name for name in tree.order if name not in machine.computed]
    if lost:
        raise PlanError("incomplete sequence", f"{len(lost)} cells are never computed, first {lost[0]!r}")
    if machine.next_cell is not None:
        raise PlanError("incomplete sequence", "the last restored state is never used")
    return Verdict(math.fsum(costs), machine.peak_bytes, counts)
