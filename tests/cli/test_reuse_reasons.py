"""`rex record --reuse --explain`: why a program ran."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from commands import run_rex
from test_reuse import Study

pytestmark = pytest.mark.usefixtures("tracing")

CHANGES = {
    "argument": ("sort in.txt > s.txt\n", lambda s: s.edit("sort in", "sort -r in"), "sort -r in.txt", "no recorded run has a program with these arguments"),
    "input": ("sort in.txt > s.txt\n", lambda s: s.write("in.txt", "z\n"), "sort in.txt", "input {work}/in.txt changed"),
    "input gone": ("sort in.txt > s.txt\nexit 0\n", lambda s: (s.work / "in.txt").unlink(), "sort in.txt", "input {work}/in.txt is gone"),
    "input made anew": ("rev in.txt > s.txt\nsort s.txt > t.txt\n", lambda s: s.edit("rev in", "tac in"), "sort s.txt", "input {work}/s.txt changed, which this run has written"),
    "new file": ("cat in.txt more.txt > s.txt\nexit 0\n", lambda s: s.write("more.txt", "z\n"), "cat in.txt more.txt", "{work}/more.txt is there now"),
    "names": ("ls data > s.txt\n", lambda s: s.write("data/new", ""), "ls data", "other names in {work}/data"),
    "mode": ("find in.txt -perm 644 > s.txt\n", lambda s: (s.work / "in.txt").chmod(0o600), "find in.txt -perm 644", "time, size, mode or the like of {work}/in.txt changed"),
    "output": ("sort in.txt > s.txt\n", lambda s: (s.work / "s.txt").symlink_to("other"), "sort in.txt", "its standard descriptors lead elsewhere, or their files are not as they were"),
    "umask": ("cp in.txt s.txt\n", lambda s: s.edit("cp", "umask 077; cp"), "cp in.txt s.txt", "it inherits another umask"),
    "variable": ("cp in.txt s.txt\n", lambda s: s.edit("cp", "export MODE=x; cp"), "cp in.txt s.txt", "variable MODE differs"),
    "network": ("python3 -c 'import socket; socket.socket().connect_ex((\"127.0.0.1\", 9))'\n: 1\n", lambda s: s.edit(": 1", ": 2"), "", "it talked to the network"),
    "name": ("ln -f in.txt s.txt\n: 1\n", lambda s: s.edit(": 1", ": 2"), "ln -f in.txt s.txt", "the archive does not have {work}/s.txt as it was then"),
    "processes": ("ps -p 1 > s.txt\n: 1\n", lambda s: s.edit(": 1", ": 2"), "ps -p 1", "it looked at other processes"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_reason(name: str, tmp_path: Path) -> None:
    script, change, command, why = CHANGES[name]
    study = Study(tmp_path, script)
    study.record()
    study.clear()
    change(study)
    told = run_rex("record", "-l", "../EXP", "--reuse", "--explain", study.shell, "run.sh", cwd=study.work, PYTEST_CURRENT_TEST="").stderr
    found = dict(line.removeprefix("rex: ran ").split(": ", 1) for line in told.splitlines() if line.startswith("rex: ran "))
    assert why.format(work=os.path.realpath(study.work)) in [reason for ran, reason in found.items() if command in ran], told


def test_a_command_that_is_looked_for_in_PATH_is_one(tmp_path: Path) -> None:
    study = Study(tmp_path, "flock lock sort in.txt > s.txt\n")
    study.record()
    study.write("in.txt", "z\n")
    told = run_rex("record", "-l", "../EXP", "--reuse", "--explain", study.shell, "run.sh", cwd=study.work, PYTEST_CURRENT_TEST="",
                   PATH=f"/nowhere:/elsewhere:{os.environ['PATH']}").stderr
    assert told.count("rex: ran sort in.txt: ") == 1


def test_reason_of_strict_and_in_the_report(tmp_path: Path) -> None:
    study = Study(tmp_path, "date +%Y > year.txt\n")
    study.record()
    study.clear()
    found = study.record(options=("--reuse=strict",))
    assert {"command": "date +%Y", "why": "it read a clock"} in found["ran"] and found["executed"] == len(found["ran"])


def test_nothing_to_explain(tmp_path: Path) -> None:
    assert "--explain" in run_rex("record", "--explain", "true", cwd=tmp_path, code=125).stderr
    assert "--explain" in run_rex("runnew", "--headless", "--explain", "-o", "out", cwd=tmp_path, code=125).stderr
