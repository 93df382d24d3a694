"""Entries of many tasks kept outside of memory: written in the log's order, read task by task."""

from __future__ import annotations

import os
import tempfile
from array import array
from typing import Any, Iterator

# key: digest of what was called on what; data: digest of what it gave; number of the event.
Entry = tuple[int, int, int]

_BUFFERED_NUMBERS = 3 << 18   # of all tasks together: 6 MiB
_ENTRY_BYTES = 24


class Spool:
    """Appends entries per task to one temporary file; memory does not grow with the log."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)
        self._waiting: dict[int, array[int]] = {}
        self._buffered = 0
        self._end = 0
        self._blocks: dict[int, list[tuple[int, int]]] = {}   # offset and bytes, per task

    def add(self, task: int, key: int, data: int, event: int) -> None:
        """Append one entry of a task; key and data are unsigned 64-bit numbers."""
        waiting = self._waiting.get(task)
        if waiting is None:
            waiting = self._waiting[task] = array("Q")
        waiting.extend((key, data, event))
        self._buffered += 3
        if self._buffered >= _BUFFERED_NUMBERS:
            self._write()

    def _write(self) -> None:
        for task, numbers in self._waiting.items():
            data = numbers.tobytes()
            self._file.write(data)
            self._blocks.setdefault(task, []).append((self._end, len(data)))
            self._end += len(data)
        self._waiting.clear()
        self._buffered = 0

    @property
    def counts(self) -> dict[int, int]:
        """Number of entries per task."""
        found = {task: sum(size for _, size in blocks) // _ENTRY_BYTES for task, blocks in self._blocks.items()}
        for task, numbers in self._waiting.items():
            found[task] = found.get(task, 0) + len(numbers) // 3
        return found

    def entries(self, task: int) -> Iterator[Entry]:
        """The entries of a task in order; add nothing meanwhile."""
        fd = self._file.fileno()
        for offset, size in self._blocks.get(task, ()):
            numbers = array("Q")
            numbers.frombytes(os.pread(fd, size, offset))
            yield from zip(numbers[0::3], numbers[1::3], numbers[2::3])
        numbers = self._waiting.get(task, array("Q"))
        yield from zip(numbers[0::3], numbers[1::3], numbers[2::3])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_file": None}

    def adopt(self, filled: "Spool") -> None:
        """Take over what a forked copy of this spool was filled with; the file is the same."""
        self.__dict__.update(filled.__dict__, _file=self._file)

    def close(self) -> None:
        """Remove the file."""
        self._file.close()
