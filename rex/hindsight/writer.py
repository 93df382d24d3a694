"""Store checkpoints in the archive, in the background."""

from __future__ import annotations

import queue
import struct
import threading
import time
from dataclasses import dataclass
from typing import Iterator

from rex import codec
from rex.archive import Archive, Content, Recording
from rex.errors import Damaged
from rex.hindsight.clock import now_s
from rex.hindsight.graph import Snapshot, encode_snapshot
from rex.hindsight.memory import Copier, Habits, Pool, Taken, settle, settle_nodes
from rex.hindsight.records import Checkpoint, LogWriter, checkpoint_to_json
from rex.state.store import read_content
from rex.state.versions import CHUNK_BYTES

PENDING_BYTES = 2 << 30
_HEAD = struct.Struct("<16sQ")   # digest of a buffer, its size; then sha256 of each chunk


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
        self.failure: BaseException | None = None
        self.pending_bytes = 0         # raw, of what is not stored yet
        self._recording, self._log = recording, log
        self._known: dict[bytes, bytes] = {}     # sha256 by digest
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
        self._claimed.update(digest for digest, _, _ in taken.fresh)
        pending = taken.pending_bytes
        with self._room:
            self._room.wait_for(lambda: self.pending_bytes < PENDING_BYTES or bool(self.failure))
            self.pending_bytes += pending
        self._queue.put(_Job(self._count, position, snapshot, taken, pause_s, pending))
        self._count += 1
        return now_s() - begun

    def drop(self, taken: Taken) -> None:
        """Give back what a checkpoint took that nobody will have."""
        for slot in [slot for _, slot, _ in taken.fresh] + [s for each in taken.deferred for s in each.slots]:
            self._pool.free(slot)

    def take_over(self, archive: Archive, checkpoints: list[Checkpoint],
                  contents: list[Content]) -> None:
        """Go on from checkpoints that another experiment of the archive holds in these contents."""
        for checkpoint in checkpoints:
            for _, hashes, digests in read_table(archive, checkpoint.table).values():
                self._known.update(zip(digests, hashes))
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
                self.busy_s += time.thread_time() - begun
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
            fresh = self._recording.add_pieces(self._chunks(job.taken))
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

    def _chunks(self, taken: Taken) -> Iterator[bytes]:
        for digest, slot, size in taken.fresh:
            data = self._pool.take_out(slot, size)
            self._known[digest] = codec.sha256(data)
            self._claimed.add(digest)
            yield data

    def _table(self, taken: Taken) -> bytes:
        parts: list[bytes] = []
        for whole, (size, digests) in taken.buffers.items():
            parts.append(_HEAD.pack(whole, size))
            for digest in digests:
                parts += (self._known[digest], digest)
        return b"".join(parts)


def read_table(archive: Archive, content: Content) -> dict[bytes, tuple[int, list[bytes], list[bytes]]]:
    """By digest of each buffer: its size, and sha256 and digest of its chunks.

    Raises:
        Damaged: the table does not hold together.
    """
    data, at = read_content(archive, content), 0
    found: dict[bytes, tuple[int, list[bytes], list[bytes]]] = {}
    while at < len(data):
        if at + _HEAD.size > len(data):
            raise Damaged("the table of a checkpoint is damaged", "it ends early", "see: rex check")
        whole, size = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        count = -(-size // CHUNK_BYTES)
        if at + 48 * count > len(data):
            raise Damaged("the table of a checkpoint is damaged", "it ends early", "see: rex check")
        pairs = [data[at + 48 * n:at + 48 * n + 48] for n in range(count)]
        found[whole] = size, [pair[:32] for pair in pairs], [pair[32:] for pair in pairs]
        at += 48 * count
    return found
