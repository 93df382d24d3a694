"""The log of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rex.archive import Archive, Content
from rex.errors import Damaged, TooNew
from rex.hindsight.trace.records import (ENGINE, FORMAT, Checkpoint, LogWriter, Run, add_line, checkpoint_to_json, content_of,
                                   read_run)

CHECKPOINT = Checkpoint(3, "m#0.0:1", Content("ab" * 32, 5), Content("cd" * 32, 9, 1, "ef" * 32), {"x": "why"}, 0.25, 7, 4)


def test_a_checkpoint_is_read_as_it_was_written() -> None:
    run = Run()
    add_line(run, {"k": "border", "position": "m#0.0:1", "at_s": 1.0, "spent_s": 0.5, "clock": 2, "entropy": 3})
    add_line(run, json.loads(json.dumps({"k": "checkpoint", **checkpoint_to_json(CHECKPOINT)})))
    assert run.checkpoints == [CHECKPOINT] and run.borders[0].checkpoint == CHECKPOINT
    assert run.border("m#0.0:1") == 0 and run.border("m#0.0:2") is None


def test_lines_of_other_kinds_are_passed_over() -> None:
    run = Run()
    add_line(run, {"k": "something new", "x": 1})
    assert run == Run()


def test_states_of_an_older_format_are_passed_over() -> None:
    run = Run()
    add_line(run, {"k": "run", "format": FORMAT - 1})
    add_line(run, {"k": "checkpoint", **checkpoint_to_json(CHECKPOINT)})
    assert run.head and not run.checkpoints


def test_a_newer_format_is_refused() -> None:
    with pytest.raises(TooNew):
        add_line(Run(), {"k": "run", "format": FORMAT + 1})


@pytest.mark.parametrize("named", [[1, 2], ["ab", "2"], [], ["ab"]])
def test_contents_are_checked(named: list[object]) -> None:
    with pytest.raises((ValueError, TypeError)):
        content_of(named)


def _written(folder: Path, tail: bytes) -> Run:
    archive = Archive.create(folder / "EXP")
    recording = archive.begin("run", {"engine": ENGINE})
    log = LogWriter(recording.log_path)
    log.write("run", format=FORMAT, script="s.py")
    log.write("out", text="a\udcffb")
    log.close()
    with open(recording.log_path, "ab") as file:
        file.write(tail)
    recording.abandon()
    return read_run(archive, archive.experiment("run"))


def test_a_run_that_broke_off_is_read_to_its_last_whole_line(tmp_path: Path) -> None:
    run = _written(tmp_path, b'{"k":"value","name":"x","value":1,"iteration":0}\n{"k":"val')
    assert run.outputs == ["a\udcffb"] and len(run.values) == 1


@pytest.mark.parametrize("tail", [b"not json\n", b'{"no":"kind"}\n', b'{"k":"border"}\n', b'{"k":"out"}\n', b"[1]\n",
                                  b'{"k":"clock","s":5}\n', b"[" * 100_000 + b"\n"])
def test_damage_is_told(tmp_path: Path, tail: bytes) -> None:
    with pytest.raises(Damaged):
        _written(tmp_path, tail)


def test_checkpoints_are_not_taken_over_from_another_log(tmp_path: Path) -> None:
    log = LogWriter(str(tmp_path / "log"))
    log.copy(b'{"k":"checkpoint","number":1}\n')
    log.copy(b'{"k":"out","text":"x"}\n')
    log.copy(b'{"k":"out","te')
    log.close()
    assert (tmp_path / "log").read_bytes() == b'{"k":"out","text":"x"}\n'
