"""Who needs whom among the steps of a recording, file by file and version by version."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from rex.log.uses import MOVED, READ, REMOVE, REMOVE_DIRECTORY, WRITE
from rex.workflow.recorded import BORN, Recorded, Use
from rex.workflow.steps import Steps

Needs = dict[int, dict[int, set[str]]]      # unit -> units that it needs -> files that it reads of those


@dataclass
class Version:
    """A path as one unit left it."""

    unit: int
    size_bytes: int = -1
    readers: set[int] = field(default_factory=set)


class Links:
    """Who needs whom. Units are sets of steps by their least root, and stretches of the frame by
    negative numbers: -1 is the first; one ends where the frame needs something of a step."""

    def __init__(self, recorded: Recorded, steps: Steps) -> None:
        self._steps = steps
        self.needs: Needs = {-1: {}}
        self.begins_s = {-1: 0.0}
        self.stretch = -1
        self._frame_has: set[int] = set()
        self.versions: dict[str, list[Version]] = {}
        self._initial = [path for path, entry in recorded.manifest.files.items() if entry.initial and entry.is_changed]
        for root in steps.roots():
            self.needs.setdefault(steps.sets.find(root), {})
        for use in recorded.uses:
            self._take(use)

    def _take(self, use: Use) -> None:
        unit = self._steps.unit(use.process)
        if use.kind == BORN:
            if unit is not None and self._steps.root_of[use.process] == use.process:
                self._need(unit, self.stretch)
        elif use.kind == READ:
            self._read(unit, use)
        elif use.kind in (WRITE, REMOVE, REMOVE_DIRECTORY):
            self._write(unit, use.path, -1)
        elif use.kind == MOVED:
            self._move(unit, use)
        else:
            self._read(unit, use)
            self._write(unit, use.path, use.size_bytes)

    def _need(self, unit: int, other: int, path: str = "") -> None:
        if unit != other:
            paths = self.needs[unit].setdefault(other, set())
            if path:
                paths.add(path)

    def _read(self, unit: int | None, use: Use) -> None:
        versions = self.versions.get(use.path)
        if not versions:
            return
        version = versions[-1]
        if unit is None and version.unit >= 0 and version.unit not in self._frame_has:
            self._extend_frame(version.unit, use)
        reader = self.stretch if unit is None else unit
        if reader != version.unit and not (reader < 0 and version.unit < 0):
            version.readers.add(reader)
            if use.size_bytes >= 0:
                version.size_bytes = use.size_bytes
            self._need(reader, version.unit, use.path)

    def _extend_frame(self, writer: int, use: Use) -> None:
        self._frame_has.add(writer)
        last, self.stretch = self.stretch, self.stretch - 1
        self.needs[self.stretch] = {last: set(), writer: {use.path}}
        self.begins_s[self.stretch] = use.time_s

    def _write(self, unit: int | None, path: str, size_bytes: int) -> None:
        writer = self.stretch if unit is None else unit
        versions = self.versions.setdefault(path, [])
        if not versions or versions[-1].unit != writer:
            versions.append(Version(writer, size_bytes))

    def _move(self, unit: int | None, use: Use) -> None:
        """Away from here, with all that lies below a directory."""
        below = use.path + "/"
        for path in {path for known in (self.versions, self._initial) for path in known if path.startswith(below)}:
            self._read(unit, Use(use.time_s, use.process, READ, path))
            self._write(unit, path, -1)
            self._write(unit, use.target + path[len(use.path):], -1)
        self._write(unit, use.path, -1)

    def merge_cycles(self) -> set[int]:
        """Make steps on a cycle one; roots of those that are on one with the frame are returned,
        and nothing is merged then."""
        groups = [group for group in components(self.needs) if len(group) > 1]
        attached = {unit for group in groups if min(group) < 0 for unit in group if unit >= 0}
        if attached:
            return {root for root in self._steps.roots() if self._steps.sets.find(root) in attached}
        for group in groups:
            for unit in group[1:]:
                self._steps.sets.join(group[0], unit)
        self.rename({unit: self._steps.sets.find(unit) for unit in self.needs if unit >= 0})
        return set()

    def rename(self, names: dict[int, int]) -> None:
        """Give units other names; those that get the same are one."""
        needs: Needs = {}
        for unit, others in self.needs.items():
            mine = needs.setdefault(names.get(unit, unit), {})
            for other, paths in others.items():
                other = names.get(other, other)
                if other != names.get(unit, unit):
                    mine.setdefault(other, set()).update(paths)
        self.needs = needs
        for versions in self.versions.values():
            for version in versions:
                version.unit = names.get(version.unit, version.unit)
                version.readers = {names.get(reader, reader) for reader in version.readers} - {version.unit}


def components(needs: Needs) -> list[list[int]]:
    """Strongly connected parts. Source: Tarjan, SIAM J. Comput. 1(2), 1972; without recursion."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    for start in needs:
        work = [] if start in index else [(start, iter(needs[start]))]
        while work:
            unit, others = work[-1]
            if unit not in index:
                index[unit] = low[unit] = len(index)
                stack.append(unit)
                on_stack.add(unit)
            for other in others:
                if other not in index:
                    work.append((other, iter(needs[other])))
                    break
                if other in on_stack:
                    low[unit] = min(low[unit], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[unit])
                if low[unit] == index[unit]:
                    found.append(_pop_until(stack, on_stack, unit))
    return found


def _pop_until(stack: list[int], on_stack: set[int], unit: int) -> list[int]:
    group = []
    while not group or group[-1] != unit:
        group.append(stack.pop())
        on_stack.discard(group[-1])
    return sorted(group)


def order_units(needs: Needs, begins_s: dict[int, float]) -> list[int]:
    """Units so that each comes after what it needs; of several, the first to begin."""
    waiting = {unit: len(others) for unit, others in needs.items()}
    readers: dict[int, list[int]] = {unit: [] for unit in needs}
    for unit, others in needs.items():
        for other in others:
            readers[other].append(unit)
    ready = [(begins_s[unit], unit) for unit, count in waiting.items() if not count]
    heapq.heapify(ready)
    order = []
    while ready:
        _, unit = heapq.heappop(ready)
        order.append(unit)
        for reader in readers[unit]:
            waiting[reader] -= 1
            if not waiting[reader]:
                heapq.heappush(ready, (begins_s[reader], reader))
    return order
