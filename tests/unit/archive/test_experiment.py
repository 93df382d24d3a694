"""From begin to complete, and what lies between."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rex import codec
from rex.archive import (COMPLETE, INCOMPLETE, RECORDING, Archive, FileEntry, FileState,
                         Manifest)
from rex.archive.sealed import seal, unseal
from rex.errors import Damaged, NotFound
from rex.log import Event, LogReader, LogWriter


def test_the_states_of_a_recording(archive: Archive) -> None:
    with archive.begin(None, {"command": ["a"], "start_ns": 4}) as recording:
        experiment = archive.experiment("exp0")
        assert experiment.state == RECORDING
        assert experiment.begun["command"] == ["a"] and experiment.begun["pid"] == os.getpid()
        with pytest.raises(NotFound, match="recording"):
            experiment.manifest
        with pytest.raises(NotFound):
            experiment.open_log()
        with LogWriter(recording.log_path) as log:
            log.append(Event(1))
            log.flush()
            with LogReader(experiment.open_log()) as reader:
                assert not reader.is_finished and len(list(reader)) == 1
        done = recording.finish(Manifest(("a",)))
    assert done.state == archive.experiment("exp0").state == COMPLETE
    assert sorted(os.listdir(done.directory)) == ["begun", "identity", "lock"]
    assert done.identity == codec.sha256(done.manifest_json()).hex()
    with LogReader(done.open_log()) as reader:
        assert reader.is_finished and len(list(reader)) == 1


def test_without_finish_it_is_incomplete_and_keeps_its_log(archive: Archive) -> None:
    with archive.begin() as recording:
        Path(recording.log_path).write_bytes(b"part")
    experiment = archive.experiment("exp0")
    assert experiment.state == INCOMPLETE
    with experiment.open_log() as stream:
        assert stream.read() == b"part"


def test_a_crash_before_the_facts(archive: Archive) -> None:
    os.mkdir(os.path.join(archive.path, "experiments", "exp7"))
    assert archive.experiment("exp7").state == INCOMPLETE
    assert archive.experiment("exp7").begun == {}
    for lost in ("", "\0" * 100):   # by a failure of the power
        Path(archive.path, "experiments", "exp7", "begun").write_text(lost)
        assert archive.experiment("exp7").begun == {}
    Path(archive.path, "experiments", "exp7", "begun").write_bytes(seal(b"[1]"))
    with pytest.raises(Damaged):
        archive.experiment("exp7").begun
    with archive.begin() as recording:
        assert recording.name == "exp8"


def test_the_manifest_comes_back_and_unchanged_files_are_one_object(archive: Archive) -> None:
    same = FileState("file", 0o644, size=3)
    files = {f"/usr/{n}": FileEntry(same, same, roles=("input",)) for n in range(500)}
    sizes = []
    for n in range(2):
        with archive.begin() as recording:
            files["/out"] = FileEntry(None, FileState("file", size=n), True, ("output",))
            done = recording.finish(Manifest(("a",), files=files))
        assert archive.experiment(done.name).manifest.files == files
        sizes.append(recording.stored_bytes)
    assert sizes[1] < 1000


def test_a_full_disk_leaves_it_incomplete(archive: Archive,
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError), archive.begin() as recording:
        recording.add_bytes(b"x")
        monkeypatch.setattr("rex.archive.packs.PackWriter.seal", full)
        recording.finish(Manifest(("a",)))
    assert archive.experiment("exp0").state == INCOMPLETE
    facts = json.loads(unseal(Path(archive.path, "experiments/exp0/begun").read_bytes(), ""))
    assert facts["format"] == 1
