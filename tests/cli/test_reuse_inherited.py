"""`rex record --reuse`: a step runs again if it inherits another thing, or would learn another thing of names, machine or processes."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from commands import run_rex
from test_reuse import Study

pytestmark = pytest.mark.usefixtures("tracing")

# Each line, and the same step with something else inherited.
INHERITED = (
    ("(umask 027; cp in.txt umask.txt; true)", "(umask 022; cp in.txt umask.txt; true)"),
    ("(ulimit -n 100; sh -c 'ulimit -n; true' > limit.txt; true)", "(ulimit -n 200; sh -c 'ulimit -n; true' > limit.txt; true)"),
    ("nice > nice.txt", "nice -n 3 nice > nice.txt"),
    ("(trap '' INT; perl -e 'print $SIG{INT} || q(none)' > signal.txt; true)", "(perl -e 'print $SIG{INT} || q(none)' > signal.txt; true)"),
    ("perl -e 'print getpgrp == $$' > group.txt", "setsid -w perl -e 'print getpgrp == $$' > group.txt"),
    ("nproc > processors.txt", "taskset -c 0 nproc > processors.txt"),
    ("(exec 3< in.txt; sh -c 'read x <&3 && echo $x' > descriptor.txt; true)", "(exec 3<&-; sh -c 'read x <&3 && echo $x' > descriptor.txt; true) 2> /dev/null"),
    ("(sh -c 'echo hi >&2' 2>&1; true)", "(sh -c 'echo hi >&2'; true)"),
    ("(perl -e 'alarm 1; exec @ARGV' sleep 2; echo $? > alarm.txt) 2> /dev/null", "(sleep 2; echo $? > alarm.txt) 2> /dev/null"),
)


def test_other_inheritance_runs_again(tmp_path: Path) -> None:
    study = Study(tmp_path, "".join(f"{line}\n" for line, _ in INHERITED))
    study.record()
    for before, after in INHERITED:
        study.edit(before, after)
    study.clear()
    study.record()


def test_equal_inheritance_is_put_back(tmp_path: Path) -> None:
    study = Study(tmp_path, "umask 027\nulimit -n 100\ntrap '' INT\ncp in.txt copy.txt\nsh -c 'echo hi >&2' 2>&1\n# one\n")
    study.record()
    study.edit("one", "two")
    study.clear()
    assert study.programs() == {"cp", "sh"}


LOOKS = """

ls -ld --time-style=+%s data > listed.txt
tar cf in.tar in.txt
find . -maxdepth 1 -name 'in*' -type f > plain.txt
python3 -c 'import os; print(os.listxattr("in.txt"))' > attributes.txt
"""


def test_other_looks_run_again(tmp_path: Path) -> None:
    study = Study(tmp_path, LOOKS)
    study.record()

    def changed(what: str) -> None:
        path, other = study.work / "in.txt", study.work / "other"
        if what == "time":
            os.utime(path, (5, 5))
        elif what == "time of a directory":
            os.utime(study.work / "data", (5, 5))
        elif what == "link":
            path.rename(other)
            path.symlink_to("other")
        else:
            os.setxattr(path, "user.rex", b"1")

    for what in ("time", "time of a directory", "link"):
        changed(what)
        study.clear()
        study.record()
    study.write("in.txt", "a\n")
    try:
        changed("attribute")
    except OSError:
        pytest.skip("the file system has no extended attributes")
    study.record()


def test_second_name_of_a_file(tmp_path: Path) -> None:
    study = Study(tmp_path, "stat -c %h in.txt > names.txt\n")
    study.record()
    os.link(study.work / "in.txt", study.work / "other")
    run_rex("record", "-q", "-l", "../EXP", "--reuse", "dash", "run.sh", cwd=study.work, PYTEST_CURRENT_TEST="")     # a copy of the folder has no such names
    assert (study.work / "names.txt").read_text() == "2\n"


def test_output_that_was_there_gets_the_mode_of_a_new_one(tmp_path: Path) -> None:
    study = Study(tmp_path, "cp in.txt copy.txt\n# one\n")
    (study.work / "in.txt").chmod(0o755)
    study.write("copy.txt", "")
    study.record()
    study.edit("one", "two")
    study.clear()
    study.record()


CONNECTS = "import socket, sys; print(socket.socket(socket.AF_INET).connect_ex((sys.argv[1], int(sys.argv[2]))))"


def test_server_that_is_there_by_now(tmp_path: Path) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        study = Study(tmp_path, f"python3 -c '{CONNECTS}' 127.0.0.1 {server.getsockname()[1]} > answer.txt\n")
        study.record()
        server.listen(8)
        study.record()


def test_other_processes_are_asked_again(tmp_path: Path) -> None:
    script = "{} sh -c 'tr \"\\0\" \"\\n\" < /proc/$PPID/environ | grep -c ^ZZ=' > parent.txt\nexit 0\n"
    study = Study(tmp_path, "ZZ=1 dash child.sh\n")
    study.write("child.sh", "unset ZZ\n" + script.format(""))
    study.record()
    study.edit("ZZ=1", "true;")
    study.record()
