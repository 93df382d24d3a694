"""`rex record --against`: what differs from an earlier run, said as it happens."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import pytest

from commands import REX, environment, run_rex
from rex.tracer import native

pytestmark = pytest.mark.usefixtures("tracing")
SAME = {"PYTEST_CURRENT_TEST": "x"}     # pytest sets it anew for each part of a test
SCRIPT = "cat first second > out.txt; read go < go; echo done"


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    for name in ("first", "second", "go"):
        (tmp_path / name).write_text(f"{name}\n")
    run_rex("record", "-q", "-l", "A", "--", "sh", "-c", SCRIPT, cwd=tmp_path, **SAME)
    return tmp_path


def against(folder: Path, *words: str, **changes: str) -> list[str]:
    done = run_rex("record", "-l", "A", "--against", "exp0", "--", "sh", "-c", *(words or (SCRIPT,)), cwd=folder, **SAME, **changes)
    return [line for line in done.stderr.splitlines() if " recorded " not in line]


def test_the_same_run_is_said_to_be_the_same(recorded: Path) -> None:
    assert against(recorded) == ["rex: the same as A:exp0"]


def test_the_first_input_that_differs_is_named_and_why_in_the_end(recorded: Path) -> None:
    (recorded / "second").write_text("other\n")
    first, last = against(recorded)
    assert first.startswith(f"rex: first difference from A:exp0: input {recorded}/second differs (event ")
    assert last.startswith(f"rex: differs from A:exp0 in: inputs (1), outputs (1); {recorded}/out.txt: most probably because input {recorded}/second")


def test_what_differs_before_the_program_runs_is_named_at_once(recorded: Path) -> None:
    assert against(recorded, SCRIPT, "sh", "more")[0] == "rex: first difference from A:exp0: the command has 5 words, and had 3"
    assert against(recorded, NEW="1")[0] == "rex: first difference from A:exp0: variable NEW is another one"


@pytest.mark.skipif(not native.is_built(), reason="the reference engine writes its log in the end")
def test_a_run_that_waits_has_told_the_first_difference(recorded: Path) -> None:
    (recorded / "second").write_text("other\n")
    (recorded / "go").unlink()
    subprocess.run(["mkfifo", "go"], cwd=recorded, check=True)
    running = subprocess.Popen([*REX, "record", "-l", "A", "--against", "exp0", "--", "sh", "-c", SCRIPT], cwd=recorded, env=environment(**SAME),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert running.stderr
    end = threading.Timer(100, running.kill)     # else a failure would wait for ever
    end.start()
    assert f"first difference from A:exp0: input {recorded}/second differs" in running.stderr.readline()
    with open(recorded / "go", "w", encoding="ascii") as go:
        go.write("go\n")
    assert running.wait() == 0
    end.cancel()
    running.stderr.close()


@pytest.fixture
def listened(tmp_path: Path) -> Path:
    """A program was recorded that reads lines of a pipe, and talks to itself in between."""
    (tmp_path / "listen.sh").write_text("while read line; do (echo $$) | cat; done\n")
    recorded_with(tmp_path, "one\ntwo\nthree\n")
    return tmp_path


def recorded_with(folder: Path, lines: str, *options: str) -> list[str]:
    done = subprocess.run([*REX, "record", "-l", "A", *options, "--", "sh", "listen.sh"], cwd=folder, env=environment(**SAME), input=lines,
                          capture_output=True, text=True, check=True)
    return [line for line in done.stderr.splitlines() if line.startswith("rex: first difference")]


@pytest.mark.parametrize("lines, said", [
    ("one\ntwo\nthree\n", None), ("one\ntwo\nthRee\n", "differs from byte 11 on"), ("one\ntwo\n", "ends after byte 8, and had more"),
    ("one\ntwo\nthree\nfour\n", "goes on after byte 14, and ended there")])
def test_what_comes_through_a_pipe_is_compared_byte_by_byte(listened: Path, lines: str, said: str | None) -> None:
    found = recorded_with(listened, lines, "--against", "exp0")
    assert [line.partition(" (event")[0] for line in found] == ([f"rex: first difference from A:exp0: standard input {said}"] if said else [])


def test_a_file_is_compared_with_what_came_through_a_pipe(listened: Path) -> None:
    (listened / "lines").write_text("skipped\none\ntwo\nthrEe\n")
    with open(listened / "lines", "rb") as lines:
        done = subprocess.run(["sh", "-c", 'read skipped; exec "$@"', "sh", *REX, "record", "-l", "A", "--against", "exp0", "--", "sh", "listen.sh"],
                              cwd=listened, env=environment(**SAME), stdin=lines, capture_output=True, text=True, check=True)
    assert "rex: first difference from A:exp0: standard input differs from byte 12 on\n" in done.stderr


@pytest.mark.skipif(not native.is_built(), reason="the reference engine writes its log in the end")
def test_a_line_that_differs_is_told_while_the_program_waits_for_the_next(listened: Path) -> None:
    running = subprocess.Popen([*REX, "record", "-l", "A", "--against", "exp0", "--", "sh", "listen.sh"], cwd=listened, env=environment(**SAME),
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, bufsize=1)
    assert running.stdin and running.stderr
    end = threading.Timer(100, running.kill)     # else a failure would wait for ever
    end.start()
    running.stdin.write("one\n")
    running.stdin.write("tWo\n")
    assert running.stderr.readline().startswith("rex: first difference from A:exp0: standard input differs from byte 6 on (event ")
    assert running.poll() is None
    running.stdin.close()
    assert running.wait() == 0
    end.cancel()
    running.stderr.close()


def test_an_earlier_run_that_is_not_there_is_one_line(recorded: Path) -> None:
    done = run_rex("record", "-l", "A", "--against", "none", "--", "true", cwd=recorded, code=125)
    assert done.stderr.count("\n") == 1 and "no experiment none" in done.stderr
