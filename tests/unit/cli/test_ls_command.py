"""rex ls"""

from __future__ import annotations

import json
from pathlib import Path

from cli.builders import Bench
from cli.conftest import Rex
from rex.archive import FileEntry, FileState
from rex.errors import NotFound


def test_experiments_one_a_line(bench: Bench, rex: Rex) -> None:
    bench.record(command=("echo", "a b"), inputs={"/i": b"x" * 2000})
    bench.record("second", exit_status=-9, extra={"lineage": {"from": "exp0"}})
    bench.leave_incomplete()
    result = rex("ls", "A")
    heading, *rows = result.stdout.splitlines()
    assert heading.split() == "name date duration exit size stored unique state command".split()
    assert len(rows) == 3
    assert rows[0].startswith("exp0 ") and "2020-09-13" in rows[0] and rows[0].endswith("complete (default)   echo 'a b'") and "2.0 kB" in rows[0]
    assert "incomplete" in rows[1] and rows[1].endswith("sleep 9") and rows[1].startswith("exp1 ")
    assert "complete, from exp0" in rows[2] and "SIGKILL" in rows[2]
    assert result.return_value == 0


def test_several_archives_and_json(bench: Bench, rex: Rex, tmp_path: Path) -> None:
    bench.record()
    Bench(tmp_path / "B")
    text = rex("ls", "A", "B").stdout
    assert text.startswith("A:\n") and "\n\nB:\nno experiments yet\n" in text
    told = json.loads(rex("ls", "A", "B", "--json").stdout)
    assert [each["archive"] for each in told] == ["A", "B"] and told[1]["experiments"] == []
    first = told[0]["experiments"][0]
    assert first["name"] == "exp0" and first["is_default"] and first["command"] == ["sh", "-c", "x"]
    assert first["exit_status"] == 3 and first["unique_bytes"] == first["stored_bytes"] > 0


def test_files_by_role(bench: Bench, rex: Rex) -> None:
    link = FileEntry(FileState("symlink", 0o777, target="/usr/x"))
    bench.record(inputs={"/w/in\x1b": b"12"}, outputs={"/w/out": b"12345"}, removed=("/w/gone",),
                 entries={"/lib": link})
    text = rex("ls", "A:exp0").stdout
    assert "apparatus: 0, 0 B\n" in text and "inputs: 2, 5 B\n" in text and "outputs: 2, 5 B\n" in text
    assert "\x1b" not in text and "/w/in\\x1b" in text
    lines = [line.split() for line in text.splitlines()]
    assert any(line[:2] == ["-rw-r--r--", "5"] and line[-2:] == ["created", "/w/out"] for line in lines)
    assert any(line[-2:] == ["removed", "/w/gone"] for line in lines)
    assert "/lib" not in text and "/lib -> /usr/x" in rex("ls", "-a", "A:exp0").stdout
    told, = json.loads(rex("ls", "--json", "A:exp0").stdout)
    assert {each["change"] for each in told["files"]["output"]} == {"created", "removed"}


def test_a_damaged_experiment_does_not_hide_the_others(bench: Bench, rex: Rex) -> None:
    first = bench.record()
    bench.record()
    Path(first.directory, "identity").write_bytes(b"rubbish")
    result = rex("ls", "A")
    assert "damaged" in result.stdout and "complete (default)" in result.stdout
    assert "rex: exp0: " in result.stderr


def test_nothing_there(rex: Rex) -> None:
    assert isinstance(rex("ls", "nope").exception, NotFound)
    assert isinstance(rex("ls").exception, NotFound)


def test_no_experiment_of_that_name(bench: Bench, rex: Rex) -> None:
    assert isinstance(rex("ls", "A:exp7").exception, NotFound)
