"""Keep a session's archive below a size: give up bytes of states that no current branch needs."""

from __future__ import annotations

from collections import Counter
from typing import Callable

from rex.archive import Archive, Recording
from rex.archive.gc import collect_alone
from rex.errors import RexError
from rex.notebook.graph import Graph
from rex.state import History, Store, Version
from rex.types import format_size

_TARGET = 0.9    # of the limit, once it was passed: not to come back after each cell


def candidates(history: History, graph: Graph) -> list[Version]:
    """Versions that may be given up, in order: nodes that no name reaches, oldest first, then
    other branches, then what tags hold; nothing that a state of the current branch needs.
    """
    current = set(graph.path(graph.head))
    if graph.branch in graph.branches:
        current |= set(graph.path(graph.branches[graph.branch]))
    named = {node for head in graph.branches.values() for node in graph.path(head)}
    tagged = {node for head in graph.tags.values() for node in graph.path(head)}
    needed = {version for node in current for version in history.deltas[node].versions}
    others = sorted(history.deltas.keys() - current,
                    key=lambda node: (node in tagged, node in named, node))
    found = dict.fromkeys(version for node in others for version in history.deltas[node].versions
                          if version not in needed and not version.why_not)
    return list(found)


class Bound:
    """Watches what a session has stored."""

    def __init__(self, limit_bytes: int, archive: Archive, recording: Recording,
                 store: Store) -> None:
        self._limit, self._archive, self._recording, self._store = \
            limit_bytes, archive, recording, store
        self._looked_at = 0
        self.is_over = False   # all that may go is gone, and it is still too large

    def look(self, history: History, graph: Graph, tell: Callable[[str], None]) -> None:
        """Make room if the limit is passed; the work is done in the store's thread."""
        stored = self._recording.stored_bytes
        if stored - self._looked_at < self._limit * (1 - _TARGET) / 2 or stored < self._limit:
            return
        self._looked_at = stored
        versions = candidates(history, graph)
        everything = [version for delta in history.deltas.values() for version in delta.versions]
        self._store.between(lambda: self._make_room(versions, everything, tell))

    def _make_room(self, versions: list[Version], everything: list[Version],
                   tell: Callable[[str], None]) -> None:
        try:
            cost = self._costs()
            names = {version: {digest.hex() for chunk in version.chunks() if chunk.content
                               for digest in self._archive.store.reach(chunk.content)}
                     for version in dict.fromkeys(everything)}
            users = Counter(name for found in names.values() for name in found)
            size = sum(cost.get(name, 0.0) for name in users)
            gone = []
            for version in versions:
                if size <= self._limit * _TARGET:
                    break
                gone.append(version)
                for name in names.get(version, ()):
                    users[name] -= 1
                    if not users[name]:
                        size -= cost.get(name, 0.0)
            if gone:
                why = f"its bytes were given up to stay below {format_size(self._limit)}"
                self._store.drop_now(gone, why)
                self._collect()
            if size > self._limit and not self.is_over:
                self.is_over = True
                tell(f"the current branch alone takes {format_size(int(size))}, "
                     f"more than --max-size {format_size(self._limit)}")
        except (RexError, OSError) as error:
            tell(f"cannot make room: {error}")

    def _costs(self) -> dict[str, float]:
        """Stored bytes of each object, by name."""
        found: dict[str, float] = {}
        for pack in self._archive.store.packs():
            for digest, place in pack.places.items():
                _, stored, raw = pack.frames[place.frame]
                found[digest.hex()] = place.length * stored / raw if raw else 0.0
        return found

    def _collect(self) -> None:
        with self._recording.alone() as is_alone:
            if is_alone:   # otherwise somebody records; the next `rex gc` does it
                collect_alone(self._archive)
