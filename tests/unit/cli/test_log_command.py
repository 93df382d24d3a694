"""rex log"""

from __future__ import annotations

import json
import re

import pytest

from cli.builders import Bench, call
from cli.conftest import Rex
from rex.log.choice import find_calls, matches
from rex.errors import UsageError
from rex.log.records import EXIT
from rex.syscalls import BY_NAME


def numbers(text: str) -> list[int]:
    """The event numbers printed."""
    return [int(re.match(r"[> ]*(\d+)", line)[1]) for line in text.splitlines()]   # type: ignore[index]


def test_every_event_with_number_and_task(bench: Bench, rex: Rex) -> None:
    bench.record(stdout=b"hi\n")
    lines = rex("log", "A:exp0").stdout.splitlines()
    assert numbers("\n".join(lines)) == list(range(10))
    assert lines[1].split(None, 2) == ["1", "0", 'execve("/bin/sh"</usr/bin/dash>, ["sh", "-c", "x"], NULL) = 0']
    assert lines[7].endswith('write(1<stdout>, "hi\\n", 3) = 3')
    assert "\x1b" not in lines[6] and lines[9].endswith("+++ exited with 3 +++")


@pytest.mark.parametrize(("options", "expected"), [
    (["--task", "1"], [3, 4, 5, 7]), (["--pid", "501"], [3, 4, 5, 7]), (["--pid", "9"], []),
    (["--call", "openat"], [2, 4]), (["--call", "open*,read"], [2, 4, 5]),
    (["--call", "exit", "--call", "note"], [6, 7, 8]), (["--call", "%file"], [1, 2, 4]),
    (["--path", "/etc/*"], [2]), (["--path", "cpuinfo"], [4, 5]), (["--path", "dash"], [1]),
    (["--path", "cpuinfo", "--call", "read"], [5]), (["--task", "1", "--call", "exit"], [7]),
    (["--path", "cpuinfo", "--around", "25"], None)])
def test_choices(bench: Bench, rex: Rex, options: list[str], expected: list[int] | None) -> None:
    bench.record()
    result = rex("log", "A", *options)
    if expected is None:
        assert isinstance(result.exception, UsageError)
    else:
        assert numbers(result.stdout) == expected


@pytest.mark.parametrize(("around", "first", "last"), [(0, 0, 20), (50, 30, 70), (99, 79, 99)])
def test_around(bench: Bench, rex: Rex, around: int, first: int, last: int) -> None:
    bench.record(events=[call("getpid", n) for n in range(100)])
    text = rex("log", "A", "--around", str(around)).stdout
    assert numbers(text) == list(range(first, last + 1))
    assert [line for line in text.splitlines() if line.startswith(">")] == [f">{around:3}   0  getpid() = {around}"]


def test_json_lines(bench: Bench, rex: Rex) -> None:
    bench.record()
    told = [json.loads(line) for line in rex("log", "A", "--json").stdout.splitlines()]
    assert [each["event"] for each in told] == list(range(9))
    assert told[4]["call"] == "openat" and told[4]["paths"] == ["/proc/cpuinfo"] and told[4]["pid"] == 501
    assert told[5]["fields"] == [{"arg": 1, "type": "OUT", "data": "cpu"}] and told[5]["stream"] == 4
    assert told[6]["fields"][0]["arg"] is None and told[0]["call"] == "TASK" and told[1]["time_s"] == 0
    late, = [json.loads(line) for line in rex("log", "A", "--json", "--task", "1", "--call", "exit"
                                              ).stdout.splitlines()]
    assert late["pid"] == 501 and late["event"] == 7


def test_times(bench: Bench, rex: Rex) -> None:
    bench.record()
    assert "  0.000002 +++ exited" in rex("log", "A", "-t").stdout


def test_an_unfinished_log(bench: Bench, rex: Rex) -> None:
    bench.leave_incomplete()
    result = rex("log", "A:exp0")
    assert "getpid() = 5" in result.stdout and "unfinished" in result.stderr
    assert "unfinished" in rex("log", "A:exp0", "--around", "5").stderr


def test_names_of_calls() -> None:
    assert find_calls(()) is None
    assert find_calls(("exit",)) == {EXIT, BY_NAME["exit"].nr}
    assert BY_NAME["connect"].nr in (find_calls(("%net",)) or ())
    for wrong in ("opnat", "%nothing", ""):
        with pytest.raises(UsageError):
            find_calls((wrong,))


def test_globs() -> None:
    assert matches("/a/b.csv", "*.csv") and matches("/a/b.csv", "/a/*") and matches("b.csv", "b.csv")
    assert not matches("/a/b.csv", "a") and not matches("/x/a/b", "/a/*")
