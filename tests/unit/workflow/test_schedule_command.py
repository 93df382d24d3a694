"""`rex schedule` from the outside."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rex.cli.schedule_command import command
from rex.errors import UsageError
from rex.workflow.dag import dag_as_json
from rex.workflow.shapes import generate

from .test_wfcommons import NEW


@pytest.fixture
def dag_path(tmp_path: Path) -> Path:
    path = tmp_path / "dag.json"
    path.write_text(json.dumps(dag_as_json(generate("LIGO", 30))))
    return path


def run_json(*args: object) -> dict[str, object]:
    done = CliRunner().invoke(command, [*map(str, args), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_answer_can_be_evaluated_again(dag_path: Path, tmp_path: Path) -> None:
    told = run_json(dag_path, "--mtbf", "1h", "--downtime", "30s", "--budget", "0.2", "--simulate", "3000")
    assert told["t_inf"] < told["expected_makespan"] and told["ratio"] > 1
    simulated = told["simulation"]
    assert abs(simulated["mean_s"] - told["expected_makespan"]) < 5 * simulated["standard_error_s"]
    (tmp_path / "s.json").write_text(json.dumps(told))
    again = run_json(dag_path, "--mtbf", "1h", "--downtime", "30s", "--evaluate", tmp_path / "s.json")
    assert again["expected_makespan"] == pytest.approx(told["expected_makespan"], rel=1e-12)
    assert set(told["saved_s"]) == set(told["checkpointed"]) and min(told["saved_s"].values()) > -1e-6
    assert again["order"] == told["order"] and again["checkpointed"] == told["checkpointed"]


def test_a_named_heuristic_is_no_better_than_best(dag_path: Path) -> None:
    named = run_json(dag_path, "--mtbf", "3h", "--heuristic", "BF-CkptC")
    best = run_json(dag_path, "--mtbf", "3h", "--budget", "0.2")
    assert named["heuristic"] == "BF-CkptC" and best["expected_makespan"] <= named["expected_makespan"]


def test_overflow_is_null_and_a_logarithm(dag_path: Path) -> None:
    told = run_json(dag_path, "--mtbf", "1s", "--heuristic", "DF-CkptNvr")
    assert told["expected_makespan"] is None and told["ratio"] is None
    assert told["log_expected_makespan"] > 709


def test_tables_name_what_to_persist(dag_path: Path) -> None:
    done = CliRunner().invoke(command, [str(dag_path), "--mtbf", "1h", "--budget", "0.1", "--simulate", "10"])
    assert done.exit_code == 0
    for word in ("nothing", "everything", "T/T_inf", "persist the output of", "order: ", "best of the fourteen",
                 "simulated 10"):
        assert word in done.stdout


def test_wfcommons_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "wf.json"
    path.write_text(json.dumps(NEW))
    told = run_json(path, "--mtbf", "10", "--bandwidth", "1k", "--latency", "0.1")
    assert told["order"] == ["a", "b"] and told["optimal"] is True


@pytest.mark.parametrize("args, said", [
    (["--mtbf", "1h", "--heuristic", "X"], "no heuristic 'X'"),
    (["--mtbf", "0"], "MTBF must be positive"),
    (["--mtbf", "1s", "--heuristic", "DF-CkptNvr", "--simulate", "10"], "take too long"),
    (["--mtbf", "1h", "--heuristic", "DF-CkptAlws", "--max-bytes", "1k"], "limit in bytes"),
])
def test_bad_requests_are_usage_errors(dag_path: Path, args: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        CliRunner().invoke(command, [str(dag_path), *args], catch_exceptions=False)


def test_a_real_process_ends_with_code_two(tmp_path: Path) -> None:
    (tmp_path / "dag.json").write_text('{"tasks": [{"id": "a", "weight": -1}]}')
    root = Path(__file__).resolve().parents[3]
    for args in (["dag.json", "--mtbf", "1h"], ["none.json", "--mtbf", "1h"],
                 ["dag.json", "--mtbf", "soon"], ["dag.json"]):
        done = subprocess.run([sys.executable, "-m", "rex.cli.main", "schedule", *args], cwd=tmp_path,
                              env={"PYTHONPATH": str(root)}, capture_output=True, text=True, check=False)
        assert done.returncode == 2 and done.stdout == ""
        assert done.stderr.startswith("rex: ") and done.stderr.count("\n") == 1


def test_without_numpy_it_says_so(dag_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(UsageError, match="needs numpy"):
        CliRunner().invoke(command, [str(dag_path), "--mtbf", "1h"], catch_exceptions=False)
