"""Files that a step leaves with a time that was set, or kept from before: not that of a write in its run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rex.trees import looks
from rex.trees.facts import DATED, MOVED, NAME, REMOVE, SET, TIME, WRITE, Use

if TYPE_CHECKING:
    from rex.archive import FileState, Manifest


_MOST_CUT_S = 2               # programs that set times cut them to seconds, or to two as zip does
_MOST_DELAY_S = 60          # between the start that the manifest has and that of the program, from which its duration counts


def end_ns(manifest: "Manifest") -> int:
    """When a run had ended for sure."""
    return manifest.start_ns + int((manifest.duration_s + _MOST_DELAY_S) * 1e9)


def is_of_run(mtime_ns: int, manifest: "Manifest") -> bool:
    """Whether a time is within a run."""
    return looks.is_within(mtime_ns, manifest.start_ns, end_ns(manifest))


class Times:
    """Where the times come from that files have after a step.

    The log tells that a program set a time, not which one: that is known of what stays, and an input is the time of every file that
    the step opened, as one of these may be what it set. A file that is only moved, or got another mode, keeps its own time.
    """

    def __init__(self, uses: Iterable[Use], manifest: "Manifest") -> None:
        """uses: of the step, in their order."""
        self._manifest = manifest
        self._set: set[str] = set()
        self._origins: dict[str, str] = {}        # by path: the path whose time was given, "" if the step has made or cut the file
        self._given: dict[str, str] = {}          # by path: the answer
        self._inputs: set[str] = set()
        self._recent: set[str] = set()
        self._has_set = False
        self._moved: tuple[str | None, bool] | None = None          # of what gets its new name next
        for use in uses:
            if use.kind == DATED:
                self._look(use)
            elif use.kind == REMOVE:
                self._remove(use)
            elif use.kind == WRITE:
                self._write(use)

    def _look(self, use: Use) -> None:
        if use.path not in self._origins:
            self._origins[use.path] = use.path
            self._given.setdefault(use.path, use.value)

    def _remove(self, use: Use) -> None:
        origin = self._origins.pop(use.path, None)
        self._moved = (origin, use.path in self._set) if use.value == MOVED else None
        self._set.discard(use.path)

    def _write(self, use: Use) -> None:
        kind, _, other = use.value.partition(" ")
        if use.value == SET:
            self._set.add(use.path)
        elif self._moved:
            self._take(use.path, *self._moved)
            self._moved = None
        elif kind == NAME:
            self._take(use.path, self._origins.get(other), other in self._set)
        elif use.value == TIME:
            self._take(use.path, "", False)
        else:
            self._origins.setdefault(use.path, "")

    def _take(self, path: str, origin: str | None, is_set: bool) -> None:
        self._set.discard(path)
        self._origins.pop(path, None)
        if is_set:
            self._set.add(path)
        if origin is not None:
            self._origins[path] = origin

    def of(self, path: str, final: "FileState", is_set_later: bool) -> int | None:
        """The time that a file that the step left is to get, 0: that of a write; None: nobody knows.

        Args:
            is_set_later: others have set it afterwards.
        """
        is_set, origin = path in self._set, self._origins.get(path)
        if final.type == "dir" and not is_set:
            return 0
        if is_set_later:
            return None if is_set or origin else 0
        if is_of_run(final.mtime_ns + is_set * _MOST_CUT_S * 10**9, self._manifest):
            if origin and (not self._given[origin] or looks.has_time(self._given[origin], final.mtime_ns)):
                self._recent.add(origin)
            return None if is_set else 0
        if origin is None or not (origin or is_set) or origin and not self._given[origin]:
            return None
        self._has_set |= is_set
        self._inputs.add(origin)
        return final.mtime_ns

    def input_at(self, path: str, answer: str) -> str:
        """What counts of the time of a file that the step opened or moved; "": nothing. `of` has been asked before about all that it left."""
        return answer if self._has_set or path in self._inputs else looks.OF_THE_RUN if path in self._recent else ""
