"""A budget of bytes: older checkpoints make room for newer ones, evenly; the last always stays."""

from __future__ import annotations

from typing import Iterable

from rex.archive import Archive, Content, Recording
from rex.hindsight.capture.tables import read_table
from rex.hindsight.trace.records import Checkpoint
from rex.state.versions import CHUNK_BYTES

_TARGET = 0.5    # of the budget, once it is used up: not to come back at each checkpoint
_WASTE = 0.5     # of a pack before it is rewritten: most packs hold one checkpoint
Objects = dict[bytes, int]


def thin(states: list[Checkpoint]) -> list[Checkpoint]:
    """Every second state of each border of the source, the newest of each and of the complete ones among them."""
    kinds: dict[str, list[Checkpoint]] = {}
    for state in states:
        kinds.setdefault(kind_of(state.position), []).append(state)
    kept = {state.number for found in kinds.values() for state in found[::-1][::2]}
    kept.update(state.number for state in [s for s in states if not s.why_not][-1:])
    return [state for state in states if state.number in kept]


def kind_of(position: str) -> str:
    """The border of the source that a position belongs to."""
    last = position.rpartition("/")[2]
    return last.partition(":")[0].rpartition(".")[0] + ":" if ":" in last else last.rpartition(".")[0] + "!"


def objects_of(size_bytes: int, places: list[bytes]) -> Objects:
    """The objects that hold a buffer's chunks, with their sizes."""
    return {place: min(CHUNK_BYTES, size_bytes - index * CHUNK_BYTES) for index, place in enumerate(places) if place}


class Thinner:
    """Watches what a run has stored, and chooses what it gives up."""

    def __init__(self, archive: Archive, recording: Recording, budget_bytes: int) -> None:
        self._archive, self._recording, self._budget = archive, recording, budget_bytes
        self._less = 0      # bytes that were written and are gone

    @property
    def live_bytes(self) -> int:
        """What the run takes of the archive."""
        return self._recording.stored_bytes - self._less

    @property
    def batch_bytes(self) -> int:
        """What may be stored together."""
        return self._budget // 4

    def is_full(self, coming_bytes: int) -> bool:
        """Whether so many bytes more would be too many."""
        return self.live_bytes + coming_bytes > self._budget

    def choose(self, states: list[Checkpoint], pinned: list[Checkpoint], coming: Objects, coming_bytes: int
               ) -> tuple[list[Checkpoint], Objects]:
        """The states to keep, and the size of each object that is needed then.

        Args:
            pinned: what is kept in any case.
            coming: objects of what is about to be stored, which takes so many bytes more at most.
        Raises:
            Damaged: a table cannot be read.
        """
        cost = self._costs()
        objects = {state.number: self._objects(state) for state in states}
        always = [self._objects(state) for state in pinned]
        while True:
            needed = dict(coming)
            for found in (*always, *(objects[state.number] for state in states)):
                needed |= found
            size = sum(cost.get(name, 0.0) for name in needed)
            fewer = thin(states)
            if size <= self._budget * _TARGET - coming_bytes or len(fewer) == len(states):
                self._less = self._recording.stored_bytes - round(size)
                return states, needed
            states = fewer

    def _objects(self, state: Checkpoint) -> Objects:
        found: Objects = {}
        for content in (state.structure, state.table):
            found |= dict.fromkeys(self._archive.store.reach(content), 0)
        for size_bytes, places, _ in read_table(self._archive, state.table).values():
            found |= objects_of(size_bytes, places)
        return found

    def _costs(self) -> dict[bytes, float]:
        """Stored bytes of each object."""
        found: dict[bytes, float] = {}
        for pack in self._archive.store.packs():
            for digest, place in pack.places.items():
                _, stored, raw = pack.frames[place.frame]
                found[digest] = place.length * stored / raw if raw else 0.0
        return found

    def not_within(self, contents: Iterable[Content], needed: Objects) -> list[Content]:
        """The needed memory that these contents do not hold, each object as a content."""
        held = {digest for content in contents for digest in self._archive.store.reach(content)}
        return [Content(digest.hex(), size) for digest, size in needed.items() if size and digest not in held]

    def collect(self) -> None:
        """Give back what nobody needs; while others record into the archive that waits for `rex gc`."""
        from rex.archive.gc import collect_alone   # takes a while, and few runs have a budget
        with self._recording.alone() as is_alone:
            if is_alone:   # one thread: the training has the others
                collect_alone(self._archive, _WASTE, has_threads=False)
