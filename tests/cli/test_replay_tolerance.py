"""`rex replay --check` with tolerances: recordings whose outputs are a little different from what a replay gives."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from commands import rex, run_rex
from rex.archive import Archive, FileEntry

pytestmark = pytest.mark.usefixtures("tracing")
SCRIPT = "echo name,p > out.csv; echo a,0.5000 >> out.csv; echo loss 0.1234; echo done >&2"


def record_otherwise(folder: Path, old: bytes, new: bytes) -> None:
    """Make A:exp1 of A:exp0: the same recording, but for some bytes of an output or of what was printed, of the same length."""
    archive = Archive.open(folder / "A")
    experiment = archive.experiment("exp0")
    with archive.begin("exp1", experiment.begun) as recording:
        with experiment.open_log() as log:
            Path(recording.log_path).write_bytes(log.read().replace(old, new))
        files = {}
        for path, entry in experiment.manifest.files.items():
            if entry.final and entry.final.content and old in (data := archive.read(entry.final.content)):
                final = replace(entry.final, content=recording.add_bytes(data.replace(old, new)))
                entry = FileEntry(entry.initial, final, entry.is_changed, entry.roles, entry.elf)
            files[path] = entry
            recording.keep(state.content for state in (entry.initial, entry.final) if state and state.content)
        recording.finish(replace(experiment.manifest, files=files, log=None))


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    run_rex("record", "-q", "-l", "A", "--", "sh", "-c", SCRIPT, cwd=tmp_path)
    return tmp_path


def check(folder: Path, *words: str, code: int) -> str:
    return run_rex("replay", "A:exp1", "--check", *words, cwd=folder, code=code).stderr.splitlines()[-1]


def test_a_file_within_tolerance_is_named(recorded: Path) -> None:
    record_otherwise(recorded, b"0.5000", b"0.5001")
    path = recorded / "out.csv"
    assert check(recorded, code=1) == f"rex: A:exp1: {path}: other content (p: 1 of 1 differ, largest relative 0.02 % at row 1)"
    assert check(recorded, "--atol", "0.001", code=0) == (
        f"rex: A:exp1: identical within tolerance; {path}: same within tolerance (1 of 1 differ, largest 0.0001 at row 1, column p)")
    assert check(recorded, "--atol", "0.00001", code=1).startswith(f"rex: A:exp1: {path}: other content (p: 1 of 1 differ")
    told = json.loads(rex("replay", "A:exp1", "--check", "--json", "--rtol", "0.01", cwd=recorded))
    assert told["check"] == 0 and list(told["within_tolerance"]) == [str(path)]


def test_what_is_printed_within_tolerance_is_named(recorded: Path) -> None:
    record_otherwise(recorded, b"0.1234", b"0.1235")
    assert "standard output differs at event" in check(recorded, code=1)
    assert check(recorded, "--rtol", "0.01", code=0) == (
        "rex: A:exp1: identical within tolerance; stdout: same within tolerance (1 of 1 differ, largest 0.0001 at line 1)")
    assert "standard output differs at event" in check(recorded, "--rtol", "0.00001", code=1)
    assert check(recorded, "--ignore", "loss .*", code=0).endswith("stdout: same within tolerance (1 ignored)")


def test_all_runs_have_the_same_words(recorded: Path) -> None:
    record_otherwise(recorded, b"0.5000", b"0.5001")
    done = run_rex("replay", "-l", "A", "--all", "--check", "-o", "o1", cwd=recorded, code=1)
    assert "other content (p: 1 of 1 differ, largest relative 0.02 % at row 1)" in done.stderr
    told = json.loads(rex("replay", "-l", "A", "--all", "--check", "--atol", "0.001", "--json", "-o", "o2", cwd=recorded))
    assert told["identical"] and list(told["runs"]["exp1"]["within_tolerance"]) == [str(recorded / "out.csv")]
    assert told["runs"]["exp0"]["verdict"] == "identical"


def test_all_runs_may_print_a_little_else(recorded: Path) -> None:
    record_otherwise(recorded, b"0.1234", b"0.1235")
    run_rex("replay", "-l", "A", "--all", "--check", "-o", "o1", cwd=recorded, code=1)
    done = run_rex("replay", "-l", "A", "--all", "--check", "--rtol", "0.01", "-o", "o2", cwd=recorded)
    assert "rex: A:exp1: identical within tolerance; stdout: same within tolerance" in done.stderr


def test_tolerances_without_a_check_are_refused(recorded: Path) -> None:
    assert "add --check" in run_rex("replay", "A:exp0", "--rtol", "0.1", cwd=recorded, code=125).stderr


@pytest.mark.stress
def test_every_word_holds_for_a_replay_and_for_all(tmp_path: Path) -> None:
    script = "printf 'n,p\\na,0.5\\nb,0.7\\n' > out.csv"
    run_rex("record", "-q", "-l", "A", "--", "sh", "-c", script, cwd=tmp_path)
    record_otherwise(tmp_path, b"a,0.5\nb,0.7\n", b"b,0.7\na,0.6\n")
    for words, code in (((), 1), (("--any-order",), 1), (("--any-order", "--atol", "0.2"), 0), (("--any-order", "--ulps", str(10 ** 15)), 0),
                        (("--ignore", r"[ab],[\d.]+"), 1), (("--as", "out.csv=text", "--ignore", r"[ab],[\d.]+"), 0)):
        run_rex("replay", "A:exp1", "--check", *words, cwd=tmp_path, code=code)
        run_rex("replay", "-l", "A", "--all", "--check", *words, "-o", f"out-{len(words)}-{code}-{words[-1:]}", cwd=tmp_path, code=code)
    run_rex("rules", "A", "--any-order", "--atol", "0.2", cwd=tmp_path)
    run_rex("replay", "A:exp1", "--check", cwd=tmp_path)
    run_rex("replay", "A:exp1", "--check", "--no-rules", cwd=tmp_path, code=1)
