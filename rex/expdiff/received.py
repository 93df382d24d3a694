"""What came from outside, byte by byte, against what came in an earlier experiment."""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, Callable

from rex.errors import Damaged, NotFound, TooNew
from rex.expdiff.arrivals import CALLS_READ, Arrivals, Source
from rex.expdiff.trace import STDIN
from rex.log import LogReader

if TYPE_CHECKING:
    from rex.archive import Experiment
    from rex.archive.store import Store
    from rex.log.records import Event

_HELD_BYTES = 64 << 20        # of the earlier experiment; what came behind them is left to the comparison in the end
_TLS = (b"\x14\x03", b"\x15\x03", b"\x16\x03")     # what is encrypted differs in each run
_BLOCK_BYTES = 1 << 20


@dataclass
class _Earlier:
    """What came through one stream of the earlier experiment: its first bytes, how many in all, and where reads met an end."""

    task: int
    head: bytearray = field(default_factory=bytearray)
    size: int = 0
    ends: set[int] = field(default_factory=set)

    def parts_at(self, at: int, data: bytes) -> tuple[int, str] | None:
        """Where these bytes, or an end, differ from what came then, and how; None: nowhere, or it is unknown."""
        if not data:
            return (at, f"ends after byte {at}, and had more") if at < self.size and at not in self.ends else None
        known = self.head[at:at + len(data)]
        if not data.startswith(known):
            same = next(i for i, (one, two) in enumerate(zip(data, known)) if one != two)
            return at + same, f"differs from byte {at + same + 1} on"
        if at + len(data) > self.size and self.size in self.ends:
            return self.size, f"goes on after byte {self.size}, and ended there"
        return None


@dataclass
class _Now:
    """What has come through one stream so far.

    Attributes:
        candidates: streams of the earlier experiment that brought the same until now.
    """

    source: Source
    candidates: list[_Earlier]
    size: int = 0
    is_skipped: bool = False


def position_of(stdin: int) -> int | None:
    """Where the program will begin to read this plain file; None: it is something else."""
    try:
        return os.lseek(stdin, 0, os.SEEK_CUR) if stat.S_ISREG(os.fstat(stdin).st_mode) else None
    except OSError:
        return None


class Received:
    """Compares what comes with what came. The earlier log is read as soon as something has come."""

    def __init__(self, earlier: "Experiment", store: "Store", cwd: str, differs: Callable[[str], None]) -> None:
        self._experiment, self._store, self._differs = earlier, store, differs
        self._now = Arrivals(cwd, self._compare)
        self._streams: dict[int, _Now] = {}
        self._counts: dict[str, int] = {}
        self._tasks: dict[str, set[int]] = {}
        self._earlier: dict[str, list[_Earlier]] | None = None

    def take(self, number: int, event: "Event") -> None:
        """Look at the next event."""
        self._now.take(number, event)

    def begin(self, stdin: int, at: int) -> None:
        """Compare a plain file on standard input, from this position on: its reads are in no log."""
        earlier = self._known().get(STDIN)
        if not earlier:
            return
        # Of a pipe only what the program read of it is known.
        is_file = "stdin" in self._experiment.manifest.attachments
        seen = 0
        while data := os.pread(stdin, _BLOCK_BYTES if is_file else min(_BLOCK_BYTES, earlier[0].size - seen), at + seen):
            if parted := earlier[0].parts_at(seen, data):
                return self._differs(f"{STDIN} {parted[1]}")
            seen += len(data)
            if seen > len(earlier[0].head):
                return
        if parted := earlier[0].parts_at(seen, b""):
            self._differs(f"{STDIN} {parted[1]}")

    def _known(self) -> dict[str, list[_Earlier]]:
        if self._earlier is None:
            self._earlier = _Reading(self._experiment, self._store).by_name
        return self._earlier

    def _begin(self, source: Source) -> _Now:
        """A stream has brought its first bytes: with which earlier ones is it to be compared?"""
        known = self._known().get(source.name, [])
        tasks = self._tasks.setdefault(source.name, set())
        tasks.add(source.task)
        place = self._counts[source.name] = self._counts.get(source.name, -1) + 1
        # Several tasks that connect to one server do so in any order.
        is_ordered = len(tasks) == 1 and len({each.task for each in known}) < 2
        return _Now(source, known[place:place + 1] if is_ordered else known)

    def _compare(self, stream: int, source: Source, data: bytes, number: int) -> None:
        now = self._streams.get(stream)
        if now is None or now.source is not source:
            now = self._streams[stream] = self._begin(source)
            now.is_skipped = not now.candidates or source.peer is not None and data.startswith(_TLS)
        if now.is_skipped:
            return
        parted = [each.parts_at(now.size, data) for each in now.candidates]
        if all(parted):
            _, what = max(each for each in parted if each)
            now.is_skipped = True
            return self._differs(f"{source.name} {what} (event {number})")
        now.candidates = [each for each, where in zip(now.candidates, parted) if not where]
        now.size += len(data)


class _Reading:
    """What came to the earlier experiment, by the names of the sources, in order."""

    def __init__(self, experiment: "Experiment", store: "Store") -> None:
        self.by_name: dict[str, list[_Earlier]] = {}
        self._streams: dict[int, tuple[Source, _Earlier]] = {}
        self._room = _HELD_BYTES
        manifest = experiment.manifest
        with contextlib.suppress(Damaged, NotFound, TooNew):   # the comparison in the end says so
            if content := manifest.attachments.get("stdin"):
                self._hold_file(store.open(content), manifest.extra.get("record", {}).get("stdin", {}).get("offset", 0))
            arrivals = Arrivals(manifest.cwd, self._take)
            with LogReader(experiment.open_log()) as reader:
                for event in reader.select(CALLS_READ):
                    arrivals.take(0, event)

    def _hold_file(self, file: BinaryIO, at: int) -> None:
        with file:
            while at and (passed := file.read(min(at, _BLOCK_BYTES))):
                at -= len(passed)
            found = self._add(STDIN, 0)
            while found.size == len(found.head) and (data := file.read(_BLOCK_BYTES)):
                self._hold(found, data)
            if found.size == len(found.head):
                self._hold(found, b"")

    def _add(self, name: str, task: int) -> _Earlier:
        made = _Earlier(task)
        self.by_name.setdefault(name, []).append(made)
        return made

    def _take(self, stream: int, source: Source, data: bytes, number: int) -> None:
        known = self._streams.get(stream)
        if known is None or known[0] is not source:
            known = self._streams[stream] = source, self._add(source.name, source.task)
        self._hold(known[1], data)

    def _hold(self, earlier: _Earlier, data: bytes) -> None:
        if not data:
            earlier.ends.add(earlier.size)
        elif len(earlier.head) == earlier.size:
            earlier.head += data[:self._room]
            self._room -= min(len(data), self._room)
        earlier.size += len(data)
