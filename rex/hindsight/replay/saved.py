"""Objects that a script saved by hand, built again."""

from __future__ import annotations

from typing import Any, Iterator

from rex.archive import Archive
from rex.hindsight.capture.deltas import ChunkReader
from rex.hindsight.capture.graph import decode_snapshot
from rex.hindsight.capture.kinds import Shapes
from rex.hindsight.capture.restore import restore
from rex.hindsight.capture.tables import StoredMemory, read_table
from rex.hindsight.instrument.usercode import UserCode
from rex.hindsight.replay.choice import latest_run
from rex.hindsight.trace.records import read_run
from rex.state.store import read_content


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
