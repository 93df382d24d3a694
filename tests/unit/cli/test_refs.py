"""Naming an experiment in one of two ways, to every command."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.builders import Bench
from cli.conftest import Rex
from rex.archive import Archive
from rex.cli.refs import either, is_archive_ref
from rex.errors import UsageError


def test_one_of_the_two() -> None:
    assert either(None, "A", "e") == ("A", "e") and either("A:e", "__default", None) == ("A", "e") == either("A:e", "__default", "")
    for archive, experiment in (("A", None), ("__default", "e")):
        with pytest.raises(UsageError, match="at once"):
            either("A:e", archive, experiment)


def test_the_default_archive_is_no_second_name(bench: Bench, rex: Rex, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.record()
    bench.record()
    monkeypatch.setenv("REX_ARCHIVE", "A")
    assert either("B:e", "A", None) == ("B", "e")
    said = rex("show", "A:exp1")
    assert said.exception is None and rex("show", "-e", "exp1").stdout == said.stdout
    assert rex("ls").stdout == rex("ls", "A").stdout != ""


def test_what_names_an_archive(tmp_path: Path) -> None:
    Archive.create(tmp_path / "A")
    assert is_archive_ref(f"{tmp_path}/A") and is_archive_ref(f"{tmp_path}/A:x") and not is_archive_ref(f"{tmp_path}") and not is_archive_ref("cat")


@pytest.mark.parametrize("command", ["default", "show", "log", "ls", "workflow"])
def test_both_ways_say_the_same(bench: Bench, rex: Rex, command: str) -> None:
    bench.record()
    bench.record()
    said = rex(command, "A:exp1")
    assert said.exception is None and rex(command, "-l", "A", "-e", "exp1").stdout == said.stdout
    both = rex(command, "A:exp1", "-l", "A")
    assert isinstance(both.exception, UsageError) and "at once" in str(both.exception)


@pytest.mark.parametrize("words", [["label", "k=v", "x=y"], ["label"], ["note", "a text"], ["note"], ["cp", "B"], ["extract", "--json"], ["environment"]])
def test_what_follows_an_experiment_stays_what_it_is(bench: Bench, rex: Rex, words: list[str]) -> None:
    bench.record()
    bench.record()
    said = rex(words[0], "A:exp1", *words[1:])
    again = rex(words[0], "-l", "A", "-e", "exp1", *words[1:])
    assert said.exception is again.exception is None and again.stdout.replace("is already", "copied to") == said.stdout


def test_a_name_and_paths_follow_an_experiment(bench: Bench, rex: Rex) -> None:
    bench.record()
    assert rex("rename", "-l", "A", "-e", "exp0", "new").exception is None and "A:new" in rex("ls", "A", "--names").stdout
    for words in (["rename", "A:new"], ["cat", "A:new"], ["cat", "-l", "A", "-e", "new"], ["label"], ["rename", "-l", "A"]):
        error = rex(*words).exception
        assert isinstance(error, UsageError) and "missing" in str(error)


def test_two_experiments_of_one_archive(bench: Bench, rex: Rex) -> None:
    bench.record(command=("a",))
    bench.record(command=("b",))
    said = rex("expdiff", "A:exp0", "A:exp1")
    assert said.return_value == 1 and rex("expdiff", "-l", "A", "-e", "exp0", "-e", "exp1").stdout == said.stdout
    for words in (("-l", "A", "-e", "exp0"), ("-l", "A", *("-e", "exp0") * 3), ()):
        assert isinstance(rex("expdiff", *words).exception, UsageError)


def test_commands_with_more_words(bench: Bench, rex: Rex, tmp_path: Path) -> None:
    bench.record()
    assert rex("push", "-l", "A", str(tmp_path / "there"), "-e", "exp0").exception is None
    assert [each.name for each in Archive.open(tmp_path / "there").experiments()] == ["exp0"]
    assert rex("check", "-l", "A").return_value == 0 and rex("gc", "-l", "A").exception is None
    assert rex("rm", "-l", "A", "-e", "exp0").exception is None and bench.archive.experiments() == []
    assert isinstance(rex("rm").exception, UsageError)
