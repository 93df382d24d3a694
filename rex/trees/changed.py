"""Names that a run has changed so far: whether an open makes a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rex.log.records import Event
from rex.log.uses import CREATE, open_flags
from rex.trees.facts import MOVED, REMOVE

if TYPE_CHECKING:
    from rex.archive import FileEntry


class ChangedNames:
    """Takes changes in the order of the log."""

    def __init__(self) -> None:
        self._paths: set[str] = set()
        self._gone: set[str] = set()

    def take(self, kind: str, path: str, value: str) -> None:
        """The next change; of a use its kind, path and value."""
        self._paths.add(path)
        if value == MOVED:                  # what moves may have any names below it
            self._gone.clear()
        elif kind == REMOVE:
            self._gone.add(path)
        else:
            self._gone.discard(path)

    def has(self, path: str) -> bool:
        """Whether the run has changed it."""
        return path in self._paths

    def is_made_by(self, event: Event, path: str, entry: "FileEntry | None", size: int) -> bool:
        """Whether an open made the file, which was not there: nothing is in it to be read.

        Args:
            entry: of the manifest, which lacks what was there for a while only.
            size: of the file as it was opened, -1 unknown.
        """
        is_changed = path in self._paths
        was_free = path in self._gone if is_changed else not (entry and entry.initial)
        return bool(open_flags(event) & CREATE) and was_free and (size == 0 or entry is not None and not is_changed)
