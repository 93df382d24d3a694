"""Checkpoints read ahead, by the process that waits for a worker: to unpack one takes as long as to take it on.

They come through a pipe in the order in which the worker is expected to need them. What it does not find there it reads itself.
While it imports what its script does, as many are read as there is room for.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import struct
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping

from rex.archive import Archive
from rex.errors import RexError
from rex.hindsight.deltas import ChunkReader
from rex.hindsight.graph import RootState, Snapshot, decode_plain, decode_snapshot, encode_plain, name_once
from rex.hindsight.plan import Piece, Plan
from rex.hindsight.records import Checkpoint
from rex.hindsight.tables import Table, decode_table
from rex.state.store import read_content

# Number of the border; whether the state is taken on; bytes of structure (of a state that is: what differs from the last one that
# was), table, index and chunks, which follow. The index has of each chunk:
_HEAD = struct.Struct("<QQQQQQ")
_CHUNK = struct.Struct("<16sQ")   # digest, size
_PIPE_BYTES = 1 << 20             # as much as anybody may have
_MOST_BYTES = 256 << 20           # of a state: all of its memory is held at once, here and by the worker
_WAITING_BYTES = _MOST_BYTES      # of states that are read, and not yet in the pipe
_Roots = dict[str, tuple[RootState, list[bytes]]]     # by name, with their nodes encoded


@dataclass(frozen=True, slots=True)
class Wanted:
    """A checkpoint that a worker will ask for.

    Attributes:
        border: its number in the run.
        is_taken_on: its memory is needed too; else it is only compared.
    """

    border: int
    checkpoint: Checkpoint
    is_taken_on: bool


@dataclass(slots=True)
class Stored:
    """What is stored of a checkpoint.

    Attributes:
        structure: empty if it is decoded. snapshot: None if it is not.
        table: empty if it is still to be read.
        chunks: by digest, verified, until the next ones come; those that the checkpoint before had as well are missing.
    """

    structure: bytes
    snapshot: Snapshot | None = None
    table: bytes = b""
    chunks: dict[bytes, memoryview] = field(default_factory=dict)

    def is_like(self, live: Snapshot) -> bool:
        """Whether a state is the same; what is not decoded stays so."""
        return live.is_as_encoded(self.structure) if self.snapshot is None else live.digests() == self.snapshot.digests()


def wanted_by(plan: Plan, piece: Piece) -> list[Wanted]:
    """What the worker of a piece comes by, if all goes as it did."""
    skipped = {piece.start, *plan.skipped}
    borders = ((number, plan.run.borders[number]) for number in piece.borders)
    return [Wanted(number, border.checkpoint, border.position in skipped) for number, border in borders
            if border.checkpoint is not None and not border.checkpoint.why_not and border.checkpoint.size_bytes <= _MOST_BYTES]


def send(path: str, wanted: list[Wanted], pipe_fd: int) -> None:
    """Read checkpoints of an archive into a pipe, until all are sent or nobody reads any more."""
    # What cannot be read, the worker finds out by itself.
    with contextlib.suppress(OSError, RexError, ValueError), _Outbox(pipe_fd) as outbox:
        archive = Archive.open(path)
        chunks = ChunkReader(archive.store)
        former: Table = {}
        roots: _Roots = {}
        for each in wanted:
            structure, table, parts = read_content(archive, each.checkpoint.structure), b"", {}
            if each.is_taken_on:
                structure, roots = _patch(roots, structure)
                table = read_content(archive, each.checkpoint.table)
                now = decode_table(table)
                parts = dict(_changed(chunks, former, now))
                former = now
            index = b"".join(_CHUNK.pack(digest, len(data)) for digest, data in parts.items())
            head = _HEAD.pack(each.border, each.is_taken_on, len(structure), len(table), len(index), sum(map(len, parts.values())))
            outbox.put([head, structure, table, index, *parts.values()])


class _Outbox:
    """What is to go into a pipe, written by a thread of its own."""

    def __init__(self, pipe_fd: int) -> None:
        self._pipe_fd = pipe_fd
        self._waiting: deque[list[bytes | memoryview]] = deque()
        self._waiting_bytes = 0
        self._is_broken = False
        self._changed = threading.Condition()
        self._writer = threading.Thread(target=self._write, daemon=True)

    def __enter__(self) -> _Outbox:
        with contextlib.suppress(PermissionError):   # who has many pipes may have small ones only
            fcntl.fcntl(self._pipe_fd, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self._writer.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._waiting.append([])
            self._changed.notify_all()
        self._writer.join()

    def put(self, parts: list[bytes | memoryview]) -> None:
        """Have a message written; waits for room.

        Raises:
            BrokenPipeError: nobody reads any more.
        """
        size = sum(map(len, parts))
        with self._changed:
            self._changed.wait_for(lambda: self._is_broken or not self._waiting or self._waiting_bytes + size <= _WAITING_BYTES)
            if self._is_broken:
                raise BrokenPipeError
            self._waiting.append(parts)
            self._waiting_bytes += size
            self._changed.notify_all()

    def _write(self) -> None:
        with contextlib.suppress(OSError), open(self._pipe_fd, "wb", buffering=0) as pipe:
            while parts := self._next():
                for part in filter(len, map(memoryview, parts)):
                    while part:
                        part = part[pipe.write(part):]
        with self._changed:
            self._is_broken = True
            self._changed.notify_all()

    def _next(self) -> list[bytes | memoryview]:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting)
            parts = self._waiting.popleft()
            self._waiting_bytes -= sum(map(len, parts))
            self._changed.notify_all()
            return parts


def _changed(chunks: ChunkReader, former: Table, now: Table) -> Iterator[tuple[bytes, bytes | memoryview]]:
    known = {digest for _, _, digests in former.values() for digest in digests}
    for whole in now.keys() - former.keys():
        for place, digest in zip(*now[whole][1:]):
            if digest not in known:
                yield digest, chunks.read(place, digest)


def _patch(former: _Roots, structure: bytes) -> tuple[bytes, _Roots]:
    """What makes the former roots those of another state, and these; most nodes are as they were."""
    found: _Roots = {}
    told: list[tuple[Any, ...]] = []
    for root in decode_snapshot(structure, {root.digest: root for root, _ in former.values()}).roots:
        old, before = former.get(root.name, (None, []))
        if root is old:
            found[root.name] = root, before
            told.append((root.name,))
            continue
        encoded = [encode_plain(node) for node in root.nodes]     # 1, 1.0 and True are equal, but not the same
        found[root.name] = root, encoded
        told.append((root.name, root.value, root.digest, len(encoded), [
            (place, root.nodes[place]) for place, (now, then) in enumerate(itertools.zip_longest(encoded, before[:len(encoded)]))
            if now != then]))
    return encode_plain(told), found


def _patched(former: Mapping[str, RootState], patch: bytes) -> Snapshot:
    """The state that `_patch` told of."""
    found = Snapshot()
    for name, *told in decode_plain(patch):
        root = former.get(name)
        if told:
            value, digest, count, changed = told
            name_once(node for _, node in changed)
            nodes = root.nodes[:count] if root is not None else []
            nodes += [()] * (count - len(nodes))
            for place, node in changed:
                nodes[place] = node
            root = RootState(name, value, nodes, digest)
        assert root is not None
        found.roots.append(root)
    return found


class Ahead:
    """The worker's end of the pipe."""

    def __init__(self, pipe_fd: int) -> None:
        os.set_inheritable(pipe_fd, False)
        self._pipe = open(pipe_fd, "rb", buffering=0)
        self._next: tuple[int, ...] = ()     # the head of what comes next
        self._roots: dict[str, RootState] = {}     # of the last state that is to be taken on
        self._room = bytearray()             # used again and again: pages that are new cost more than what is copied there

    def take(self, border: int) -> Stored | None:
        """The checkpoint of a border; None if it does not come, or not any more."""
        try:
            while not self._next or self._next[0] < border:
                if self._next:
                    self._read()
                self._next = _HEAD.unpack(self._receive(_HEAD.size))
            if self._next[0] == border:
                found, self._next = self._read(), ()
                return found
        except (OSError, EOFError):
            self._next = (1 << 64,)      # behind all
        return None

    def _read(self) -> Stored:
        _, is_taken_on, *sizes = self._next
        view = self._receive(sum(sizes))
        structure, table, index, _ = itertools.accumulate(sizes)
        found, at = Stored(bytes(view[:structure]), table=bytes(view[structure:table])), index
        if is_taken_on:
            found.snapshot, found.structure = _patched(self._roots, found.structure), b""
            self._roots = {root.name: root for root in found.snapshot.roots}
        for digest, size in _CHUNK.iter_unpack(view[table:index]):
            found.chunks[digest] = view[at:at + size]
            at += size
        return found

    def _receive(self, size: int) -> memoryview:
        if len(self._room) < size:
            self._room = bytearray(size)
        view, done = memoryview(self._room)[:size], 0
        while done < size:
            count = self._pipe.readinto(view[done:])
            if not count:
                raise EOFError
            done += count
        return view
