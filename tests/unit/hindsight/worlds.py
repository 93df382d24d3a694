"""Small states to capture, change, and restore within one process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rex.archive import Archive
from rex.hindsight.capture.chunks import ChunkReader
from rex.hindsight.capture.graph import Snapshot, walk_roots
from rex.hindsight.capture.kinds import Shapes
from rex.hindsight.capture.memory import Hasher
from rex.hindsight.capture.restore import restore
from rex.hindsight.capture.tables import StoredMemory, read_table
from rex.hindsight.instrument.usercode import UserCode
from rex.hindsight.policy.remade import Remade
from rex.hindsight.record.writer import CheckpointWriter
from rex.hindsight.trace.records import Checkpoint, LogWriter
from rex.state.store import read_content


class World:
    """Names with values, checkpoints of them in an archive, and a way back."""

    def __init__(self, folder: Path) -> None:
        self.archive = Archive.create(folder / "EXP")
        self.recording = self.archive.begin("run", {}, level=1, is_light=True)
        self.log = LogWriter(self.recording.log_path)
        self.writer = CheckpointWriter(self.recording, self.log)
        self.writer.linger_s = 0.0
        self.shapes = Shapes(UserCode())
        self.count = 0

    def save(self, remade: Remade | None = None, **roots: Any) -> Snapshot:
        """Take a checkpoint."""
        copier = self.writer.copier(remade)
        snapshot = walk_roots(self.shapes, copier, sorted(roots.items()))
        self.writer.put(str(self.count), snapshot, copier.taken, 0.0)
        self.count += 1
        return snapshot

    def written(self) -> list[Checkpoint]:
        """Every checkpoint, once all are stored."""
        self.writer.wait()
        assert self.writer.failure is None, self.writer.failure
        return self.writer.written

    def restore(self, number: int, **live: Any) -> dict[str, Any]:
        """The values at a checkpoint; live objects take on what they had."""
        from rex.hindsight.capture.graph import decode_snapshot
        checkpoint = self.written()[number]
        snapshot = decode_snapshot(read_content(self.archive, checkpoint.structure))
        values, build = restore(snapshot, self.shapes, sorted(live.items()),
                                StoredMemory(self.table(checkpoint), ChunkReader(self.archive.store)))
        build.finish()
        return values

    def table(self, checkpoint: Checkpoint) -> Any:
        """Where its memory is."""
        return read_table(self.archive, checkpoint.table)

    def digests(self, **roots: Any) -> dict[str, bytes]:
        """The hash of each value's state."""
        return walk_roots(self.shapes, Hasher(), sorted(roots.items())).digests()

    def close(self) -> None:
        self.writer.close()
        self.log.close()
        self.recording.abandon()
