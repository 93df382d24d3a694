"""`rex compare`: many experiments at once."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from cli.builders import Bench
from commands import rex, run_rex
from rex.archive import ElfFacts
from rex.expdiff.many import arguments
from rex.expdiff.separating import misplaced


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "A")


def library(version: str) -> dict[str, tuple[bytes, ElfFacts]]:
    return {f"/lib/libblas.so.{version}": (version.encode(), ElfFacts(soname="libblas.so.3"))}


def record_forty(bench: Bench) -> None:
    """Forty seeds of one simulation with three versions of a library, of which one gives other digits."""
    for seed in range(40):
        version = ("3.9", "3.10", "3.11")[seed % 3]
        value = 0.5 + seed + (1e-9 if version == "3.11" else 0)
        bench.record(command=("sim", "--seed", str(seed)), apparatus=library(version), environment={"RUN": str(seed)}, stdout=f"{seed}\n".encode(),
                     outputs={"/w/mean.csv": b"p\n0.2500000001\n" if version == "3.11" else b"p\n0.25\n", "/w/state.txt": f"{value!r}\n".encode(),
                              "/w/same.txt": b"same\n"})


def test_the_library_among_forty_runs_is_named(bench: Bench, tmp_path: Path) -> None:
    record_forty(bench)
    told = rex("compare", "A", cwd=tmp_path, code=1)
    assert "mean.csv: 2 distinct results (A: 27, B: 13)\n  mean.csv differs exactly where libblas.so.3 is 3.11\n" in told
    assert "standard output has another result exactly for each value of the option --seed; the variable RUN separates" in told
    assert "3 of 6 outputs are the same in all 40 experiments" in told     # same.txt, standard error, exit status
    assert told.splitlines()[0].split() == ["EXPERIMENT", "argument", "program", "or", "library", "variable", "mean.csv", "state.txt", "standard", "output"]
    table = list(csv.DictReader(io.StringIO(rex("compare", "A", "--csv", cwd=tmp_path, code=1))))
    assert len(table) == 40 and table[2]["mean.csv"] == "B" and table[2]["argument --seed"] == "2"
    found = json.loads(rex("compare", "A", "--json", "--rtol", "1e-6", cwd=tmp_path, code=1))
    assert {each["name"]: each["distinct"] for each in found["outputs"]} == {
        "mean.csv": 1, "state.txt": 40, "same.txt": 1, "standard output": 40, "standard error": 1, "exit status": 1}


def test_what_the_rules_allow_is_counted_and_named(bench: Bench, tmp_path: Path) -> None:
    for value in (b"1.0\n", b"1.001\n", b"1.002\n", b"3.0\n"):
        bench.record(outputs={"/w/o.txt": value})
    told = rex("compare", "A", "--rtol", "0.01", cwd=tmp_path, code=1)
    assert told.startswith("rules: --rtol 0.01\nEXPERIMENT ") and "\nnot counted: o.txt: 4 different contents, 2 distinct results within tolerance\n" in told
    found = json.loads(rex("compare", "A", "--rtol", "0.01", "--json", cwd=tmp_path, code=1))["outputs"]
    assert [(each["contents"], each["distinct"]) for each in found if each["name"] == "o.txt"] == [(4, 2)]


def test_chosen_experiments_in_every_form(bench: Bench, tmp_path: Path) -> None:
    for seed in range(4):
        bench.record(outputs={"/o": str(seed % 2).encode()})
    for name in ("A:exp0", "A:exp2"):
        rex("label", name, "kind=even", cwd=tmp_path)
    for words in (["A", "--where", "kind=even"], ["A:exp0", "A:exp2"], ["A", "exp0", "exp2"], ["-l", "A", "-e", "exp0", "-e", "exp2"]):
        assert json.loads(rex("compare", *words, "--json", cwd=tmp_path))["experiments"] == ["exp0", "exp2"]
    told = rex("compare", "A", "--against", "A:exp1", cwd=tmp_path, code=1)
    assert [line.split() for line in told.splitlines()[1:5]] == [["exp1", "A", "A"], ["exp0", "B", "B"], ["exp2", "B", "B"], ["exp3", "A", "A"]]
    assert rex("compare", "A", "--matrix", cwd=tmp_path, code=1).splitlines()[1].split() == ["exp0", "0", "1", "0", "1"]
    assert "fewer than two" in run_rex("compare", "A:exp0", cwd=tmp_path, code=2).stderr


def test_what_cannot_be_compared_is_one_line(bench: Bench, tmp_path: Path) -> None:
    for _ in range(2):
        bench.record(outputs={"/o": b"1"})
    bench.record("notes", extra={"notebook": {}})
    for words, why in ((["A", "exp0", "notes"], "notes is a notebook session"), (["A", "--parted", "--csv"], "--parted has no place"),
                       (["A", "--html", "none/page.html"], "cannot use none/page.html")):
        done = run_rex("compare", *words, cwd=tmp_path, code=2)
        assert why in done.stderr and done.stderr.count("\n") == 1
    assert json.loads(rex("compare", "A", "--json", cwd=tmp_path))["experiments"] == ["exp0", "exp1"]


def test_what_nothing_separates_is_said(bench: Bench, tmp_path: Path) -> None:
    for value in b"01":
        bench.record(outputs={"/o": bytes([value])})
    assert "no single argument, input, library or variable separates them" in rex("compare", "A", cwd=tmp_path, code=1)


@pytest.mark.parametrize("command, expected", [
    (["sim", "--seed", "3", "--fast", "--out=x", "in.dat"], {"0 (options not counted)": "sim", "--seed": "3", "--fast": "given", "--out": "x", "1 (options not counted)": "in.dat"}),
    (["sim", "-n", "-3", "--x", "1", "--x", "2"], {"0 (options not counted)": "sim", "-n": "-3", "--x": "1", "--x+": "2"})])
def test_arguments_have_names(command: list[str], expected: dict[str, str]) -> None:
    assert {name: value for name, (value, _) in arguments(command).items()} == expected


def test_an_argument_that_separates_is_named_by_its_number(bench: Bench, tmp_path: Path) -> None:
    for words in (["-v", "0.5", "a"], ["-v", "0.5", "b"], ["-v", "0.5", "b"]):
        bench.record(command=("sim", *words), outputs={"/o": words[-1].encode()})
    assert "o differs exactly where argument 3 is a\n" in rex("compare", "A", cwd=tmp_path, code=1)
    bench.record(command=("sim", "c"), outputs={"/o": b"c"})
    assert "o has another result exactly for each value of argument 1 (options not counted)\n" in rex("compare", "A", cwd=tmp_path, code=1)


def test_misplaced_counts_what_a_majority_does_not_tell() -> None:
    assert misplaced("aabb", "xxyy") == 0 and misplaced("aabb", "xxyx") == 1 and misplaced("aaaa", "xxyy") == 2
