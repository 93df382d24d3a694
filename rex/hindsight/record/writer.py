"""Store checkpoints in the archive, in the background."""

from __future__ import annotations

import threading
from collections import deque

from rex.archive import Archive, Content, Recording
from rex.hindsight.capture.chunks import NOWHERE
from rex.hindsight.capture.graph import Snapshot, encode_snapshot
from rex.hindsight.capture.memory import Copier, Fresh, Habits, Pool, Taken, settle, settle_nodes
from rex.hindsight.capture.tables import encode_table, read_table
from rex.hindsight.policy.contention import Waits
from rex.hindsight.policy.remade import Remade
from rex.hindsight.policy.thinning import Objects, Thinner, objects_of
from rex.hindsight.trace.clock import now_s, thread_s
from rex.hindsight.trace.records import Checkpoint, LogWriter, checkpoint_to_json
from rex.state.device import DeviceCopies
from rex.state.parts import memory_at
from rex.state.unwritten import Unwritten
from rex.values import dataclass

PENDING_BYTES = 2 << 30
LINGER_S = 3.0       # of small checkpoints until they are written: a killed process loses them
_LINGER_BYTES = 4 << 20
_PATIENCE_S = 1.0    # with a training thread that takes a checkpoint
# What a checkpoint is taken to cost the writer, until it knows: seconds of a processor each, and for so many bytes.
_SMALL_S, _SMALL_BYTES = 0.001, 256 << 10
_LARGE_S, _LARGE_BYTES = 0.002, 1 << 20
_TOUCH_S = 0.15e-9   # the same for a byte of memory that is used for the first time, where the machine has it


@dataclass(slots=True)
class _Job:
    number: int
    position: str
    snapshot: Snapshot
    taken: Taken
    pause_s: float
    pending_bytes: int
    expected_s: float


class CheckpointWriter:
    """Takes checkpoints over from the training thread."""

    def __init__(self, recording: Recording, log: LogWriter) -> None:
        self._pool, self._habits, self._device = Pool(), Habits(), DeviceCopies()
        self.contents: dict[str, Content] = {}
        self._unkept: dict[str, Content] = {}      # gc would take them, were we to crash
        self.written: list[Checkpoint] = []
        self.busy_s = self.waited_s = 0.0      # seconds that the writer had a processor, and that it waited for one
        self.linger_s = LINGER_S
        self.thinner: Thinner | None = None    # set with a budget
        self._small_s, self._small_count = _SMALL_S, 1          # of checkpoints with little memory
        self._large_s, self._large_bytes = _LARGE_S, _LARGE_BYTES
        self.touched_s, self._touched_bytes = 0.0, 0       # memory for the first checkpoint
        self._preparing: threading.Thread | None = None
        self.failure: BaseException | None = None
        self.pending_bytes = 0         # raw, of what is not stored yet
        self.expected_s = 0.0          # what storing it will take
        self._unfinished = 0           # jobs
        self._recording, self._log = recording, log
        self._known: dict[bytes, bytes] = {}     # sha256 of objects, by digest
        self._claimed: set[bytes] = set()
        self._count = self._former = 0
        self._walking = threading.Lock()
        self._storing = threading.Lock()   # nobody may add while packs are sealed
        self._room = threading.Condition()
        self._waiting: deque[_Job] = deque()
        self._is_worth_it = threading.Event()     # to write what waits, before it lingered long
        self._is_over = False
        self._thread = threading.Thread(target=self._work, name="rex-hindsight", daemon=True)
        self._thread.start()

    @property
    def unwritten(self) -> Unwritten:
        """Knows which memory the script did not write, for the thread that takes checkpoints."""
        return self._habits.unwritten

    def copier(self, remade: Remade | None = None) -> Copier:
        """What takes the memory of the next checkpoint, which goes to `put` or `drop`.

        Args:
            remade: what need not be stored.
        """
        self._walking.acquire()   # what it finds known must stay until it is put
        return Copier(self._pool, self._habits, self._claimed.__contains__, self._device, remade)

    def touch_s(self, size_bytes: int) -> float:
        """Seconds of a processor until there is memory for so many bytes, as far as known."""
        each_s = self.touched_s / self._touched_bytes if self._touched_bytes else _TOUCH_S
        return max(0, size_bytes - self._pool.free_bytes) * each_s

    def prepare(self, size_bytes: int, most_s: float) -> None:
        """Have memory for a first checkpoint of so many bytes soon, in the background.

        A virtual machine may have to ask its host for that memory, which takes twenty times as long. So one part is
        touched first, and the others only if they will not take too long.

        Args:
            most_s: seconds of a processor that all of this memory may take.
        """
        def touch() -> None:
            while self.touch_s(size_bytes) and self.touched_s + self.touch_s(size_bytes) <= most_s:
                begun_s, free_bytes = thread_s(), self._pool.free_bytes
                self._pool.reserve(free_bytes + 1)
                took_s = thread_s() - begun_s
                self.touched_s += took_s
                self.busy_s += took_s
                self._touched_bytes += self._pool.free_bytes - free_bytes

        self._preparing = threading.Thread(target=touch, name="rex-hindsight-pool", daemon=True)
        self._preparing.start()

    @property
    def is_preparing(self) -> bool:
        """Whether memory for a first checkpoint is still being touched."""
        return self._preparing is not None and self._preparing.is_alive()

    def put(self, position: str, snapshot: Snapshot, taken: Taken, pause_s: float) -> float:
        """Hand a checkpoint over; waits only while too much is pending, the seconds returned."""
        self._claimed.update(each.digest for each in taken.fresh)
        pending = taken.pending_bytes
        with self._room:
            self.pending_bytes += pending
            expected = self.cost_s(pending)
            self.expected_s += expected
            self._unfinished += 1
            self._waiting.append(_Job(self._count, position, snapshot, taken, pause_s, pending, expected))
            self._wake_if_worth_it()
        self._count += 1
        self._walking.release()
        begun = now_s()
        with self._room:
            self._room.wait_for(lambda: self.pending_bytes < PENDING_BYTES + pending or bool(self.failure))
        return now_s() - begun

    def cost_s(self, size_bytes: int) -> float:
        """Seconds that so many bytes will take the writer, as far as known."""
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
        self._device.wait()
        for slot in taken.slots():
            self._pool.free(slot)
        for each in taken.deferred:
            if each.host is not None:
                self._device.give_back(each.host)
        self._walking.release()

    def take_over(self, archive: Archive, checkpoints: list[Checkpoint],
                  contents: list[Content]) -> None:
        """Go on from checkpoints that another experiment of the archive holds in these contents."""
        for checkpoint in checkpoints:
            for _, places, digests in read_table(archive, checkpoint.table).values():
                self._known.update((digest, place) for digest, place in zip(digests, places) if place != NOWHERE)
        self._claimed.update(self._known)
        self.written += checkpoints
        self._former = self._count = max((each.number for each in checkpoints), default=-1) + 1
        for number, content in enumerate(contents):
            self.contents[f"hindsight/former/{number}"] = content
            self._unkept[f"hindsight/former/{number}"] = content

    def keep(self, name: str, data: bytes) -> Content:
        """Store bytes that belong to the run; they are safe with the next checkpoint."""
        with self._storing:
            content = self.contents[name] = self._unkept[name] = self._recording.add_bytes(data)
        return content

    def wait(self) -> None:
        """Until all that was handed over is stored."""
        self._is_worth_it.set()
        with self._room:
            self._room.wait_for(lambda: not self._unfinished)

    def close(self) -> None:
        """Write what waits, and stop."""
        self._is_over = True
        self._is_worth_it.set()
        self._thread.join()

    def _work(self) -> None:
        is_over, waits = False, Waits()
        while not is_over or self._waiting:
            if not is_over:
                self._is_worth_it.wait(self.linger_s or None)
                self._is_worth_it.clear()
                is_over = self._is_over     # nothing comes after that
            if jobs := self._next_jobs():
                before_s = waits.so_far_s()
                self._do(jobs)
                self.waited_s += waits.so_far_s() - before_s

    def _do(self, jobs: list[_Job]) -> None:
        begun = thread_s()
        try:
            with self._storing:
                if self.thinner:
                    self._make_room(jobs, self.thinner)
                self._write(jobs)
        except BaseException as error:   # reported at the end; training goes on
            self.failure = error
        finally:
            self._learn(jobs, thread_s() - begun)
            with self._room:
                self.pending_bytes -= sum(job.pending_bytes for job in jobs)
                self.expected_s -= sum(job.expected_s for job in jobs)
                self._unfinished -= len(jobs)
                self._wake_if_worth_it()
                self._room.notify_all()

    def _wake_if_worth_it(self) -> None:
        # Else the writer comes by itself: to wake it for each small one takes the interpreter from the training.
        if self.pending_bytes >= min(_LINGER_BYTES, self._batch_bytes) or self._waiting and not self.linger_s:
            self._is_worth_it.set()

    @property
    def _batch_bytes(self) -> int:
        return self.thinner.batch_bytes if self.thinner else PENDING_BYTES

    def _next_jobs(self) -> list[_Job]:
        """What waits, together: a pack and its sync cost more than a small checkpoint."""
        jobs: list[_Job] = []
        left_bytes = self._batch_bytes
        while self._waiting and left_bytes > 0:
            jobs.append(self._waiting.popleft())
            left_bytes -= jobs[-1].pending_bytes
        return jobs

    def _write(self, jobs: list[_Job]) -> None:
        """Store what waits together: one pack, one sync."""
        if self.failure is not None:
            return
        done = []
        for job in jobs:
            before = self._recording.new_bytes
            is_settled = not job.taken.deferred
            settle(job.taken, self._pool, self._habits, self._known.__contains__, self._device)
            memory = self._store(job.taken.fresh)
            for root in () if is_settled else job.snapshot.roots:
                settle_nodes(root.nodes)
            structure = self._recording.add_bytes(encode_snapshot(job.snapshot))
            table = self._recording.add_bytes(encode_table(job.taken.buffers, self._known, job.taken.remade))
            name = f"hindsight/{job.number}"
            stored = {f"{name}/structure": structure, f"{name}/table": table, **({f"{name}/memory": memory} if memory else {})}
            self.contents |= stored
            self._unkept |= stored
            done.append(Checkpoint(job.number, job.position, structure, table, job.snapshot.opaque, job.pause_s,
                                   job.taken.size_bytes, self._recording.new_bytes - before))
        self._recording.flush(is_durable=False)
        self._recording.sync(is_read_soon=False)
        self._recording.keep(self._unkept.values())
        self._recording.sync()
        self._unkept.clear()
        for checkpoint in done:
            self.written.append(checkpoint)
            self._log.write("checkpoint", checkpoint is done[-1], **checkpoint_to_json(checkpoint))

    def _make_room(self, jobs: list[_Job], thinner: Thinner) -> None:
        """Give up older checkpoints if what comes would exceed the budget."""
        if not jobs or not thinner.is_full(sum(job.pending_bytes for job in jobs)):
            return
        if not self._walking.acquire(timeout=_PATIENCE_S):
            return   # the next checkpoint comes again
        try:   # nobody relies on what is about to be forgotten but jobs that are there
            needed, gone = self._forget(thinner, jobs, [*self._waiting])
        finally:
            self._walking.release()
        if not gone:
            return
        self._log.write("dropped", True, numbers=sorted(gone))
        former = tuple(f"hindsight/{each}/" for each in (*gone, "shared"))
        self.contents = {name: content for name, content in self.contents.items() if not name.startswith(former)}
        singles = thinner.not_within(self.contents.values(), needed)
        self.contents |= {f"hindsight/shared/{number}": content for number, content in enumerate(singles)}
        self._recording.flush()
        self._recording.keep_only(self.contents.values())
        self._unkept.clear()
        thinner.collect()

    def _forget(self, thinner: Thinner, jobs: list[_Job], waiting: list[_Job]) -> tuple[Objects, set[int]]:
        """Choose which checkpoints to give up, and forget what only they held.

        Returns:
            The objects that stay, and the numbers of those checkpoints.
        """
        buffers = [each for job in (*jobs, *waiting) for each in job.taken.buffers.values()]
        needed: Objects = {}
        for size_bytes, digests in buffers:
            places = [self._known.get(digest, NOWHERE) for digest in digests]
            needed |= objects_of(size_bytes, places)
        states = [each for each in self.written if each.position[0] != "=" and each.number >= self._former]
        numbers = {each.number for each in states}
        pinned = [each for each in self.written if each.number not in numbers]
        kept, needed = thinner.choose(states, pinned, needed, sum(job.pending_bytes for job in jobs))
        gone = numbers - {each.number for each in kept}
        self.written = [each for each in self.written if each.number not in gone]
        self._known = {digest: place for digest, place in self._known.items() if place in needed}
        self._claimed.intersection_update({*self._known, *(digest for _, found in buffers for digest in found)})
        return needed, gone

    def _store(self, fresh: list[Fresh]) -> Content | None:
        """Store chunks that nobody kept, as they are; the content that they are of."""
        left = {each.digest: each for each in fresh if each.digest not in self._known}      # some were stored since
        content, names = self._recording.add_light([memory_at(each.slot, each.size_bytes) for each in left.values()])
        for each in fresh:
            self._pool.free(each.slot)
        self._known.update(zip(left, names))
        self._claimed.update(left)
        return content if left else None
