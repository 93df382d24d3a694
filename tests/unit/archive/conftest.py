"""What the tests of the archive share."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest

from rex.archive import Archive, Experiment, FileEntry, FileState, Manifest
from rex.log import Event, LogWriter


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """A new, empty archive."""
    return Archive.create(tmp_path / "archive")


@pytest.fixture
def record(archive: Archive) -> Callable[..., Experiment]:
    """Record an experiment that used these files: record({path: bytes}, name)."""
    def run(files: dict[str, bytes], name: str | None = None) -> Experiment:
        with archive.begin(name, {"start_ns": 1}) as recording:
            entries = {}
            for path, data in files.items():
                content = recording.add_bytes(data)
                state = FileState("file", 0o644, size=len(data), content=content)
                entries[path] = FileEntry(state, state)
            with LogWriter(recording.log_path, start_ns=1) as log:
                log.append(Event(1))
            return recording.finish(Manifest(("run",), files=entries))
    return run
