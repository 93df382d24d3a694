"""Objects that a script saved by hand, or a statement added to it: sent by a worker, and built again."""

from __future__ import annotations

from typing import Any, Iterator

from rex.archive import Archive
from rex.hindsight.capture.chunks import ChunkReader
from rex.hindsight.capture.graph import Snapshot, decode_plain, decode_snapshot, encode_plain, encode_snapshot
from rex.hindsight.capture.kinds import Shapes
from rex.hindsight.capture.memory import Keeper
from rex.hindsight.capture.restore import restore
from rex.hindsight.capture.tables import StoredMemory, read_table
from rex.hindsight.instrument.usercode import UserCode
from rex.hindsight.replay.choice import latest_run
from rex.hindsight.trace.records import read_run
from rex.state.store import read_content
from rex.values import dataclass


@dataclass(frozen=True, slots=True)
class Saved:
    """An object that an added statement saved.

    Attributes:
        structure: all of it but its memory. buffers: see `Taken`. chunks: by digest. opaque: what cannot be built again, and why.
    """

    structure: bytes
    buffers: dict[bytes, tuple[int, list[bytes]]]
    chunks: dict[bytes, bytes]
    opaque: dict[str, str]


def encode_saved(snapshot: Snapshot, keeper: Keeper) -> bytes:
    """An object as a worker sends it."""
    return encode_plain((encode_snapshot(snapshot), keeper.taken.buffers, keeper.chunks, snapshot.opaque))


def decode_saved(data: bytes) -> Saved:
    """An object as a worker sent it."""
    return Saved(*decode_plain(data))


def load_saved(path: str, name: str, experiment: str | None) -> Iterator[Any]:
    """Every object that a run saved under a name, in order.

    Raises:
        NotFound: there is no such run.
        Cannot: its class is not found again.
    """
    archive = Archive.open(path)
    run = read_run(archive, archive.experiment(experiment or latest_run(archive)))
    shapes, chunks = Shapes(UserCode()), ChunkReader(archive.store)
    for checkpoint in run.checkpoints:
        if checkpoint.position.rpartition(".")[0] != f"={name}":
            continue
        snapshot = decode_snapshot(read_content(archive, checkpoint.structure))
        values, build = restore(snapshot, shapes, [], StoredMemory(read_table(archive, checkpoint.table), chunks))
        build.finish()
        yield values["saved"]
