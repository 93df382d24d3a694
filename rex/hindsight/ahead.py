"""Checkpoints read ahead, by the process that waits for a worker: to unpack one takes as long as to take it on.

They come through a pipe in the order in which the worker is expected to need them. What it does not find there it reads itself.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import struct
from dataclasses import dataclass, field
from typing import Iterator

from rex.archive import Archive
from rex.errors import RexError
from rex.hindsight.deltas import ChunkReader
from rex.hindsight.plan import Piece, Plan
from rex.hindsight.records import Checkpoint
from rex.hindsight.tables import Table, decode_table
from rex.state.store import read_content

# Number of the border; bytes of structure, table, index and chunks, which follow. The index has of each chunk:
_HEAD = struct.Struct("<QQQQQ")
_CHUNK = struct.Struct("<16sQ")   # digest, size
_PIPE_BYTES = 1 << 20             # as much as anybody may have
_MOST_BYTES = 256 << 20           # of a state: all of its memory is held at once, here and by the worker


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
        table: empty if it is still to be read.
        chunks: by digest, verified, until the next ones come; those that the checkpoint before had as well are missing.
    """

    structure: bytes
    table: bytes = b""
    chunks: dict[bytes, memoryview] = field(default_factory=dict)


def wanted_by(plan: Plan, piece: Piece) -> list[Wanted]:
    """What the worker of a piece comes by, if all goes as it did."""
    skipped = {piece.start, *plan.skipped}
    borders = ((number, plan.run.borders[number]) for number in piece.borders)
    return [Wanted(number, border.checkpoint, border.position in skipped) for number, border in borders
            if border.checkpoint is not None and not border.checkpoint.why_not and border.checkpoint.size_bytes <= _MOST_BYTES]


def send(path: str, wanted: list[Wanted], pipe_fd: int) -> None:
    """Read checkpoints of an archive into a pipe, until all are sent or nobody reads any more."""
    # What cannot be read, the worker finds out by itself.
    with contextlib.suppress(OSError, RexError, ValueError), open(pipe_fd, "wb") as pipe:
        with contextlib.suppress(PermissionError):   # who has many pipes may have small ones only
            fcntl.fcntl(pipe_fd, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        archive = Archive.open(path)
        chunks = ChunkReader(archive.store)
        former: Table = {}
        for each in wanted:
            structure, table, parts = read_content(archive, each.checkpoint.structure), b"", {}
            if each.is_taken_on:
                table = read_content(archive, each.checkpoint.table)
                now = decode_table(table)
                parts = dict(_changed(chunks, former, now))
                former = now
            index = b"".join(_CHUNK.pack(digest, len(data)) for digest, data in parts.items())
            pipe.write(_HEAD.pack(each.border, len(structure), len(table), len(index), sum(map(len, parts.values()))))
            for part in (structure, table, index, *parts.values()):
                pipe.write(part)
            pipe.flush()


def _changed(chunks: ChunkReader, former: Table, now: Table) -> Iterator[tuple[bytes, bytes | memoryview]]:
    known = {digest for _, _, digests in former.values() for digest in digests}
    for whole in now.keys() - former.keys():
        for place, digest in zip(*now[whole][1:]):
            if digest not in known:
                yield digest, chunks.read(place, digest)


class Ahead:
    """The worker's end of the pipe."""

    def __init__(self, pipe_fd: int) -> None:
        os.set_inheritable(pipe_fd, False)
        self._pipe = open(pipe_fd, "rb", buffering=0)
        self._next: tuple[int, ...] = ()     # the head of what comes next
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
        view = self._receive(sum(self._next[1:]))
        structure, table, index, _ = itertools.accumulate(self._next[1:])
        found, at = Stored(bytes(view[:structure]), bytes(view[structure:table])), index
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
