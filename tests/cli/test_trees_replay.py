"""`rex replay --all` of plain recordings: each distinct step once, every run as recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import run_rex
from test_trees import PIPELINE, Study

pytestmark = pytest.mark.usefixtures("tracing")

MAKEFILE = """
report: a.sum b.sum
\tcat a.sum b.sum > report
%.sum: %.dat
\tsha1sum < $< > $@; sort $< | tail -1 >> $@
clean:
\trm -f report a.sum b.sum
"""


def replayed(study: Study, *args: str, out: str = "out") -> dict[str, Any]:
    return json.loads(run_rex("replay", "-l", "EXP", "--all", "--check", "--json", "-o", out, *args, cwd=study.top).stdout)


@pytest.fixture(params=("dash", "bash"), scope="module")
def study(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Study:
    made = Study(tmp_path_factory.mktemp(request.param), request.param, PIPELINE)
    for word in ("a", "b", "a"):
        made.record(word)
    return made


def test_shared_steps_run_once_and_all_is_as_recorded(study: Study) -> None:
    found = replayed(study)
    assert found["identical"] and found["planned"] == pytest.approx(found["lower_bound"]) and found["planned"] < found["one_by_one"]
    assert [len(found["runs"][name]["ran"]) for name in ("exp0", "exp1", "exp2")] == [5, 0, 0]
    assert [len(found["runs"][name]["put_back"]) for name in ("exp0", "exp1", "exp2")] == [0, 3, 5]
    assert {Path(study.top, "out", f"exp{number}.stdout").read_text() for number in range(3)} == {"done\n"}
    made = Path(f"{study.top}/out/exp1{study.work}")
    assert (made / "report.txt").read_text().startswith("1\n")
    assert not list(Path(study.top, "out").glob(".rex*"))


def test_runs_side_by_side(study: Study) -> None:
    assert replayed(study, "-j", "3", out="out3")["identical"]


def test_small_cache_costs_time_only(study: Study) -> None:
    found = replayed(study, "--cache", "0", out="out0")
    assert found["identical"] and found["peak"] == 0 and found["lower_bound"] <= found["planned"] <= found["one_by_one"]
    assert not any(run["put_back"] for run in found["runs"].values()) or found["planned"] < found["one_by_one"]


def test_the_plan_says_what_the_replay_does(study: Study) -> None:
    planned = json.loads(run_rex("plan", "-l", "EXP", "--json", cwd=study.top).stdout)
    found = replayed(study, out="planned")
    assert found["planned"] == pytest.approx(planned["cost"]) == pytest.approx(planned["lower_bound"])
    assert planned["gap"] == pytest.approx(0) and found["one_by_one"] == pytest.approx(planned["one_by_one"])
    for name, ops in planned["runs"].items():
        assert [step for what, step in ops if what == "PB"] == found["runs"][name]["put_back"]
        kept = set(planned["kept"])
        assert [step for what, step in ops if what == "CT" and step in kept] == found["runs"][name]["ran"]
    assert found["processor"] > 0


def test_a_plan_for_people(study: Study) -> None:
    told = run_rex("plan", "EXP", cwd=study.top).stdout
    assert told.startswith("exp0  CT s1 s2 s3 s4 s5  CP s1 ") and "proven optimal" in told and "without a limit" in told
    some = run_rex("plan", "-l", "EXP", "-e", "exp[02]", "-j", "2", cwd=study.top).stdout
    assert "exp1" not in some and "with 2 runs at a time" in some and "2 runs, 10 steps" in some
    for words, why in ((("--algorithm", "lfu"), "plans cells"), (("-e", "no*"), "no finished run of EXP is named no*"), (("--cache", "x"), "bad --cache"),
                       (("--deadline", "0.0001s"), "no run can be replayed in")):
        done = run_rex("plan", "-l", "EXP", *words, cwd=study.top, code=None)
        assert done.returncode in (2, 10) and why in done.stderr and done.stderr.count("\n") == 1


def test_some_runs(study: Study) -> None:
    assert set(replayed(study, "-e", "exp[02]", out="some")["runs"]) == {"exp0", "exp2"}
    done = run_rex("replay", "-l", "EXP", "--all", "-e", "nothing*", "-o", "none", cwd=study.top, code=None)
    assert done.returncode == 125 and "no finished run" in done.stderr


def test_runs_that_fit_a_deadline(study: Study) -> None:
    planned = replayed(study, "-j", "1", out="all")["planned"]
    done = run_rex("replay", "-l", "EXP", "--all", "--check", "--json", "--deadline", f"{planned - 1e-5:.9f}s", "-o", "fit", cwd=study.top)
    found = json.loads(done.stdout)
    assert found["identical"] and len(found["runs"]) == 2 and found["of"] == 3 and 2 <= found["at_most"] <= 3
    assert found["planned"] <= found["deadline"] < planned
    assert f"2 of 3 runs fit {found['deadline']:.2f} s; no choice has more than {found['at_most']}" in done.stderr
    done = run_rex("replay", "-l", "EXP", "--all", "--deadline", "0.0000001s", "-o", "nofit", cwd=study.top, code=None)
    assert done.returncode == 125 and "no run can be replayed in" in done.stderr


@pytest.mark.parametrize("shell", ("dash", "bash"))
def test_a_file_that_two_programs_read_one_after_the_other(shell: str, tmp_path: Path) -> None:
    study = Study(tmp_path, shell, "{ head -n 1 > head.txt; cat > rest.txt; } < in.txt\n")
    for _ in range(2):
        study.record()
    assert replayed(study)["identical"]


def test_makefile(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.write("Makefile", MAKEFILE)
    for text in ("1\n3\n2\n", "5\n4\n", "1\n3\n2\n"):
        study.write("a.dat", text)
        study.write("b.dat", "7\n8\n")
        run_rex("record", "-q", "-l", "../EXP", "make", "-s", cwd=study.work)
        for name in ("report", "a.sum", "b.sum"):
            (study.work / name).unlink()
    found = replayed(study)
    assert found["identical"]
    assert len(found["runs"]["exp2"]["ran"]) == 0 and found["runs"]["exp2"]["put_back"]
