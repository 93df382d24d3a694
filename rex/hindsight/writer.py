"""Store checkpoints in the archive, in the background."""

from __future__ import annotations

import queue
import struct
import threading
import time
from dataclasses import dataclass
from typing import Callable, Iterator

from rex.archive import Archive, Content, Recording
from rex.errors import Damaged
from rex.hindsight.clock import now_s
from rex.hindsight.deltas import Bases, Place, read_place
from rex.hindsight.graph import Snapshot, encode_snapshot
from rex.hindsight.memory import Copier, Habits, Pool, Taken, settle, settle_nodes
from rex.hindsight.records import Checkpoint, LogWriter, checkpoint_to_json
from rex.state.store import read_content
from rex.state.versions import CHUNK_BYTES

PENDING_BYTES = 2 << 30
# What a checkpoint is taken to cost the writer, until it knows: seconds each, and for so many bytes.
_SMALL_S, _SMALL_BYTES = 0.004, 256 << 10
_LARGE_S, _LARGE_BYTES = 0.04, 8 << 20
_HEAD = struct.Struct("<16sQ")        # digest of a buffer, its size; then its chunks:
_CHUNK = struct.Struct("<32s16s32sB")   # sha256 of the object, digest, sha256 of the base, size of a number


@dataclass(slots=True)
class _Job:
    number: int
    position: str
    snapshot: Snapshot
    taken: Taken
    pause_s: float
    pending_bytes: int


class CheckpointWriter:
    """Takes checkpoints over from the training thread."""

    def __init__(self, recording: Recording, log: LogWriter) -> None:
        self._pool, self._habits = Pool(), Habits()
        self.contents: dict[str, Content] = {}
        self._unkept: dict[str, Content] = {}      # gc would take them, were we to crash
        self.written: list[Checkpoint] = []
        self.busy_s = 0.0              # CPU seconds of the writer
        self._small_s, self._small_count = _SMALL_S, 1          # of checkpoints with little memory
        self._large_s, self._large_bytes = _LARGE_S, _LARGE_BYTES
        self.failure: BaseException | None = None
        self.pending_bytes = 0         # raw, of what is not stored yet
        self._recording, self._log = recording, log
        self._bases = Bases()
        self._known: dict[bytes, Place] = {}     # by digest
        self._claimed: set[bytes] = set()
        self._count = 0
        self._storing = threading.Lock()   # nobody may add while packs are sealed
        self._room = threading.Condition()
        self._queue: queue.Queue[_Job | None] = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="rex-hindsight", daemon=True)
        self._thread.start()

    def copier(self) -> Copier:
        """What takes the memory of the next checkpoint."""
        return Copier(self._pool, self._habits, self._claimed.__contains__)

    def put(self, position: str, snapshot: Snapshot, taken: Taken, pause_s: float) -> float:
        """Hand a checkpoint over; waits only while too much is pending, the seconds returned."""
        begun = now_s()
        self._claimed.update(each.digest for each in taken.fresh)
        pending = taken.pending_bytes
        with self._room:
            self._room.wait_for(lambda: self.pending_bytes < PENDING_BYTES or bool(self.failure))
            self.pending_bytes += pending
        self._queue.put(_Job(self._count, position, snapshot, taken, pause_s, pending))
        self._count += 1
        return now_s() - begun

    def cost_s(self, size_bytes: int) -> float:
        """CPU seconds that so many bytes will take, as far as known."""
        return self._small_s / self._small_count + size_bytes * self._large_s / self._large_bytes

    def _learn(self, jobs: list[_Job], took_s: float) -> None:
        self.busy_s += took_s
        size = sum(job.pending_bytes for job in jobs)
        if size < _SMALL_BYTES * len(jobs):
            self._small_s += took_s
            self._small_count += len(jobs)
        else:
            self._large_s += took_s
            self._large_bytes += size

    def drop(self, taken: Taken) -> None:
        """Give back what a checkpoint took that nobody will have."""
        for slot in taken.slots():
            self._pool.free(slot)

    def take_over(self, archive: Archive, checkpoints: list[Checkpoint],
                  contents: list[Content]) -> None:
        """Go on from checkpoints that another experiment of the archive holds in these contents."""
        for checkpoint in checkpoints:
            for _, places, digests in read_table(archive, checkpoint.table).values():
                self._known.update(zip(digests, places))
        self._claimed.update(self._known)
        self.written += checkpoints
        self._count = len(checkpoints)
        for number, content in enumerate(contents):
            self.contents[f"hindsight/former/{number}"] = content
            self._unkept[f"hindsight/former/{number}"] = content

    def keep(self, name: str, data: bytes) -> Content:
        """Store bytes that belong to the run; they are safe with the next checkpoint."""
        with self._storing:
            content = self.contents[name] = self._unkept[name] = self._recording.add_bytes(data)
        return content

    def close(self) -> None:
        """Write what waits, and stop."""
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()

    def _work(self) -> None:
        is_over = False
        while not is_over:
            jobs = [self._queue.get()]
            while not self._queue.empty():
                jobs.append(self._queue.get())
            is_over = jobs[-1] is None
            begun = time.thread_time()
            try:
                with self._storing:
                    self._write([job for job in jobs if job is not None])
            except BaseException as error:   # told at the end; training goes on
                self.failure = error
            finally:
                self._learn([job for job in jobs if job is not None], time.thread_time() - begun)
                with self._room:
                    self.pending_bytes -= sum(job.pending_bytes for job in jobs if job is not None)
                    self._room.notify_all()
                for _ in jobs:
                    self._queue.task_done()

    def _write(self, jobs: list[_Job]) -> None:
        """Store what waits together: one pack, one sync."""
        if self.failure is not None:
            return
        done = []
        for job in jobs:
            before = self._recording.new_bytes
            settle(job.taken, self._pool, self._habits, self._known.__contains__)
            names: list[bytes] = []
            fresh = self._recording.add_pieces(self._chunks(job.taken, names), names)
            for root in job.snapshot.roots:
                settle_nodes(root.nodes)
            structure = self._recording.add_bytes(encode_snapshot(job.snapshot))
            table = self._recording.add_bytes(self._table(job.taken))
            name = f"hindsight/{job.number}"
            stored = {f"{name}/structure": structure, f"{name}/table": table}
            if fresh.size:
                stored[f"{name}/memory"] = fresh
            self.contents |= stored
            self._unkept |= stored
            done.append(Checkpoint(job.number, job.position, structure, table, job.snapshot.opaque, job.pause_s,
                                   job.taken.size_bytes, self._recording.new_bytes - before))
        self._recording.flush()
        self._recording.keep(self._unkept.values())
        self._recording.sync()
        self._unkept.clear()
        for checkpoint in done:
            self.written.append(checkpoint)
            self._log.write("checkpoint", checkpoint is done[-1], **checkpoint_to_json(checkpoint))

    def _chunks(self, taken: Taken, names: list[bytes]) -> Iterator[bytes]:
        """What to store; the name of each object is the last of `names` when the next is asked for."""
        for fresh in taken.fresh:
            data = self._pool.take_out(fresh.slot, fresh.size_bytes)
            if fresh.digest in self._known:   # it was stored since
                continue
            shorter, base = self._bases.shorten(fresh.address, data, fresh.item_bytes)
            yield shorter
            if base is None:
                self._bases.learn(fresh.address, data, names[-1], fresh.item_bytes)
            self._known[fresh.digest] = Place(names[-1], base.sha256, fresh.item_bytes) if base else Place(names[-1])
            self._claimed.add(fresh.digest)

    def _table(self, taken: Taken) -> bytes:
        parts: list[bytes] = []
        for whole, (size, digests) in taken.buffers.items():
            parts.append(_HEAD.pack(whole, size))
            for digest in digests:
                place = self._known[digest]
                parts.append(_CHUNK.pack(place.sha256, digest, place.base, place.item_bytes))
        return b"".join(parts)


Table = dict[bytes, tuple[int, list[Place], list[bytes]]]


def read_table(archive: Archive, content: Content) -> Table:
    """By digest of each buffer: its size, and place and digest of its chunks.

    Raises:
        Damaged: the table does not hold together.
    """
    data, at = read_content(archive, content), 0
    found: Table = {}
    while at < len(data):
        size_bytes = _HEAD.unpack_from(data, at)[1] if at + _HEAD.size <= len(data) else 0
        end = at + _HEAD.size + _CHUNK.size * -(-size_bytes // CHUNK_BYTES)
        if not size_bytes or end > len(data):
            raise Damaged("the table of a checkpoint is damaged", "it ends early", "see: rex check")
        whole, places, digests = data[at:at + 16], [], []
        for sha256, digest, base, item_bytes in _CHUNK.iter_unpack(data[at + _HEAD.size:end]):
            places.append(Place(sha256, base, item_bytes) if item_bytes else Place(sha256))
            digests.append(digest)
        found[whole] = size_bytes, places, digests
        at = end
    return found


def memory_reader(archive: Archive, content: Content) -> Callable[[bytes], Iterator[bytes]]:
    """A function that reads stored memory in pieces, by the digest of the whole.

    Raises:
        Damaged: the table does not hold together.
    """
    table = read_table(archive, content)
    return lambda digest: (read_place(archive.store, place) for place in table[digest][1])
