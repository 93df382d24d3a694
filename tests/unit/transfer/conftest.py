"""What the tests of transfers share."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Callable, Iterator

import pytest

from rex.archive import Archive, Experiment, FileEntry, FileState, Manifest
from rex.log import Event, LogWriter
from rex.transfer.remote import Remote

Record = Callable[..., Experiment]


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """A new, empty archive."""
    return Archive.create(tmp_path / "archive")


@pytest.fixture
def record(archive: Archive) -> Record:
    """Record: record({path: bytes or state}, name, events, **facts)."""
    def run(files: dict[str, bytes | FileState], name: str | None = None, events: list[Event] | None = None,
            entries: dict[str, FileEntry] | None = None, **facts: object) -> Experiment:
        with archive.begin(name) as recording:
            found = dict(entries or {})
            for path, data in files.items():
                state = data if isinstance(data, FileState) else FileState(
                    "file", 0o644, mtime_ns=1_000_000_001, size=len(data), content=recording.add_bytes(data))
                found[path] = FileEntry(state, state, roles=("input",) if state.type == "file" else ())
            with LogWriter(recording.log_path, start_ns=1) as log:
                for event in events or []:
                    log.append(event)
            return recording.finish(Manifest(**{  # type: ignore[arg-type]
                "command": ("/bin/run", "a b"), "cwd": "/w", "files": found, "exit_status": 0, "environment": {"A": "$b \"c\""}, **facts}))
    return run


@pytest.fixture(params=["memory", "file"])
def remote(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Remote]:
    """An empty place behind a URL."""
    if request.param == "file":
        yield Remote(f"file://{tmp_path}/remote/deep")
        return
    fsspec = pytest.importorskip("fsspec")
    name = f"/{uuid.uuid4().hex}"
    yield Remote(f"memory:/{name}/deep")
    filesystem = fsspec.filesystem("memory")
    if filesystem.exists(name):
        filesystem.rm(name, recursive=True)
