"""Reports, labels and notes of recordings, replays and new experiments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import run_rex

pytestmark = pytest.mark.usefixtures("tracing")


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_reports_of_the_three_that_run_programs(tmp_path: Path) -> None:
    done = run_rex("record", "-q", "-l", "A", "--report", "r.json", "--", "sh", "-c", "echo out; echo err >&2; exit 3", cwd=tmp_path, code=3)
    assert (done.stdout, done.stderr) == ("out\n", "err\n")
    assert read(tmp_path / "r.json")["experiment"] == "exp0" and read(tmp_path / "r.json")["exit_status"] == 3
    done = run_rex("replay", "-q", "-l", "A", "-o", "o", "--report=r.json", cwd=tmp_path, code=3)
    assert done.stdout == "out\n" and read(tmp_path / "r.json")["verdict"] == "identical"
    done = run_rex("runnew", "--headless", "-q", "-l", "A", "-o", "o2", "--record", "new", "--report", "r.json", cwd=tmp_path, code=3)
    assert done.stdout == "out\n" and read(tmp_path / "r.json")["experiment"] == "new"


def test_a_failure_is_in_the_report(tmp_path: Path) -> None:
    run_rex("replay", "-l", "A", "--report", "r.json", cwd=tmp_path, code=125)
    assert read(tmp_path / "r.json")["error"] == "NotFound"
    run_rex("record", "-l", "A", "--report", "r.json", "--", "./none", cwd=tmp_path, code=127)
    assert read(tmp_path / "r.json")["code"] == 127


def test_a_wrong_path_is_told_before_anything_runs(tmp_path: Path) -> None:
    done = run_rex("record", "-l", "A", "--report", "none/r.json", "--", "touch", "ran", cwd=tmp_path, code=125)
    assert "none/r.json" in done.stderr and not (tmp_path / "ran").exists() and not (tmp_path / "A").exists()


def test_the_programs_own_option_is_its_own(tmp_path: Path) -> None:
    run_rex("record", "-q", "-l", "A", "echo", "--report", "r.json", cwd=tmp_path)
    assert not (tmp_path / "r.json").exists()


def test_a_recording_has_labels_and_a_note(tmp_path: Path) -> None:
    run_rex("record", "-q", "-l", "A", "--label", "seed=3", "--label", "k=", "--note", "a note", "--", "true", cwd=tmp_path)
    told = json.loads(run_rex("ls", "A", "--json", cwd=tmp_path).stdout)[0]["experiments"][0]
    assert (told["labels"], told["note"]) == ({"seed": "3", "k": ""}, "a note")
    done = run_rex("record", "-l", "A", "--label", "seed", "--", "touch", "ran", cwd=tmp_path, code=125)
    assert "is no label" in done.stderr and not (tmp_path / "ran").exists()
    run_rex("replay", "-q", "-l", "A", "--check", "-o", "o", cwd=tmp_path)


def test_a_recording_is_verified_at_once(tmp_path: Path) -> None:
    done = run_rex("record", "-l", "A", "--verify", "--report", "r.json", "--", "sh", "-c", "date > out; exit 3", cwd=tmp_path, code=3)
    assert "verified: a replay is identical" in done.stderr and read(tmp_path / "r.json")["verified"] is True
    run_rex("record", "-q", "-l", "A", "--", "true", cwd=tmp_path)
    told = json.loads(run_rex("ls", "A", "--json", cwd=tmp_path).stdout)[0]["experiments"]
    assert [each["verified"] for each in told] == [True, None]
    shown = run_rex("ls", "A", cwd=tmp_path).stdout.splitlines()
    assert ", verified" in shown[1] and "verified" not in shown[2]


def test_a_recording_that_does_not_replay_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("data\n", encoding="ascii")
    done = run_rex("record", "-l", "A", "--verify", "--exclude", "in", "--", "cat", "in", cwd=tmp_path)
    assert "NOT verified: a replay differs" in done.stderr and "without --exclude" in done.stderr and done.stdout == "data\n"
    assert ", NOT verified" in run_rex("ls", "A", cwd=tmp_path).stdout
