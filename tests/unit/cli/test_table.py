"""What the commands share."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import pytest

from cli.builders import Bench
from rex.archive import FileState
from rex.cli import table
from rex.errors import NotFound, RexError, UsageError
from rex.types import ExperimentRef


def test_refs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bench: Bench) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "with:colon").mkdir()
    assert table.parse_ref("A:exp0") == ExperimentRef("A", "exp0")
    assert table.parse_ref("with:colon") == ExperimentRef("with:colon", None)
    assert table.named_ref("A:x") == ("A", "x")
    for text in ("A", "A:"):
        with pytest.raises(UsageError, match="write A:exp0"):
            table.named_ref(text)
    with pytest.raises(NotFound):
        table.open_ref("A")
    bench.record("only")
    assert table.open_ref("A")[1].name == table.open_ref("A:only")[1].name == "only"


def test_nothing_steers_the_terminal() -> None:
    assert table.clean("a b é") == "a b é"
    assert table.clean("a\x1b[2J\n\udcff\t") == "a\\x1b[2J\\n\\xff\\t"
    assert table.command_text(("a b", "c'd", "\x07")) == "'a b' 'c'\"'\"'d' $'\\x07'"


def test_times_and_statuses() -> None:
    assert table.date_text(0) == table.date_text(10**40) == "-"
    assert table.date_text(1_600_000_000 * 10**9).startswith("2020-09-13")
    assert [table.status_text(n) for n in (None, 0, 7, -11, -99)] == ["-", "0", "7", "SIGSEGV", "signal 99"]


def test_modes() -> None:
    assert table.mode_text(FileState("file", 0o4755)) == "-rwsr-xr-x"
    assert table.mode_text(FileState("dir", 0o700)) == "drwx------"
    assert table.mode_text(FileState("other", 0o600)) == "?rw-------"


def test_columns_are_plain_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    table.print_columns([["a", "1", "x" * 300], ["bbb", "22", ""]], ("n", "size", "what"), right=(1,), indent=" ")
    assert capsys.readouterr().out == f" n    size  what\n a       1  {'x' * 300}\n bbb    22\n"
    table.print_columns([])
    assert capsys.readouterr().out == ""


def test_a_closed_pipe_ends_it_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "silence_stdout", lambda: None)

    @table.guarded
    def run() -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    assert run() == 141
    assert sys.stdout


def test_errors_of_the_system_are_explained() -> None:
    @table.guarded
    def run() -> None:
        open("/nowhere/at/all")

    with pytest.raises(RexError, match="cannot use /nowhere/at/all: No such file") as caught:
        run()
    assert caught.value.code == 2
