"""How much memory checkpoints take together when they share pages with each other.

A checkpoint is a fork: beside that of an ancestor it takes only the pages that the cells between
the two have written. Source: the extension of CHEX (PVLDB 15(6), 2022) that its authors leave open.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping
from typing import Generic, TypeVar

Name = TypeVar("Name", bound=Hashable)


class CacheSpace(Generic[Name]):
    """Bytes that the pages of a set of checkpoints come to at most.

    Each node is charged its size or, if that is less, what was written since the nearest ancestor
    that is charged as well. Where two checkpoints part, the state in which they do may be charged
    for them, whether it is in the cache or not: its pages are what they have in common. So giving
    up a checkpoint never costs memory.

    Args:
        sizes: bytes of a checkpoint; None where there can be none.
        written: bytes that a node's cell writes; None where nobody knows: all of them.
    """

    def __init__(self, parents: Mapping[Name, Name | None], sizes: Mapping[Name, int | None],
                 written: Mapping[Name, int | None]) -> None:
        self._parents = parents
        self._sizes = sizes
        self._written = written
        self._is_plain = all(value is None for value in written.values())

    def bytes_of(self, cached: Collection[Name]) -> int:
        """What these checkpoints take together."""
        if self._is_plain:
            return sum(self._sizes[name] or 0 for name in cached)
        below, tops = self._find_forks(cached)
        memo: dict[tuple[Name, float], float] = {}
        total = sum(self._charge(top, math.inf, cached, below, memo) for top in tops)
        return int(max([total, *(self._sizes[name] or 0 for name in cached)]))

    def _find_forks(self, cached: Collection[Name]) -> tuple[dict[Name, list[tuple[Name, float]]], list[Name]]:
        """The cached nodes and those where they part: for each those below it, with the bytes written on the way."""
        children: dict[Name, set[Name]] = {}
        tops = set()
        for name in cached:
            at, parent = name, self._parents[name]
            while parent is not None and at not in children.setdefault(parent, set()):
                children[parent].add(at)
                at, parent = parent, self._parents[parent]
            if parent is None:
                tops.add(at)
        kept = {name for name, below in children.items() if len(below) > 1} | set(cached)
        found = {name: [self._go_down(child, children, kept) for child in children.get(name, ())] for name in kept}
        return found, [self._go_down(top, children, kept)[0] for top in tops]

    def _go_down(self, at: Name, children: dict[Name, set[Name]], kept: set[Name]) -> tuple[Name, float]:
        written = 0.0
        while True:
            own = self._written[at]
            written += math.inf if own is None else own
            if at in kept:
                return at, written
            at = next(iter(children[at]))

    def _charge(self, name: Name, since: float, cached: Collection[Name],
                below: dict[Name, list[tuple[Name, float]]], memo: dict[tuple[Name, float], float]) -> float:
        """Bytes of all at and below a node; `since` were written since the ancestor that is charged."""
        known = memo.get((name, since))
        if known is not None:
            return known
        size = self._sizes[name]
        found = math.inf
        if size is not None:
            found = min(size, since) + sum(self._charge(child, written, cached, below, memo)
                                           for child, written in below[name])
        if name not in cached:
            found = min(found, sum(self._charge(child, since + written, cached, below, memo)
                                   for child, written in below[name]))
        memo[name, since] = found
        return found
