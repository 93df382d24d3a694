"""Checkpoints read ahead, by the process that waits for a worker: to unpack one takes as long as to take it on.

They come through memory that both share, in the order in which the worker is expected to need them; a pipe tells where each
lies. What the worker does not find there it reads itself. While it imports what its script does, as many are read as there is
room for.
"""

from __future__ import annotations

import contextlib
import itertools
import mmap
import os
import select
import struct
from collections import deque
from typing import Any, Iterator, Mapping

from rex.archive import Archive
from rex.errors import RexError
from rex.hindsight.capture.chunks import NOWHERE, ChunkReader
from rex.hindsight.capture.graph import RootState, Snapshot, decode_plain, decode_snapshot, encode_plain, name_once
from rex.hindsight.capture.tables import Table, decode_table
from rex.hindsight.run.room import Ends
from rex.hindsight.trace.records import Checkpoint
from rex.state.store import read_content
from rex.values import dataclass, field

# Number of the border; whether the state is taken on; where its bytes begin; how many there are of structure (of a state that is:
# what differs from the last one that was), table, index and chunks, which follow each other. The index has of each chunk:
_HEAD = struct.Struct("<QQQQQQQ")
_CHUNK = struct.Struct("<16sQ")   # digest, size
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


def send(path: str, wanted: list[Wanted], ends: Ends) -> None:
    """Read checkpoints of an archive for a worker, until all are sent or it takes no more; closes the ends."""
    # What cannot be read, the worker finds out by itself.
    with contextlib.suppress(OSError, RexError, ValueError), contextlib.closing(ends):
        archive = Archive.open(path)
        chunks = ChunkReader(archive.store)
        outbox = _Outbox(ends)
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
            outbox.put(each, structure, table, index, list(parts.values()))


class _Outbox:
    """Puts states into the room, one behind the other and over those that are done with."""

    def __init__(self, ends: Ends) -> None:
        self._ends = ends
        self._room_bytes = os.fstat(ends.room).st_size
        self._end = 0                            # of what was put, as if the room had no end
        self._waiting: deque[int] = deque()      # where those begin that are not done with
        self._poll = select.poll()
        self._poll.register(ends.heads, 0)       # an error: nobody reads
        self._poll.register(ends.done, select.POLLIN)

    def put(self, wanted: Wanted, structure: bytes, table: bytes, index: bytes, chunks: list[bytes | memoryview]) -> None:
        """Send a state; waits for room.

        Raises:
            BrokenPipeError: nobody reads any more.
            ValueError: it is larger than the room.
        """
        sizes = len(structure), len(table), len(index), sum(map(len, chunks))
        at = self._place(sum(sizes))
        head = _HEAD.pack(wanted.border, wanted.is_taken_on, at, *sizes)
        for part in (structure, table, index, *chunks):
            view = memoryview(part)
            while view:
                done = os.pwrite(self._ends.room, view, at)
                view, at = view[done:], at + done
        os.write(self._ends.heads, head)

    def _place(self, size: int) -> int:
        if size > self._room_bytes:
            raise ValueError("a state larger than the room")
        at = self._end % self._room_bytes
        begin = self._end + (self._room_bytes - at if at + size > self._room_bytes else 0)     # in one piece
        while self._waiting and begin + size - self._waiting[0] > self._room_bytes:
            if self._ends.heads in dict(self._poll.poll()):
                raise BrokenPipeError
            for _ in range(os.eventfd_read(self._ends.done)):
                self._waiting.popleft()
        self._waiting.append(begin)
        self._end = begin + size
        return begin % self._room_bytes


def _changed(chunks: ChunkReader, former: Table, now: Table) -> Iterator[tuple[bytes, bytes]]:
    known = {digest for _, _, digests in former.values() for digest in digests}
    for whole in now.keys() - former.keys():
        for place, digest in zip(*now[whole][1:]):
            if digest not in known and place != NOWHERE:
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
    """The state that `_patch` described."""
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
    """The worker's side."""

    def __init__(self, ends: Ends) -> None:
        for fd in (ends.heads, ends.done):
            os.set_inheritable(fd, False)
        self._ends = ends
        self._room = memoryview(mmap.mmap(ends.room, 0, access=mmap.ACCESS_READ))
        os.close(ends.room)
        self._next: tuple[int, ...] = ()     # the head of what comes next
        self._is_held = False                # what came last may be in use
        self._roots: dict[str, RootState] = {}     # of the last state that is to be taken on

    def take(self, border: int) -> Stored | None:
        """The checkpoint of a border; None if it does not come, or not any more. What came before is no longer to be used."""
        try:
            while not self._next or self._next[0] < border:
                if self._next:
                    self._read()
                self._next = self._receive()
        except (OSError, EOFError):
            self._next = (1 << 64,)      # behind all
        if self._next[0] != border:
            return None
        found, self._next = self._read(), ()
        return found

    def _read(self) -> Stored:
        _, is_taken_on, begin, *sizes = self._next
        structure, table, index, end = itertools.accumulate(sizes)
        view, at = self._room[begin:begin + end], index
        found = Stored(bytes(view[:structure]), table=bytes(view[structure:table]))
        if is_taken_on:
            found.snapshot, found.structure = _patched(self._roots, found.structure), b""
            self._roots = {root.name: root for root in found.snapshot.roots}
        for digest, size in _CHUNK.iter_unpack(view[table:index]):
            found.chunks[digest] = view[at:at + size]
            at += size
        return found

    def _receive(self) -> tuple[int, ...]:
        if self._is_held:
            os.eventfd_write(self._ends.done, 1)
        self._is_held = True
        head = os.read(self._ends.heads, _HEAD.size)       # written at once: it is shorter than PIPE_BUF
        if len(head) < _HEAD.size:
            raise EOFError
        return _HEAD.unpack(head)
