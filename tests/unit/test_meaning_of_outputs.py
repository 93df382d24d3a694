"""Outputs compared by meaning: what the rules allow is named and does not count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.builders import Bench
from commands import rex
from rex.contents.rules import Rules
from rex.expdiff.compare import Side, compare
from rex.expdiff.difference import Comparison

CSV = b"name,p\na,0.25\nb,0.5\n"
CLOSE, FAR = CSV.replace(b"0.5", b"0.5000000001"), CSV.replace(b"0.5", b"0.75")
LOOSE = Rules(rtol=1e-6)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A new archive."""
    return Bench(tmp_path / "A")


def run(bench: Bench, one: dict[str, Any], two: dict[str, Any], rules: Rules = Rules()) -> Comparison:
    return compare(*(Side(bench.archive, bench.record(**facts)) for facts in (one, two)), rules=rules)


@pytest.mark.parametrize("made", [lambda data: {"outputs": {"/o.csv": data}}, lambda data: {"stdout": data}, lambda data: {"stderr": data}])
def test_an_output_within_tolerance_is_named_and_does_not_count(bench: Bench, made: Any) -> None:
    found = run(bench, made(CSV), made(CLOSE), LOOSE)
    within, = found.within
    assert found.is_same and not found.causes
    assert within.details["verdict"]["sentence"].startswith("same within tolerance (1 of ")
    assert not run(bench, made(CSV), made(FAR), LOOSE).is_same
    assert not run(bench, made(CSV), made(CLOSE)).is_same


def test_inputs_count_whatever_the_rules_are(bench: Bench) -> None:
    found = run(bench, {"inputs": {"/i.csv": CSV}}, {"inputs": {"/i.csv": CLOSE}}, LOOSE)
    assert not found.is_same and not found.within
    assert found.components["inputs"][0].notes[1] == "same within tolerance (1 of 2 differ, largest 1e-10 at row 2, column p)"


def test_another_mode_counts_though_the_content_is_within_tolerance(bench: Bench) -> None:
    found = run(bench, {"outputs": {"/o.csv": CSV}}, {"outputs": {"/o.csv": CLOSE}, "mode": 0o600}, LOOSE)
    assert not found.is_same and not found.within


def test_a_moved_working_directory_does_not_make_an_output_count(bench: Bench) -> None:
    found = run(bench, {"cwd": "/a", "outputs": {"/a/o.csv": CSV}}, {"cwd": "/b", "outputs": {"/b/o.csv": CLOSE}}, LOOSE)
    assert found.components["outputs"] == [] and [each.item for each in found.within] == ["o.csv"]


def test_an_output_that_only_one_has_counts(bench: Bench) -> None:
    assert not run(bench, {"outputs": {"/o.csv": CSV}}, {}, Rules(rtol=1.0)).is_same


def test_the_command_says_the_verdict_and_ends_as_it_is(bench: Bench, tmp_path: Path) -> None:
    for data in (CSV, CLOSE, FAR):
        bench.record(outputs={"/o.csv": data})
    differ = rex("expdiff", "A:exp0", "A:exp2", "--rtol", "1e-6", cwd=tmp_path, code=1)
    assert "    p: 1 of 2 differ, largest relative 33 % at row 2\n" in differ
    same = rex("expdiff", "A:exp0", "A:exp1", "--rtol", "1e-6", cwd=tmp_path)
    assert "  outputs          same\n" in same
    assert "  not counted      /o.csv: same within tolerance (1 of 2 differ, largest 1e-10 at row 2, column p)\n" in same
    told = json.loads(rex("expdiff", "A:exp0", "A:exp1", "--atol", "1", "--json", cwd=tmp_path))
    assert told["same"] and told["within_tolerance"][0]["verdict"]["within"] == 1
    rex("expdiff", "A:exp0", "A:exp1", cwd=tmp_path, code=1)


@pytest.mark.parametrize("words, why", [
    (["--ignore", "("], "no regular expression"), (["--as", "a=docx"], "formats are"), (["--as", "csv"], "write results.txt=csv"),
    (["--rtol", "-1"], "--rtol"), (["--rtol", "nan"], "no number from 0 on")])
def test_wrong_rules_are_one_line(bench: Bench, tmp_path: Path, words: list[str], why: str) -> None:
    from commands import run_rex
    bench.record()
    done = run_rex("expdiff", "A:exp0", "A:exp0", *words, cwd=tmp_path, code=2)
    assert done.stderr.count("\n") == 1 and why in done.stderr
