"""`rex sweep`: every combination an experiment, with its parameters as labels."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from commands import run_rex

pytestmark = pytest.mark.usefixtures("tracing")

SCRIPT = 'cut -c1-$1 in.csv > cut.txt\necho "$SEED" > seed.txt\nexit 0\n'


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "run.sh").write_text(SCRIPT)
    (tmp_path / "work" / "in.csv").write_text("abcdef\n")
    (tmp_path / "other.csv").write_text("uvwxyz\n")
    run_rex("record", "-q", "-l", "../EXP", "sh", "run.sh", "2", cwd=tmp_path / "work", SEED="0")
    return tmp_path


def test_all_combinations(top: Path) -> None:
    done = run_rex("sweep", "-l", "EXP", "--arg", "2=1,3", "--env", "SEED=1..2", "--file", "in.csv=work/in.csv,other.csv", "-j", "2",
                   "--json", cwd=top)
    found = json.loads(done.stdout)
    assert len(found["runs"]) == 8 and "8 of 8" in done.stderr
    assert found["changes"] == {"arg2": ["cut.txt"], "SEED": ["seed.txt"], "in.csv": ["cut.txt"]}
    last = found["runs"][-1]
    assert last["parameters"] == {"arg2": "3", "SEED": "2", "in.csv": "other.csv"} and last["outputs"]["cut.txt"]["size"] == 4
    listed = run_rex("ls", "EXP", "--where", "SEED=2", "--where", "arg2=3", "--json", cwd=top)
    assert last["experiment"] in listed.stdout
    run_rex("replay", "-l", "EXP", "-e", last["experiment"], "--check", cwd=top)


def test_a_parameter_changes_nothing_within_the_tolerance(top: Path) -> None:
    words = ("sweep", "-l", "EXP", "--env", "SEED=1.0,1.0000001,3", "-q")
    assert json.loads(run_rex(*words, "--json", cwd=top).stdout)["changes"] == {"SEED": ["seed.txt"]}
    found = json.loads(run_rex(*words, "--resume", "--rtol", "1e-3", "--json", cwd=top).stdout)
    assert [run["outputs"]["seed.txt"]["group"] for run in found["runs"]] == [0, 0, 1]
    told = run_rex(*words, "--resume", "--rtol", "1", cwd=top).stdout
    assert told.startswith("rules: --rtol 1\n") and "SEED changes no output" in told


def test_zip_csv_and_outdir(top: Path) -> None:
    done = run_rex("sweep", "EXP:exp0", "--arg", "2=1,3", "--env", "SEED=8..9", "--zip", "--csv", "-q", "-o", "out", cwd=top)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["arg2"], row["SEED"], row["size cut.txt"]) for row in rows] == [("1", "8", "2"), ("3", "9", "4")]
    assert (Path(f"{top}/out/1/files{top}/work") / "seed.txt").read_text() == "9\n" and not done.stderr


def test_resume_runs_what_read_another_file(top: Path) -> None:
    words = ("sweep", "-l", "EXP", "--file", "in.csv=work/in.csv,other.csv", "--resume", "--json", "-q")
    for change, is_old in (("", [False, False]), ("", [True, True]), ("new\n", [True, False])):
        if change:
            (top / "other.csv").write_text(change)
        assert [run["was_there"] for run in json.loads(run_rex(*words, cwd=top).stdout)["runs"]] == is_old


def test_resume_replaces_what_a_kill_left_in_the_output_directory(top: Path) -> None:
    words = ("sweep", "-l", "EXP", "-e", "exp0", "--arg", "2=1", "-q", "-o", "out")
    (top / "out" / "0" / "files").mkdir(parents=True)
    (top / "out" / "0" / "files" / "half").touch()
    done = run_rex(*words, cwd=top, code=2)
    assert "out/0 is not empty" in done.stderr and "exp1" not in run_rex("ls", "EXP", cwd=top).stdout
    run_rex(*words, "--resume", cwd=top)
    assert not (top / "out" / "0" / "files" / "half").exists() and (Path(f"{top}/out/0/files{top}/work") / "cut.txt").read_text() == "a\n"


def test_resume_runs_what_is_missing(top: Path) -> None:
    run_rex("sweep", "-l", "EXP", "-e", "exp0", "--arg", "2=1", "-q", cwd=top)
    found = json.loads(run_rex("sweep", "-l", "EXP", "-e", "exp0", "--arg", "2=1,2", "--resume", "--json", "-q", cwd=top).stdout)
    assert [row["was_there"] for row in found["runs"]] == [True, False]


@pytest.mark.parametrize("words, what", [
    (("--arg", "7=1"), "has no argument 7"), (("--arg", "x=1"), "no number of an argument"), (("--env", "A=5..1"), "the range is empty"),
    (("--env", "A"), "no parameter with values"), (("--file", "in.csv=nowhere"), "there is no nowhere"), ((), "nothing is varied"),
    (("--env", "A=1,2", "--env", "B=1", "--zip"), "equally many"), (("--env", "A=1..999999"), "too many values"), (("--env", "A=1", "--env", "A=2"), "given twice"),
    (("--file", "unknown.csv=other.csv"), "unknown.csv")])
def test_bad_requests_run_nothing(top: Path, words: tuple[str, ...], what: str) -> None:
    done = run_rex("sweep", "-l", "EXP", *words, cwd=top, code=None)
    assert done.returncode and what in done.stderr and len(done.stderr.splitlines()) == 1
    assert "exp1" not in run_rex("ls", "EXP", cwd=top).stdout
