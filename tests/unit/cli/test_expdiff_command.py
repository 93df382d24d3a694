"""rex expdiff"""

from __future__ import annotations

import json

import pytest

from cli.builders import Bench, call, write
from cli.conftest import Rex
from rex.expdiff import compare
from rex.log import Event
from rex.log.records import IN, TASK


def test_the_answer_comes_first(bench: Bench, rex: Rex) -> None:
    bench.record(inputs={"/i": b"a\tb\n"}, environment={"A": "1"})
    bench.record(inputs={"/i": b"a\tc\n"}, environment={"A": "2\n"}, start_ns=3)
    result = rex("expdiff", "A:exp0", "A:exp1")
    lines = result.stdout.splitlines()
    assert result.return_value == 1 and lines[0] == "A:exp0 and A:exp1 differ"
    assert [line.split("  ")[-1].strip() for line in lines[1:10]] == [
        "same", "1 differs", "same", "same", "1 differs", "same", "same", "same", "same"]
    assert lines[10].endswith("1 not counted: start")
    assert lines[11:] == ["", "environment", "  A", "    - 1", "    + 2\\n", "", "inputs",
                          "  /i: content differs: 4 -> 4 bytes", "    lines of text: 1 of 1 differ at line 1"]
    more = rex("expdiff", "-d", "2", "A:exp0", "A:exp1").stdout
    assert more.endswith("    1 byte differs: at 2\n    @@ -1 +1 @@\n    -a\tb\n    +a\tc\n")


def test_the_same(bench: Bench, rex: Rex) -> None:
    bench.record()
    result = rex("expdiff", "A:exp0", "A")
    assert result.return_value == 0 and result.stdout.startswith("A:exp0 and A are the same\n")
    told = json.loads(rex("expdiff", "--json", "A:exp0", "A:exp0").stdout)
    assert told["same"] and told["left"] == "A:exp0" and len(told["components"]) == 9


def test_only_in_one_withheld_and_arguments(bench: Bench, rex: Rex) -> None:
    bench.record(command=("a", "b c"), withheld=("KEY",), inputs={"/only\x1b": b""})
    bench.record(command=("a",), environment={"A": "1", "PWD": "/w", "KEY": "v"})
    text = rex("expdiff", "A:exp0", "A:exp1").stdout
    assert "  argument 1: only in the first\n    - 'b c'\n" in text
    assert "  KEY\n    - (withheld)\n    + v\n" in text
    assert "  /only\\x1b: only in the first\n" in text


def test_trouble_is_never_told_as_different(bench: Bench, rex: Rex, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.record()
    bench.leave_incomplete()
    for refs in (("A:exp0", "A:exp9"), ("A:exp0", "nope"), ("A:exp0", "A:exp1")):
        result = rex("expdiff", *refs)
        assert result.return_value == 2 and result.stdout == "" and result.stderr.startswith("rex: ")
    result = rex("expdiff", "--json", "A:exp0", "A:exp9")
    assert result.return_value == 2 and json.loads(result.stdout)["code"] == 10
    for failure in (OSError(5, "Input/output error"), ZeroDivisionError()):
        def fail(*_: object) -> None:
            raise failure
        monkeypatch.setattr(compare, "compare", fail)
        assert rex("expdiff", "A:exp0", "A:exp0").return_value == 2


def test_long_lists_are_cut(bench: Bench, rex: Rex) -> None:
    bench.record(inputs={f"/{n}": b"" for n in range(50)})
    bench.record()
    assert "  and 10 more (--json has all)\n" in rex("expdiff", "A:exp0", "A:exp1").stdout


def test_why_and_which_calls(bench: Bench, rex: Rex) -> None:
    def log(path: bytes, children: int) -> list[Event]:
        made = [Event(TASK, args=(2**32 - 1, 0, 0, 5, 5, 0)), call("access", 0, (0, IN, path)),
                call("readlink", len(path), (0, IN, b"/l")), write(2, path)]
        return made + [Event(TASK, task=n, args=(0, n - 1, 17, 5 + n, 5 + n, n)) for n in range(1, children + 1)]
    bench.record(events=log(b"/a\x1b", 0), command=("p", "1"))
    bench.record(events=log(b"/bcd", 1), command=("p", "2"))
    text = rex("expdiff", "-d", "3", "A:exp0", "A:exp1").stdout
    assert text.index("\nwhy\n") < text.index("\ncommand\n") < text.index("\ncalls\n") and "\x1b" not in text
    assert ("  standard output: most probably because argument 1 is '1' in the first and '2' in the second; "
            "a process (task 0) wrote standard output\n") in text
    assert "  calls            2 processes differ; " in text
    calls = text[text.index("\ncalls\n"):].splitlines()[2:]
    assert calls == [
        "  a process (task 0): 0 calls in step, 2 with another outcome, skipped 1 of the first and 1 of the second",
        "    @@ skipped @@", '    - 1 access("/a\\33", F_OK) = 0', '    + 1 access("/bcd", F_OK) = 0',
        "    @@ another outcome @@", "    - 2 readlink(\"/l\", NULL, 0) = 3", "    + 2 readlink(\"/l\", NULL, 0) = 4",
        "    @@ another outcome @@", '    - 3 write(1<stdout>, "/a\\33", 3) = 3', '    + 3 write(1<stdout>, "/bcd", 4) = 4',
        "  a process (task 1): only in the second, 0 calls"]
    told = json.loads(rex("expdiff", "-d", "3", "--json", "A:exp0", "A:exp1").stdout)
    assert told["causes"][0]["component"] == "command" and len(told["calls"]["processes"]) == 2
