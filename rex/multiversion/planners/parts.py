"""A plan as nested parts, and the replay sequence it stands for."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from rex.multiversion.planners.skeleton import Skeleton
from rex.multiversion.sequence import CHECKPOINT, COMPUTE, EVICT, RESTORE, Op, ReplaySequence


@dataclass
class Part:
    """One computation of a node and all that is done with the result.

    `kept` parts, of children, start from the node's checkpoint and leave it in
    the cache; `last` starts from it and evicts it first. A node that is not
    cached has only a `last`, which simply goes on.
    """

    node: int
    is_cached: bool = False
    kept: list["Part"] = field(default_factory=list)
    last: "Part | None" = None


class deep_recursion:
    """Let Python functions call themselves as deep as a tree is high."""

    def __init__(self, height: int) -> None:
        self.limit = 4 * height + 2000

    def __enter__(self) -> None:
        self.before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self.before, self.limit))

    def __exit__(self, *_: object) -> None:
        sys.setrecursionlimit(self.before)


class _Writer:
    """Turns parts into steps; knows the live state, so restores only when needed."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.cells = skeleton.cells
        self.ops: list[Op] = []
        self.live = -1

    def write(self, part: Part, start: int, evicts_start: bool) -> None:
        """Run `part` from the state of `start` (-1: a fresh process)."""
        cells = self.cells[part.node]
        if start >= 0 and self.live != start:
            self.ops.append((RESTORE, self.cells[start][-1], cells[0]))
        if evicts_start:
            self.ops.append((EVICT, self.cells[start][-1]))
        self.ops.extend((COMPUTE, cell) for cell in cells)
        self.live = part.node
        if part.is_cached:
            self.ops.append((CHECKPOINT, cells[-1]))
            for kept in part.kept:
                self.write(kept, part.node, False)
        if part.last is not None:
            self.write(part.last, part.node, part.is_cached)
        elif part.is_cached:
            self.ops.append((EVICT, cells[-1]))


def write_sequence(skeleton: Skeleton, parts: list[Part]) -> ReplaySequence:
    """The steps of parts that each start at a root."""
    writer = _Writer(skeleton)
    with deep_recursion(len(skeleton)):
        for part in parts:
            writer.write(part, -1, False)
    return ReplaySequence(tuple(writer.ops))


def parts_of_cached_set(skeleton: Skeleton, cached: set[int]) -> list[Part]:
    """Visit depth first; each cached node keeps its checkpoint for its whole subtree."""
    parts: list[list[Part]] = [[] for _ in range(len(skeleton))]
    for u in range(len(skeleton) - 1, -1, -1):
        below = [part for child in skeleton.children[u] for part in parts[child]]
        if u in cached:
            parts[u] = [Part(u, True, below)]
        else:
            parts[u] = [Part(u, last=part) for part in below] or [Part(u)]
    return [part for root in skeleton.roots for part in parts[root]]
