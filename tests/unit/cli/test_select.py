"""Finding experiments, and removing many: labels, filters, order, patterns."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from cli.builders import START_NS, Bench
from cli.conftest import Rex
from rex.archive import about
from rex.archive.amendments import encode
from rex.cli.select import Filter, has_label
from rex.errors import NotFound, UsageError


@pytest.mark.parametrize("text, expected", [
    ("seed=3", True), ("seed=4", False), ("seed=[34]", True), ("seed!=4", True), ("seed!=3", False), ("seed", True), ("none", False),
    ("none=", False), ("none!=x", True), ("empty=", True), ("k=a=b", True)])
def test_labels_are_matched(text: str, expected: bool) -> None:
    assert has_label({"seed": "3", "empty": "", "k": "a=b"}, text) is expected


@pytest.fixture
def many(bench: Bench) -> Bench:
    for number in range(12):
        bench.record(f"run{number}", command=("/usr/bin/blastp" if number % 2 else "sh", f"in{number}.seq"), start_ns=START_NS + number * 10**9,
                     duration_s=float(20 - number), exit_status=number % 3, extra={
                         **about.facts({"seed": str(number), "kind": "odd" if number % 2 else "even"}, "the last" if number == 11 else ""),
                         **({"runnew": {"from": "run0"}} if number == 5 else {})})
    return bench


def test_one_of_five_hundred_runs_is_found_by_its_labels(rex: Rex, tmp_path: Path) -> None:
    bench = Bench(tmp_path / "A")
    first = bench.record(extra=about.facts({"seed": "0", "filter": "off"}, ""))
    for number in range(1, 500):       # as recorded ones, without the disk's time for each
        folder = tmp_path / "A" / "experiments" / f"exp{number}"
        shutil.copytree(first.directory, folder)
        (folder / "about").write_bytes(encode({"about": about.facts({"seed": str(number % 100), "filter": f"v{number // 100}"}, "")["about"]}))
    found = rex("ls", "A", "--where", "seed=42", "--where", "filter=v3").stdout.splitlines()
    assert len(found) == 2 and found[1].startswith("exp342 ") and "seed=42" in found[1]


def names(rex: Rex, *words: str) -> list[str]:
    return [line.removeprefix("A:") for line in rex("ls", *words, "--names").stdout.splitlines()]


def test_filters_leave_what_is_wanted(rex: Rex, many: Bench) -> None:
    assert names(rex, "A", "--where", "seed=7") == ["run7"]
    assert names(rex, "A", "--where", "kind=odd", "--where", "seed=1*") == ["run1", "run11"]
    assert names(rex, "A", "--failed", "--where", "kind=even") == ["run2", "run4", "run8", "run10"]
    assert names(rex, "A", "--command", "blast*", "-n", "2") == ["run9", "run11"]
    assert names(rex, "A", "--command", "*in4.seq") == ["run4"]
    assert names(rex, "A", "--parent", "run0") == ["run5"]
    assert names(rex, "A:run1?", "--sort", "duration") == ["run11", "run10"]
    assert names(rex, "A:run1?", "--sort", "date", "-r") == ["run11", "run10"]
    assert names(rex, "A", "--since", "2d") == []
    many.record("now", start_ns=time.time_ns())
    assert names(rex, "A", "--since", "2d") == ["now"]
    assert isinstance(rex("ls", "A:none*").exception, NotFound)


def test_the_list_shows_labels_and_notes_where_there_are_any(rex: Rex, many: Bench) -> None:
    shown = rex("ls", "A", "--where", "seed=11").stdout.splitlines()
    assert len(shown) == 2 and "kind=odd seed=11  the last" in shown[1] and "+0000" in shown[1]
    assert "note" not in rex("ls", "A", "--where", "seed=3").stdout.splitlines()[0]
    assert rex("ls", "A", "--where", "seed=99").stdout.splitlines()[-1] == "no experiments"
    told = json.loads(rex("ls", "A", "--where", "seed=3", "--json").stdout)[0]["experiments"]
    assert [(each["name"], each["labels"]["seed"], each["note"]) for each in told] == [("run3", "3", "")]


def test_labels_and_notes_are_set(rex: Rex, many: Bench) -> None:
    assert rex("label", "A:run3", "seed=x", "new=1").stdout == "A:run3 kind=odd new=1 seed=x\n"
    assert rex("label", "A:run1*", "-d", "kind").stdout == "A:run1 seed=1\nA:run10 seed=10\nA:run11 seed=11\n"
    rex("note", "A:run3", "after fixing")
    assert rex("note", "A:run3").stdout == "after fixing\n"
    for wrong in (("label", "A:run3", "seed"), ("label", "A:run3", "=x"), ("note", "A:run*", "x"), ("label", "A", "k=v")):
        assert isinstance(rex(*wrong).exception, UsageError), wrong


def test_removing_by_pattern(rex: Rex, many: Bench) -> None:
    assert rex("rm", "A:run1*", "A:run1", "-n").stdout == "would remove A:run1\nwould remove A:run10\nwould remove A:run11\n"
    assert isinstance(rex("rm", "A:run2", "A:none*").exception, NotFound)
    assert len(many.archive.experiments()) == 12
    assert json.loads(rex("rm", "A:run1*", "--json").stdout)["removed"][1] == {"archive": "A", "experiment": "run10"}
    assert rex("rm", "-q", "A:run2").stdout == ""
    assert [each.name for each in many.archive.experiments()] == ["run0", *(f"run{n}" for n in range(3, 10))]


@pytest.mark.parametrize("answer, code, left", [("n\n", 1, 12), ("y\n", 0, 0)])
def test_on_a_terminal_rm_asks(rex: Rex, many: Bench, monkeypatch: pytest.MonkeyPatch, answer: str, code: int, left: int) -> None:
    asked: list[str] = []

    def confirm(text: str) -> bool:
        asked.append(text)
        return answer == "y\n"

    monkeypatch.setattr("rex.cli.rm_command.is_at_terminal", lambda: True)
    monkeypatch.setattr("click.confirm", confirm)
    assert rex("rm", "A:*").return_value == code
    assert len(many.archive.experiments()) == left and "A:run11?" in asked[0]


def test_a_filter_of_nothing_takes_all() -> None:
    told: list[dict[str, Any]] = [{"command": None, "start_ns": 0, "exit_status": None, "labels": {}, "made_from": None}]
    assert Filter().apply(told) == told and Filter(is_failed=True).apply(told) == told


def test_renaming_and_copying(rex: Rex, many: Bench) -> None:
    assert rex("rename", "A:run0", "first").stdout == "A:run0 is A:first\n"
    assert names(rex, "A", "--parent", "first") == ["run5"]
    assert rex("cp", "A:first", "B:mine").stdout == "A:first copied to B:mine\n"
    rex("label", "A:first", "more=1")                       # is the same experiment still
    assert rex("cp", "A:first", "A:run5", "B").stdout == "A:first is already B:mine\nA:run5 copied to B:run5\n"
    many.record("mine", command=("other",))
    assert rex("cp", "A:mine", "B").stdout == "A:mine copied to B:exp0\n"      # the name is taken
    assert rex("check", "B").return_value == 0
    for wrong in (("cp", "A:first", "A:again"), ("cp", "A:run*", "B:one"), ("cp", "A:run7", "B:x y")):
        assert isinstance(rex(*wrong).exception, UsageError), wrong


def test_files_come_out(rex: Rex, bench: Bench, tmp_path: Any) -> None:
    bench.record(inputs={"/w/in.csv": b"in\n"}, outputs={"/w/out/a.csv": b"a\n", "/w/out/b.csv": b"b\n", "/x/a.csv": b"x\n"}, cwd="/w")
    assert rex("cat", "A:exp0", "out/a.csv", "/x/a.csv").stdout == "a\nx\n"
    assert rex("cat", "A:exp0", "in.csv", "--before").stdout == rex("cat", "A", "/w/in.csv", "--before").stdout == "in\n"
    assert rex("cat", "A:exp0", "b.csv").stdout == "b\n" and rex("cat", "A:exp0", "out/*").stdout == "a\nb\n"
    for wrong in (("cat", "A:exp0", "none"), ("cat", "A:exp0", "out/a.csv", "--before"), ("cat", "A:exp1", "a.csv")):
        assert isinstance(rex(*wrong).exception, NotFound), wrong
    assert rex("extract", "A:exp0", "-o", "o").return_value == 0
    assert sorted(str(each.relative_to(tmp_path / "o")) for each in (tmp_path / "o").rglob("*.csv")) == ["w/out/a.csv", "w/out/b.csv", "x/a.csv"]
    assert isinstance(rex("extract", "A:exp0", "-o", "o").exception, UsageError)
    told = json.loads(rex("extract", "A:exp0", "/w/out", "-o", "p", "--json").stdout)
    assert [each["path"] for each in told["files"]] == ["/w/out/a.csv", "/w/out/b.csv"]
    rex("extract", "A:exp0", "--before", "-o", "q")
    assert (tmp_path / "q" / "w" / "in.csv").read_bytes() == b"in\n"
