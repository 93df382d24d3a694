"""Real recordings looked into and compared, by the command as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import REX, environment, rex
from rex.cli.doctor_command import trace_child, why_not

WHY_NOT = why_not(trace_child)
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=f"tracing is not permitted here: {WHY_NOT}")

SCRIPT = "echo hi; cat in; cat in > out; echo oops >&2; (exit 2); mkdir d; ls | sort > d/list; exit 3"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Archive A: the same twice (other times), then with another input, elsewhere."""
    base = tmp_path_factory.mktemp("inspect")
    for name, content in (("one", "a\nb\n"), ("two", "a\nb\n"), ("three", "a\nc\n")):
        (base / name).mkdir()
        (base / name / "in").write_text(content)
    for name in ("one", "two", "three"):
        rex("record", "-q", "-l", str(base / "A"), "--", "sh", "-c", SCRIPT, cwd=base / name, code=3)
    subprocess.run(["rm", "-r", "one/out", "one/d"], cwd=base, check=True)
    rex("record", "-q", "-l", str(base / "A"), "-e", "again", "--", "sh", "-c", SCRIPT, cwd=base / "one", code=3)
    return base


def test_identical_runs_are_the_same(place: Path) -> None:
    assert rex("expdiff", "A:exp0", "A:again", cwd=place).startswith("A:exp0 and A:again are the same\n")


def test_another_directory_and_nothing_else(place: Path) -> None:
    told = json.loads(rex("expdiff", "--json", "A:exp0", "A:exp1", cwd=place, code=1))
    assert {each["name"]: [d["item"] for d in each["differences"]] for each in told["components"]
            if each["count"]} == {"command": ["working directory"]}


def test_another_input(place: Path) -> None:
    told = json.loads(rex("expdiff", "-d", "2", "--json", "A:exp0", "A:exp2", cwd=place, code=1))
    found = {each["name"]: each["differences"] for each in told["components"] if each["count"]}
    assert {name: [d["item"] for d in each] for name, each in found.items()} == {
        "command": ["working directory"], "inputs": ["in"], "outputs": ["out"],
        "standard output": ["standard output"]}
    assert found["inputs"][0]["ranges"] == [[2, 3]] and found["outputs"][0]["diff"][-2:] == ["-b", "+c"]


def test_trouble(place: Path) -> None:
    rex("expdiff", "A:exp0", "A:nope", cwd=place, code=2)
    rex("log", "A:nope", cwd=place, code=10)
    rex("ls", "nope", cwd=place, code=10)


def test_list_and_show(place: Path) -> None:
    assert [line.split()[0] for line in rex("ls", "A", cwd=place).splitlines()] == [
        "name", "again", "exp0", "exp1", "exp2"]
    files = json.loads(rex("ls", "A:exp0", "--json", cwd=place))[0]["files"]
    assert {os.path.basename(each["path"]) for each in files["output"]} == {"out", "d", "list"}
    assert any(each["path"] == str(place / "one" / "in") for each in files["input"])
    assert {"cat", "ls", "sort"} <= {os.path.basename(each["path"]) for each in files["apparatus"]}
    told = json.loads(rex("show", "A:exp0", "--json", cwd=place))
    assert told["exit_status"] == 3 and told["cwd"] == str(place / "one") and told["engine"]
    assert "└─" in rex("show", "A:exp0", "--processes", cwd=place)


def test_recorded_output(place: Path) -> None:
    assert rex("show", "A:exp2", "--stdout", cwd=place) == "hi\na\nc\n"
    assert rex("show", "A:exp2", "--stderr", cwd=place) == "oops\n"


def test_log(place: Path) -> None:
    text = rex("log", "A:exp0", "--path", "*/one/in", "--call", "open*", cwd=place)
    assert text.count('"in"') == 2
    events = [json.loads(line) for line in rex("log", "A:exp0", "--json", cwd=place).splitlines()]
    assert [each["event"] for each in events] == list(range(len(events)))
    number = next(each["event"] for each in events if each["call"] == "write" and each["stream"] == 3)
    around = rex("log", "A:exp0", "--around", str(number), cwd=place)
    assert [line for line in around.splitlines() if line.startswith(">")][0].endswith('"oops\\n", 5) = 5')


@pytest.mark.parametrize("command", ["log A:exp0", "show A:exp0 --files --json", "expdiff A:exp0 A:exp2"])
def test_a_reader_that_goes_away(place: Path, command: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*REX, *command.split()], cwd=place, stdout=writer,
                          stderr=subprocess.PIPE, text=True, env=environment(), check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_keep_house(place: Path) -> None:
    subprocess.run(["cp", "-r", "A", "B"], cwd=place, check=True)
    rex("default", "B:exp0", cwd=place)
    rex("rm", "B:exp2", cwd=place)
    rex("gc", "B", cwd=place)
    assert rex("check", "B", cwd=place).endswith("3 experiments, every finished experiment is whole\n")
    assert rex("show", "B", "--stdout", cwd=place) == "hi\na\nb\n"


def test_doctor_and_version(place: Path) -> None:
    assert json.loads(rex("doctor", "--json", cwd=place))["can_record"]
    assert "engine" in rex("--version", cwd=place)


def test_what_a_thread_starts_takes_its_own_processor_time(tmp_path: Path) -> None:
    burn = "n = 0\nfor i in range(6000000): n += i\n"
    (tmp_path / "main.py").write_text(f"import subprocess, sys, threading\nstart = lambda: subprocess.run([sys.executable, '-c', {burn!r}])\n"
                                      "thread = threading.Thread(target=start)\nthread.start()\nthread.join()\n")
    rex("record", "-q", "-l", "EXP", sys.executable, "main.py", cwd=tmp_path)
    own, below = (each["cpu_s"] for each in json.loads(rex("show", "EXP:exp0", "--processes", "--json", cwd=tmp_path)))
    assert own < below
