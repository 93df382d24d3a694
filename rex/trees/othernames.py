"""Files with several names (hard links): what is written by one name changes what the others lead to."""

from __future__ import annotations

from collections.abc import Iterable

from rex.trees.facts import NAME, SHARED, WRITE, ProcessFacts, Use


class OtherNames:
    """Knows which writes to files with several names there were."""

    def __init__(self, linked: Iterable[str], uses: Iterable[Use], processes: dict[int, ProcessFacts]) -> None:
        """
        Args:
            linked: names of files that had another name when they were opened or changed.
        """
        self._names = {*linked}
        uses = [use for use in uses if use.kind in (WRITE, SHARED)]
        for use in uses:
            kind, _, other = use.value.partition(" ")
            if kind == NAME:
                self._names |= {use.path, other}
        self._writes = [use for use in uses if use.path in self._names and (use.kind == SHARED or not use.value)]
        self._ends = {task: process.ends_at for task, process in processes.items()}

    def may_write(self, path: str, at: int) -> bool:
        """Whether the file at a path may have been written by another name from an event on.

        Who opened it before, and still runs, may write later: that is in no log. Which names lead to one file is not known.
        """
        return path in self._names and any(
            use.path != path and (use.at > at or self._ends[use.process] < 0 or self._ends[use.process] > at) for use in self._writes)
