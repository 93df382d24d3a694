"""Keep states in an archive: objects and one line per cell, written in the background."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from collections import deque
from typing import Any, Callable, Iterable

from rex.archive import Archive, Content, Experiment, Recording, append_whole
from rex.errors import RexError
from rex.state import records
from rex.state.spill import Spill
from rex.state.versions import Chunk, Delta, History, Version
from rex.values import dataclass

# Stored chunks that stay in memory, for undo; and what may wait to be stored.
RECENT_BYTES, PENDING_BYTES = 256 << 20, 2 << 30
_DOUBTS_KEPT = 1000
_MAX_UNSYNCED, _PAUSE_S = 64, 0.1   # writes that wait for the disk, and for how long
_AGAIN_S = 3.0                      # after a write that failed


Put = Callable[[bytes], Content]
MakeFacts = Callable[[Put], dict[str, Any]]


@dataclass(slots=True, eq=False)
class _Entry:
    """One line to write: of a delta, or a note; `size` is what it holds in memory until then.

    One with an action stands alone, and writes nothing.
    """

    delta: Delta | None = None
    facts: MakeFacts | None = None
    size: int = 0
    dropped: tuple[Version, ...] = ()
    why: str = ""
    action: Callable[[], None] | None = None
    draft: MakeFacts | None = None
    is_written: bool = False


class Store:
    """Writes deltas into an experiment that is being recorded.

    The caller pays for handing them over only, unless more than PENDING_BYTES wait.
    While a store is open, nobody else may flush the recording. What cannot be written, on a full
    disk, stays in memory and is tried again with what follows.

    Attributes:
        problem: why the last deltas are in memory only; None while all is well.
    """

    def __init__(self, archive: Archive, recording: Recording,
                 after_write: Callable[[], None] | None = None) -> None:
        """Begin to write.

        Args:
            after_write: called in the store's thread whenever the log has grown.
        """
        self._archive, self._recording = archive, recording
        self._after_write = after_write
        self._log = open(recording.log_path, "ab", buffering=0)
        self._numbers: dict[Version, int] = {}
        self._watched: deque[tuple[int, Version]] = deque(maxlen=_DOUBTS_KEPT)
        self._recent: deque[Chunk] = deque()
        self._recent_bytes = 0
        self._contents: dict[str, Content] = {}
        self._fresh: list[Content] = []
        self._pinned: set[str] = set()   # of facts, which are never dropped
        self._queue: queue.Queue[list[_Entry] | None] = queue.Queue()
        self._pending_bytes = self._unwritten = self._unsynced = 0
        self._bare: deque[_Entry] = deque()   # neither written nor spilled, in order, or written meanwhile
        self._spill = Spill(recording.directory)
        self._room = threading.Condition()
        self.problem: BaseException | None = None
        self._backlog: list[_Entry] = []
        self._again_s = 0.0
        self._failure: BaseException | None = None   # of anything else
        self._thread = threading.Thread(target=self._work, name="rex-state", daemon=True)
        self._thread.start()
        if self._thread.ident is not None:
            _own_threads().add(self._thread.ident)

    def save(self, delta: Delta, facts: MakeFacts | None = None, draft: MakeFacts | None = None) -> None:
        """Hand a delta over; `wait` tells when it is durable.

        Args:
            facts: makes what is kept as the delta's facts, later and in another
                thread; it may store bytes, and refer to them by `Content.to_json`.
            draft: as facts, for `spill`: without a lasting effect, and quick.
        """
        size = sum(chunk.size_bytes for version in delta.versions for chunk in version.chunks()
                   if chunk.content is None)
        with self._room:
            self._room.wait_for(lambda: self._pending_bytes < PENDING_BYTES or self.problem is not None)
            self._pending_bytes += size
        self._hand_over([_Entry(delta, facts, size, draft=draft)])

    def note(self, facts: dict[str, Any]) -> None:
        """Keep something that belongs to no cell; `load_history` gives it back in `notes`."""
        self._hand_over([_Entry(None, lambda put: facts)])

    def adopt(self, history: History) -> None:
        """Begin with the states of another experiment in this archive."""
        self._hand_over([_Entry(delta, lambda put, facts=delta.facts: facts)
                         for delta in history.deltas.values()]
                        + [_Entry(None, lambda put, note=note: note) for note in history.notes])

    def drop(self, versions: Iterable[Version], why: str) -> None:
        """Give up the bytes of versions: whoever wants them has to run their cells again.

        Their space is free when the archive has been collected.
        """
        self._hand_over([_Entry(None, None, 0, tuple(versions), why)])

    def drop_now(self, versions: Iterable[Version], why: str) -> None:
        """As `drop`, for what runs `between` writes."""
        self._write([_Entry(None, None, 0, tuple(versions), why)])

    def between(self, action: Callable[[], None]) -> None:
        """Have something done in the store's thread while nothing is written."""
        self._hand_over([_Entry(action=action)])

    def wait_written(self, timeout_s: float) -> bool:
        """Wait until what was handed over is safe from the end of this process; whether it is."""
        with self._room:
            return self._room.wait_for(lambda: not self._unwritten, timeout_s)

    def spill(self) -> None:
        """Copy what waits, so that it is safe from the end of this process; `spill.recover` finds it."""
        if self.problem is not None:
            return   # there is no room
        while self._bare:
            with contextlib.suppress(IndexError):   # written just now
                entry = self._bare.popleft()
                if entry.delta is None or entry.is_written:
                    continue
                try:
                    self._spill.add(entry.delta, entry.draft)
                except OSError:
                    return   # no room: the store will say so

    def wait(self) -> None:
        """Return when everything handed over is durable.

        Raises:
            RexError, OSError: writing failed.
        """
        if self._thread.is_alive():
            self.between(self._make_durable)
            self._queue.join()
        self._check()

    @property
    def pending_bytes(self) -> int:
        """Roughly what waits to be written."""
        return self._pending_bytes

    def read(self, content: Content) -> bytes:
        """Stored bytes, verified; what `checkout` takes.

        Raises:
            Damaged: they are missing or wrong.
        """
        return read_content(self._archive, content)

    def close(self) -> None:
        """Write what waits, and stop. The recording stays open."""
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()
            _own_threads().discard(self._thread.ident or 0)
            self._log.close()
            self._spill.clear()
        self._check()

    def attachments(self) -> dict[str, Content]:
        """Every content stored, by name, for the manifest that finishes the recording."""
        return {f"state/{name[:40]}": content for name, content in self._contents.items()}

    def _hand_over(self, entries: list[_Entry]) -> None:
        if entries:
            with self._room:
                self._unwritten += 1
                self._bare += entries
            self._queue.put(entries)

    def _check(self) -> None:
        failure, self._failure = self._failure, None
        if failure or self.problem:
            raise failure or self.problem   # type: ignore[misc]

    def _work(self) -> None:
        while True:
            try:
                # A disk is slow to make sure: in a pause, once for all that came before.
                entries = self._queue.get(timeout=_PAUSE_S if self._unsynced else None)
            except queue.Empty:
                self._guarded(self._make_durable)
                continue
            if entries is None:
                break
            if action := entries[0].action:
                self._guarded(action)
            else:
                self._try(entries)
            self._has_written(entries)
            self._unsynced += 1
            if self._unsynced >= _MAX_UNSYNCED:
                self._guarded(self._make_durable)
            del entries
            self._queue.task_done()
        self._guarded(self._make_durable)
        self._queue.task_done()

    def _try(self, entries: list[_Entry], is_urgent: bool = False) -> None:
        """Write entries behind those that could not be written before."""
        self._backlog += entries
        if not self._backlog or self.problem and not is_urgent and time.monotonic() < self._again_s:
            return
        try:
            self._write(self._backlog)
            self._backlog, self.problem = [], None
        except Exception as error:
            self._roll_back()
            self._spill.clear()   # it may be what fills the disk; all of it is in memory
            self.problem, self._again_s = error, time.monotonic() + _AGAIN_S

    def _roll_back(self) -> None:
        """Forget what a failed write believed to be stored."""
        self._recording.restart()
        for content in self._fresh:
            self._contents.pop(_name(content), None)
        self._fresh = []
        for version in (one for entry in self._backlog if entry.delta for one in entry.delta.versions):
            self._numbers.pop(version, None)
            for chunk in version.chunks():
                if not chunk.is_kept:
                    chunk.content = None
        self._watched = deque((pair for pair in self._watched if pair[1] in self._numbers), _DOUBTS_KEPT)

    def _guarded(self, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception as error:   # reported to the next caller
            self._failure = error

    def _make_durable(self) -> None:
        self._try([], True)
        self._unsynced = 0
        self._recording.sync()
        os.fdatasync(self._log.fileno())
        if self._after_write:
            self._after_write()

    def _has_written(self, entries: list[_Entry]) -> None:
        with self._room:
            for entry in entries:
                self._pending_bytes -= entry.size
                entry.size, entry.is_written = 0, True
            self._unwritten -= 1 if entries else 0
            entries.clear()
            with contextlib.suppress(IndexError):   # spilled just now
                while self._bare[0].is_written:
                    self._bare.popleft()
            if not self._unwritten and self.problem is None:
                self._spill.clear()   # here: what comes next must find it so
            self._room.notify_all()

    def _put(self, data: bytes) -> Content:
        content = self._recording.add_bytes(data)
        self._need(content)
        return content

    def _put_fact(self, data: bytes) -> Content:
        content = self._put(data)
        self._pinned.add(_name(content))
        return content

    def _need(self, content: Content) -> None:
        name = _name(content)
        if name not in self._contents:
            self._contents[name] = content
            self._fresh.append(content)

    def _write(self, entries: list[_Entry]) -> None:
        lines: list[bytes] = []
        stored: list[Chunk] = []
        for entry in entries:
            facts = entry.facts(self._put_fact) if entry.facts else {}
            if entry.delta is not None:
                lines.append(self._encode(entry.delta, facts, stored))
            else:
                numbers = [self._numbers[version] for version in entry.dropped
                           if version in self._numbers]
                lines.append(records.encode_note(facts, numbers, entry.why))
        self._recording.flush(is_durable=False)
        if self._fresh:
            self._recording.keep(self._fresh)
            self._fresh = []
        append_whole(self._log, b"".join(lines))
        for entry in entries:
            if entry.dropped:
                self._drop(entry.dropped, entry.why)
        self._let_go(stored)

    def _encode(self, delta: Delta, facts: dict[str, Any], stored: list[Chunk]) -> bytes:
        fresh = [version for version in delta.versions if version not in self._numbers]
        for version in fresh:
            for chunk in version.chunks():
                if chunk.content is None:
                    chunk.content = self._put(chunk.encoded())
                    stored.append(chunk)
                else:
                    self._need(chunk.content)
        lines = [records.encode_version(version, self._number(version), self._put)
                 for version in fresh]
        doubts = {number: version.doubts[0] for number, version in self._watched
                  if version.doubts}
        self._watched.extend((self._numbers[v], v) for v in fresh if not v.why_not)
        if doubts:
            self._watched = deque(((n, v) for n, v in self._watched if n not in doubts),
                                  _DOUBTS_KEPT)
        return records.encode_delta(delta, lines, self._numbers.__getitem__, doubts, facts)

    def _drop(self, versions: tuple[Version, ...], why: str) -> None:
        gone = set(versions)
        needed = {_name(chunk.content) for version in self._numbers
                  if version not in gone for chunk in version.chunks() if chunk.content}
        for version in gone:
            version.doubts.append(why)
            for chunk in version.chunks():
                if chunk.content and _name(chunk.content) not in needed | self._pinned:
                    self._contents.pop(_name(chunk.content), None)
                    chunk.is_kept = False
                    chunk.content = chunk.source = None   # the next save of these bytes stores them again
        self._recording.keep_only(self._contents.values())

    def _number(self, version: Version) -> int:
        return self._numbers.setdefault(version, len(self._numbers) + 1)

    def _let_go(self, chunks: list[Chunk]) -> None:
        for chunk in chunks:
            chunk.is_kept = True
            self._recent.append(chunk)
            self._recent_bytes += chunk.size_bytes
        while self._recent and self._recent_bytes > RECENT_BYTES:
            chunk = self._recent.popleft()
            self._recent_bytes -= chunk.size_bytes
            chunk.source = None


def _name(content: Content) -> str:
    return content.tree or content.sha256


def _own_threads() -> set[int]:
    from rex.state.tracker import own_threads   # late: readers need no tracker
    return own_threads


def read_content(archive: Archive, content: Content) -> bytes:
    """Stored bytes, verified once: a single object needs no second hash of the whole.

    Raises:
        Damaged: they are missing or wrong.
    """
    if content.depth == 0 and content.size:
        return archive.store.read_object(bytes.fromhex(content.sha256))
    return archive.read(content)


def load_history(archive: Archive, experiment: Experiment) -> History:
    """The states of an experiment, finished or not, up to the last whole line.

    Raises:
        NotFound: it holds none.
        Damaged, TooNew: they cannot be read.
    """
    with experiment.open_log() as log:
        return records.read_history(_lines(log), archive.read)


def _lines(log: Any) -> list[bytes]:
    data = b""
    try:
        while block := log.read(1 << 20):
            data += block
    except (OSError, RexError):
        pass   # what was read is whole lines and perhaps a part of one
    return data.splitlines(keepends=True)
