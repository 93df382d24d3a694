"""Facts of processes are read from logs; what no recorder writes is damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from rex.archive import Archive, Manifest
from rex.errors import Damaged
from rex.log import Event, LogWriter
from rex.log.records import EXIT, NO_TASK, TASK
from rex.trees.reader import read_facts

BORN = Event(TASK, args=(NO_TASK, 0, 0, 500, 500, 0))


@pytest.mark.parametrize("events", [
    [BORN, Event(EXIT, task=7)], [Event(EXIT)], [BORN, Event(TASK, task=1, args=(5, 0, 17, 501, 501, 1)), Event(TASK, task=2, args=(1, 0, 17, 502, 502, 7)),
                                                  Event(EXIT, task=2)]])
def test_an_event_of_a_task_that_never_began_is_damage(tmp_path: Path, events: list[Event]) -> None:
    archive = Archive.create(tmp_path / "A")
    with archive.begin("exp0") as recording:
        with LogWriter(recording.log_path) as log:
            for event in events:
                log.append(event)
        experiment = recording.finish(Manifest(("x",)))
    with pytest.raises(Damaged, match="the log of exp0 is damaged"):
        read_facts(experiment)
