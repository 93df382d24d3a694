"""A log as the page shows it: blocks of formatted events, of all or of those that a filter leaves."""

from __future__ import annotations

import array
import bisect
import collections
import itertools
import json
import threading
import zlib
from typing import Iterator

from rex.archive import Experiment
from rex.log import LogReader
from rex.log.choice import Choice, call_name, chosen_events, find_calls
from rex.syscalls.format import format_event
from rex.text import clean
from rex.values import dataclass

BLOCK_ROWS = 200
MAX_EVENTS = 1_000_000    # of one view: more are left to filters, and to `rex log`
_TEXT_CHARS = 600
_KEPT = 6                 # views

Row = tuple[int, int, str, str, str]   # event, task, seconds, call, text


@dataclass(frozen=True)
class Filter:
    """Which events are wanted, as `rex log` takes it: names of calls, a pattern of paths, a task."""

    calls: str = ""
    path: str = ""
    task: int | None = None

    @property
    def is_all(self) -> bool:
        """Whether every event is wanted."""
        return self == Filter()


class LogView:
    """The chosen events of one log. They are formatted as far as somebody has looked, and kept compressed."""

    def __init__(self, experiment: Experiment, wanted: Filter) -> None:
        """Raises UsageError if there is no such call, NotFound if there is no log."""
        choice = Choice(find_calls(tuple(filter(None, [wanted.calls.replace(" ", "")]))), wanted.task, None, wanted.path or None, None)
        self._reader = LogReader(experiment.open_log())
        self._events = chosen_events(self._reader, choice)
        self._is_all = wanted.is_all
        self._lock = threading.Lock()
        self._blocks: list[bytes] = []
        self._numbers = array.array("Q")
        self._is_done = False

    def close(self) -> None:
        """Close the log."""
        with self._lock:
            self._reader.close()

    @property
    def total(self) -> int:
        """Events of the whole log."""
        return self._reader.count

    def count(self) -> int:
        """How many events were chosen; with a filter this reads the log to its end."""
        if self._is_all and self._reader.count:
            return min(self._reader.count, MAX_EVENTS)
        self._read(MAX_EVENTS // BLOCK_ROWS)
        return len(self._numbers)

    def block(self, place: int) -> list[Row]:
        """The rows of a block; none behind the end."""
        self._read(place)
        with self._lock:
            found = self._blocks[place] if place < len(self._blocks) else b""
        rows: list[Row] = json.loads(zlib.decompress(found)) if found else []
        return rows

    def place_of(self, event: int) -> int:
        """The row of an event, or of the next one after it that was chosen."""
        if self._is_all:
            return max(0, min(event, self.count() - 1))
        return max(0, min(bisect.bisect_left(self._numbers, event), self.count() - 1))

    def _read(self, place: int) -> None:
        """Format blocks until there is one at this place, or no more."""
        with self._lock:
            while len(self._blocks) <= place and not self._is_done and len(self._numbers) < MAX_EVENTS:
                rows = list(self._next_rows())
                self._is_done = len(rows) < BLOCK_ROWS
                if rows:
                    self._numbers.extend(row[0] for row in rows)
                    self._blocks.append(zlib.compress(json.dumps(rows).encode(), 1))

    def _next_rows(self) -> Iterator[Row]:
        for number, event in itertools.islice(self._events, BLOCK_ROWS):
            text = clean(format_event(event))
            yield (number, event.task, f"{event.time_ns / 1e9:.6f}" if event.time_ns else "", call_name(event),
                   text if len(text) <= _TEXT_CHARS else text[:_TEXT_CHARS] + "…")


class LogViews:
    """The views that somebody looked at last; safe for several threads."""

    def __init__(self) -> None:
        self._views: collections.OrderedDict[tuple[object, ...], LogView] = collections.OrderedDict()
        self._lock = threading.Lock()

    def view(self, experiment: Experiment, wanted: Filter) -> LogView:
        """The view of these events.

        Raises:
            UsageError: there is no such call.
            NotFound: there is no log.
        """
        key = (experiment.directory, experiment.identity, wanted)
        with self._lock:
            if key not in self._views:
                self._views[key] = LogView(experiment, wanted)
            self._views.move_to_end(key)
            while len(self._views) > _KEPT:
                self._views.popitem(last=False)[1].close()
            return self._views[key]
