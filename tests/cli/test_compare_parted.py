"""`rex compare --parted`: where many runs parted from the first, process by process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import rex, run_rex

pytestmark = pytest.mark.usefixtures("tracing")
SAME = {"PYTEST_CURRENT_TEST": "x"}     # pytest sets it anew for each part of a test
SCRIPT = "sort data.txt > sorted.txt; head -n 1 sorted.txt > first.txt; cat other.txt > copy.txt"


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """One run, two with other data, one with another file that another process reads, and the first once more."""
    for data, other in (("b\na\n", "1\n"), ("c\nb\n", "1\n"), ("d\nc\n", "1\n"), ("b\na\n", "2\n"), ("b\na\n", "1\n")):
        (tmp_path / "data.txt").write_text(data)
        (tmp_path / "other.txt").write_text(other)
        run_rex("record", "-q", "-l", "A", "--", "sh", "-c", SCRIPT, cwd=tmp_path, **SAME)
    return tmp_path


def test_each_process_and_the_chain_to_each_output(recorded: Path) -> None:
    found = json.loads(rex("compare", "A", "--parted", "--json", cwd=recorded, code=1))["parted"]
    assert [each["experiments"] for each in found] == [["exp1", "exp2"], ["exp3"]]
    names = [[each["process"].split(" ")[0] for each in group["processes"]] for group in found]
    assert names == [["sort", "head"], ["cat"]]
    sort, head = found[0]["processes"]
    assert sort["item"] == f"{recorded}/data.txt" and sort["event_left"] and sort["event_right"]
    assert head["item"] == f"{recorded}/sorted.txt" and "sorted.txt differs, which " in head["what"]
    assert {each["output"].rpartition("/")[2] for each in found[0]["causes"]} == {"sorted.txt", "first.txt"}
    told = rex("compare", "A", "--parted", cwd=recorded, code=1)
    assert "\n  exp1, exp2\n" in told and f"input {recorded}/data.txt differs" in told and "wrote " + f"{recorded}/first.txt" in told


def test_an_argument_is_the_first_that_differs(recorded: Path) -> None:
    run_rex("record", "-q", "-l", "A", "-e", "more", "--", "sh", "-c", SCRIPT, "sh", "extra", cwd=recorded, **SAME)
    found = json.loads(rex("compare", "A", "exp4", "more", "--parted", "--json", cwd=recorded))["parted"]
    assert [each["item"] for group in found for each in group["processes"]] == ["arguments 3 to 4"]
    assert found[0]["processes"][0]["event_right"] == 0 and not found[0]["causes"]


def test_runs_that_were_given_the_same_did_not_part(recorded: Path) -> None:
    told = rex("compare", "A", "exp0", "exp4", "--parted", cwd=recorded)
    assert "none of them was given anything else than the first" in told


def test_what_separates_all_runs_is_the_reason_in_each(tmp_path: Path) -> None:
    """The argument differs in all runs; over all of them only the configuration goes with fixed.txt."""
    for seed, config in (("1", "x"), ("2", "x"), ("3", "y"), ("4", "y")):
        (tmp_path / "config.txt").write_text(f"{config}\n")
        run_rex("record", "-q", "-l", "A", "--", "sh", "-c", 'read c < config.txt; echo "$1" > seed.txt; echo "$c" > fixed.txt', "sh", seed, cwd=tmp_path, **SAME)
    found = json.loads(rex("compare", "A", "--parted", "--json", cwd=tmp_path, code=1))["parted"]
    reasons = {cause["output"].rpartition("/")[2]: cause["item"] for cause in found[1]["causes"]}
    assert found[1]["experiments"] == ["exp2", "exp3"]
    assert reasons == {"seed.txt": "argument 4", "fixed.txt": f"{tmp_path}/config.txt"}
