"""rex show"""

from __future__ import annotations

import json

from cli.builders import Bench
from cli.conftest import Rex
from rex.archive import Process
from rex.archive.processtree import process_tree
from rex.errors import NotFound, UsageError


def test_everything_about_one(bench: Bench, rex: Rex) -> None:
    bench.record(inputs={"/w/in": b"abc"}, withheld=("TOKEN",), warnings=tuple(f"w{n}\n" for n in range(9)))
    text = rex("show", "A").stdout
    facts = dict(line.split("  ", 1) for line in text.splitlines() if "  " in line)
    facts = {name.strip(): value.strip() for name, value in facts.items()}
    assert facts["experiment"].endswith("A:exp0") and facts["state"] == "complete (default)"
    assert facts["command"] == "sh -c x" and facts["directory"] == "/w" and facts["exit status"] == "3"
    assert facts["user"] == "ann on h, umask 022" and facts["machine"] == "cpus 2, kernel 6.1"
    assert facts["limits"] == "nofile 1024" and facts["withheld"] == "TOKEN" and "1 inputs (3 B)" in facts["files"]
    assert facts["counts"] == "10 events, 1 files, 2 processes" and facts["warning"] == "and 3 more (--json has all)"
    told = json.loads(rex("show", "A", "--json").stdout)
    assert told["cwd"] == "/w" and told["withheld"] == ["TOKEN"] and len(told["warnings"]) == 9
    assert told["roles"]["input"] == {"files": 1, "bytes": 3} and told["limits"]["nofile"] == [1024, 4096]


def test_an_unfinished_one_shows_its_start(bench: Bench, rex: Rex) -> None:
    bench.leave_incomplete()
    text = rex("show", "A:exp0").stdout
    assert "incomplete" in text and "sleep 9" in text and "2020-09-13" in text
    assert json.loads(rex("show", "A:exp0", "--json").stdout)["state"] == "incomplete"
    assert isinstance(rex("show", "A:exp0", "--env").exception, NotFound)


def test_environment(bench: Bench, rex: Rex) -> None:
    bench.record(environment={"B": "x\ny", "A": "\udcff"}, withheld=("KEY",))
    result = rex("show", "A", "--env")
    assert result.stdout == "A=\\xff\nB=x\\ny\n" and "KEY was withheld" in result.stderr
    told = json.loads(rex("show", "A", "--env", "--json").stdout)
    assert told == {"environment": {"A": "\udcff", "B": "x\ny"}, "withheld": ["KEY"]}


def test_processes_as_a_tree_with_times(bench: Bench, rex: Rex) -> None:
    bench.record()
    _, *lines = rex("show", "A", "--processes").stdout.splitlines()
    assert [line.split("  ")[-1] for line in lines] == ["sh -c x", "├─ cat in", "└─ true", "└─ sleep 9"]
    assert lines[2].endswith("  │  └─ true") and "SIGKILL" in lines[3] and "+0.500 s" in lines[1]
    assert [each["task"] for each in json.loads(rex("show", "A", "--processes", "--json").stdout)] == [0, 1, 2, 3]


def test_a_tree_that_bites_its_tail_ends() -> None:
    rows = process_tree((Process(0, 0), Process(1, 2), Process(2, 1), Process(3, 77)))
    assert [process.task for _, process in rows] == [0, 3]


def test_recorded_output_byte_for_byte(bench: Bench, rex: Rex) -> None:
    bench.record(stdout=b"out\xff\n", stderr=b"err")
    assert rex("show", "A", "--stdout").stdout_bytes == b"out\xff\n"
    assert rex("show", "A", "--stderr").stdout_bytes == b"err"
    assert json.loads(rex("show", "A", "--stdout", "--json").stdout)["data"] == "out\udcff\n"


def test_files(bench: Bench, rex: Rex) -> None:
    bench.record(inputs={"/w/in": b"abc"})
    assert "/w/in" in rex("show", "A", "--files").stdout
    assert json.loads(rex("show", "A", "--files", "--json").stdout)["structure"][0]["path"] == "/usr"


def test_one_part_at_a_time(bench: Bench, rex: Rex) -> None:
    bench.record()
    assert isinstance(rex("show", "A", "--env", "--files").exception, UsageError)
