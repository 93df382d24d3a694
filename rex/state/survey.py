"""Group touched variables into co-variables and pickle each, as they are now."""

from __future__ import annotations

import gc
import types
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable

import xxhash

from rex.state.importable import is_importable
from rex.state.kinds import PLAIN
from rex.state.parts import LivePart, PartScanner
from rex.state.versions import Chunk, Version
from rex.state.walk import KINDS, PART_BYTES, Scene, foreign_roots, is_known_module, reach, walk

Group = tuple[str, ...]


@dataclass(slots=True)
class Found:
    """One co-variable as a survey saw it.

    Attributes:
        parts: its parts by the id of their object.
        objects: the objects of the parts, in order; only for the moment.
        failure: why it cannot be pickled, or "".
        fingerprint: equal when nothing of it changed; None when that is not known.
        codes: names in the functions that it reaches.
        roots: packages that its objects come from.
    """

    names: Group
    failure: str = ""
    codes: frozenset[str] = frozenset()
    roots: frozenset[str] = frozenset()
    kinds: frozenset[type] = frozenset()
    fingerprint: tuple[Any, ...] | None = None
    stream: bytes = b""
    engine: str = ""
    live: list[LivePart] = field(default_factory=list)
    objects: list[Any] = field(default_factory=list)
    out_of_band: tuple[tuple[int, bool], ...] = ()

    @property
    def parts(self) -> dict[int, LivePart]:
        """The parts by the id of their object."""
        return {id(value): part for value, part in zip(self.objects, self.live)}

    def as_version(self, node: int, seconds: float) -> Version:
        """The version to keep."""
        if self.failure:
            return Version(self.names, None, node=node, broken=self.failure)
        return Version(self.names, Chunk(self.stream), tuple(p.as_part() for p in self.live),
                       self.out_of_band, self.engine, node, load_s=seconds)


    def take_chunks(self, version: Version, scanner: PartScanner) -> None:
        """Take a version's own chunks for those of objects with the same bytes: they need no memory of their
        own, and a later look tells by them what differs.
        """
        if self.fingerprint is None or version.stream is None or version.stream.digest != self.fingerprint[2]:
            return
        shapes = [[(part.size, len(part.chunks)) for part in parts] for parts in (self.live, version.parts)]
        if shapes[0] != shapes[1]:
            return
        for live, part in zip(self.live, version.parts):
            for mine, its in zip(live.chunks, part.chunks):
                if mine.digest and mine is not its:
                    its.digest = mine.digest
                    scanner.know(its)
            live.chunks = part.chunks
        self.fingerprint = (*self.fingerprint[:3], tuple(part.chunks for part in self.live), self.fingerprint[4])


def is_plain(value: Any) -> bool:
    """Whether a variable's value alone tells that nothing can overlap with it or change it."""
    kind = type(value)
    if kind is str or kind is bytes:
        return len(value) < PART_BYTES
    if kind is types.FunctionType or kind is type:
        return is_importable(value)
    if kind is types.ModuleType:
        return is_known_module(value)
    return KINDS[kind] is PLAIN


class Survey:
    """Walks groups of variables; in the end tells the co-variables that they form."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._walked: dict[Group, Found] = {}

    def add(self, group: Group) -> frozenset[str]:
        """Walk variables that were one co-variable; the names in functions that they reach."""
        walker, failure = walk(self._scene, group)
        if not failure:
            self._walked[group] = found = _found(group, walker)
            return found.codes
        if len(group) > 1:
            return frozenset().union(*[self.add((name,)) for name in group])
        codes = frozenset(reach(self._scene, group[0]) | (walker.codes if walker else set()))
        roots = foreign_roots(walker) if walker else frozenset()
        self._walked[group] = Found(group, failure, codes, roots)
        return codes

    def result(self) -> list[Found]:
        """Every co-variable among the walked variables."""
        components: dict[str, list[Group]] = {}
        pieces: dict[str, set[str]] = {}
        for group in self._walked:
            for name in group:
                leader = self._scene.leader(name)
                pieces.setdefault(leader, set()).add(name)
                groups = components.setdefault(leader, [])
                if group not in groups:
                    groups.append(group)
        return [self._settle(tuple(sorted(names)), components[leader])
                for leader, names in pieces.items()]

    def _settle(self, names: Group, groups: list[Group]) -> Found:
        if groups == [names]:
            return self._walked[names]
        seen = [self._walked[group] for group in groups]
        failure = next((found.failure for found in seen if found.failure), "")
        if not failure:   # it merged or split: its own memo, its own pickle
            walker, failure = walk(self._scene.anew(), names)
            if not failure:
                return _found(names, walker)
        return Found(names, failure, frozenset().union(*[f.codes for f in seen]),
                     frozenset().union(*[f.roots for f in seen]))


def _found(names: Group, walker: Any) -> Found:
    stream = walker.file.getvalue()
    fingerprint = (names, walker.engine, xxhash.xxh3_128_digest(stream),
                   tuple(part.chunks for part in walker.parts), tuple(walker.out_of_band))
    return Found(names, "", frozenset(walker.codes), foreign_roots(walker),
                 frozenset(walker.types), fingerprint, stream, walker.engine, walker.parts,
                 walker.part_objects, tuple(walker.out_of_band))


def survey(scene: Scene, groups: Iterable[Group],
           more: Callable[[frozenset[str]], Iterable[Group]]) -> list[Found]:
    """Walk groups, and those that `more` adds for the names in reached functions."""
    result = Survey(scene)
    queue = list(groups)
    collects = gc.isenabled()
    gc.disable()   # a walk makes many objects, and no garbage until its end
    try:
        while queue:
            codes = result.add(queue.pop())
            if codes:
                queue += more(codes)
        scene.join_overlaps()
        return result.result()
    finally:
        if collects:
            gc.enable()
