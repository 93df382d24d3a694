"""`rex plan` as users call it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rex.cli.plan_command import ALGORITHMS, command
from rex.errors import UsageError
from rex.multiversion import planners
from rex.multiversion.sequence import check
from rex.multiversion.tree import ExecutionTree

EXAMPLE = Path(__file__).parents[2] / "data" / "trees" / "example.json"


def run(*args: str) -> str:
    result = CliRunner().invoke(command, ["--tree", str(EXAMPLE), *args], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_side_by_side() -> None:
    told = json.loads(run("--cache", "100", "-j", "2", "--json"))
    assert told["jobs"] == 2 and told["cost"] / 2 <= told["side_by_side"] < told["cost"]
    assert "with 2 processes" in run("--cache", "100", "-j", "2")


def test_a_deadline_chooses_versions() -> None:
    whole, part = json.loads(run("--cache", "25", "--json")), json.loads(run("--cache", "25", "--deadline", "80s", "--json"))
    assert part["cost"] <= 80 < whole["cost"]
    assert 1 <= len(part["versions"]) <= part["at_most"] < part["of"] == 5
    assert f"{len(part['versions'])} of 5 versions" in run("--cache", "25", "--deadline", "80s")
    with pytest.raises(UsageError, match="no version can be replayed in 1.00 s"):
        run("--deadline", "1s")


def test_the_names_are_those_of_the_planners() -> None:
    """The command lists them itself, so that --help imports no planner."""
    assert ALGORITHMS == planners.ALGORITHMS


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_json_holds_a_plan_that_the_checker_accepts(algorithm: str) -> None:
    answer = json.loads(run("--cache", "25", "--algorithm", algorithm, "--json"))
    verdict = check(ExecutionTree.load(EXAMPLE), answer["ops"], 25)
    assert verdict.cost_s == answer["cost"] >= answer["lower_bound"] == 95
    assert answer["no_cache"] == 129
    assert verdict.peak_bytes == answer["peak"] <= 25


def test_text_for_people() -> None:
    text = run("--cache", "25")
    assert "CT b d g k o\n" in text
    assert "proven optimal" in text
    assert "26.4 % are saved" in text
    assert "above the optimum" in run("--cache", "25", "--algorithm", "lfu")


def test_sizes_as_users_write_them() -> None:
    assert json.loads(run("--cache", "1k", "--json"))["cache"] == 1024


@pytest.mark.parametrize("cache", ["-1", "many", "", "1e3"])
def test_bad_sizes(cache: str) -> None:
    with pytest.raises(UsageError, match="bad --cache"):
        run("--cache", cache)


def test_trouble_is_one_line_and_exit_2(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"nodes": [{"id": "a", "parent": "a", "cost": 1, "size": 1}]}')
    for args in ([str(bad)], [str(tmp_path / "none.json")], [str(EXAMPLE), "--algorithm", "magic"]):
        done = subprocess.run([sys.executable, "-m", "rex.cli.main", "plan", "--tree", *args],
                              capture_output=True, text=True)
        assert done.returncode == 2
        assert done.stderr.startswith("rex: ") and done.stderr.count("\n") == 1
