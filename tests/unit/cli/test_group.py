"""The command line as a whole: names, help, hints, defaults, completion."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from cli.builders import Bench
from cli.conftest import Rex
from commands import ROOT, environment, run_rex
from rex.cli import quick
from rex.cli.group import ALIASES, COMMANDS, GROUPS, cli


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("REX_ARCHIVE", raising=False)
    return tmp_path / "home" / "rex" / "config.toml"


def test_the_help_groups_the_commands(rex: Rex) -> None:
    shown = rex("--help").stdout
    assert all(f"\n{heading}:\n" in shown for heading in GROUPS)
    assert all(f"  {name} " in shown for name in COMMANDS) and rex("help").stdout == shown
    assert rex("help", "ls").stdout == rex("ls", "--help").stdout
    assert rex("help", "hindsight", "record").stdout.splitlines()[2:] == rex("hindsight", "record", "--help").stdout.splitlines()[2:]
    assert rex("-V").stdout == rex("--version").stdout


@pytest.mark.parametrize("words, said", [
    ("lst", "did you mean ls or rules?; see: rex --help"), ("replya A", "did you mean replay"), ("rnu", "did you mean run"),
    ("xyzzy", "there is no command xyzzy; see: rex --help"), ("ls --nope", "see: rex ls --help"), ("help nothing", "there is no command nothing"),
    ("hindsight shwo", "see: rex hindsight --help"), ("help ls more", "has no commands below it")])
def test_a_mistyped_word_is_one_line(tmp_path: Path, words: str, said: str) -> None:
    done = run_rex(*words.split(), cwd=tmp_path, code=2)
    assert said in done.stderr and done.stderr.count("\n") == 1 and not done.stdout


@pytest.mark.parametrize("words", ["", "notebook", "hindsight"])
def test_a_command_without_a_word_shows_its_help(tmp_path: Path, words: str) -> None:
    shown = run_rex(*words.split(), cwd=tmp_path)
    assert shown.stdout == run_rex(*words.split(), "--help", cwd=tmp_path).stdout and not shown.stderr


@pytest.mark.parametrize("words, said", [
    ("completion", "Missing argument"), ("cat A:exp0", "PATH is missing; see: rex cat --help"),
    ("expdiff A:exp0", "name it as ARCHIVE:EXP"), ("import none.rex", "No such file or directory; check the spelling")])
def test_what_is_missing_is_named_in_one_line(tmp_path: Path, words: str, said: str) -> None:
    done = run_rex(*words.split(), cwd=tmp_path, code=2)
    assert said in done.stderr and done.stderr.count("\n") == 1 and not done.stdout


def test_aliases_are_the_command(rex: Rex, bench: Bench) -> None:
    bench.record(stdout=b"a")
    bench.record(stdout=b"b")
    assert rex("diff", "A:exp0", "A:exp1").stdout == rex("expdiff", "A:exp0", "A:exp1").stdout
    assert set(ALIASES.values()) <= set(COMMANDS)
    assert run_rex("run", "-l", "none", "--headless", "-o", "o", cwd=Path(bench.path).parent, code=125).stderr.startswith("rex: no archive")


def test_defaults_hold_for_every_command(rex: Rex, bench: Bench, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.record()
    for words in (("ls",), ("show",), ("default",), ("check",), ("log",), ("tree",), ("label", "A:exp0")):
        without = rex(*words)
        monkeypatch.setenv("REX_ARCHIVE", "A")
        assert "__default" not in f"{rex(*words).stdout}{rex(*words).exception}", words
        monkeypatch.delenv("REX_ARCHIVE")
        assert words[0] == "label" or "__default" in str(without.exception), words


def test_files_give_defaults_of_options(rex: Rex, bench: Bench, home: Path) -> None:
    for number in range(3):
        bench.record(start_ns=10**18 - number)
    home.parent.mkdir(parents=True)
    home.write_text(f'archive = "{bench.path}"\n[ls]\nsort = "date"\nn = 2\n', encoding="utf-8")
    assert "n of rex ls" in str(rex("ls").exception)                       # a long name is wanted, -n has none
    home.write_text(f'archive = "{bench.path}"\n[ls]\nsort = "date"\nnames = true\n[record]\nexclude = ["*.tmp"]\n', encoding="utf-8")
    assert [line[-4:] for line in rex("ls").stdout.splitlines()] == ["exp2", "exp1", "exp0"]
    assert [line[-4:] for line in rex("ls", "--sort", "name").stdout.splitlines()] == ["exp0", "exp1", "exp2"]
    assert f"ls sort         \"date\"" in rex("config").stdout
    told = json.loads(rex("config", "--json").stdout)
    assert told["files"] == [str(home)] and {"command": "ls", "option": "names", "value": True, "source": str(home)} in told["settings"]
    assert quick.run(["record", "--", "true"]) is None                     # click knows the defaults


@pytest.mark.usefixtures("tracing")
def test_a_recording_has_the_defaults(tmp_path: Path, home: Path) -> None:
    (tmp_path / "kept.tmp").write_text("x", encoding="ascii")
    (tmp_path / ".rex.toml").write_text('archive = "EXP"\n[record]\nexclude = ["*.tmp"]\n', encoding="utf-8")
    assert "left out" in run_rex("record", "--", "cat", "kept.tmp", cwd=tmp_path).stderr
    run_rex("record", "-q", "--", "true", cwd=tmp_path, REX_ARCHIVE="other")
    (tmp_path / ".rex.toml").unlink()
    run_rex("record", "-q", "--", "true", cwd=tmp_path, REX_ARCHIVE="other")
    assert len(os.listdir(tmp_path / "other" / "experiments")) == 2 and len(os.listdir(tmp_path / "EXP" / "experiments")) == 1


def complete(cwd: Path, *words: str) -> list[str]:
    """What bash would offer for the last word."""
    env = environment(_REX_COMPLETE="bash_complete", COMP_WORDS=" ".join(("rex", *words)), COMP_CWORD=str(len(words)))
    done = subprocess.run([sys.executable, "-c", "from rex.cli.main import main; main()"], cwd=cwd, env=env, capture_output=True, text=True,
                          check=False)
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


def test_shells_complete_what_is_in_archives(bench: Bench, tmp_path: Path) -> None:
    bench.record(outputs={"/w/out/a.csv": b"a\n", "/w/out/b.csv": b"b\n"}, cwd="/w")
    bench.record("other")
    assert complete(tmp_path, "rep") == ["replay"]
    assert complete(tmp_path, "ls", "A:") == ["A:exp0", "A:other"]
    assert complete(tmp_path, "show", "A:o") == ["A:other"]
    assert complete(tmp_path, "replay", "-l", "A", "-e", "e") == ["exp0"]
    assert complete(tmp_path, "cat", "A:exp0", "out/") == ["out/a.csv", "out/b.csv"]
    assert complete(tmp_path, "cat", "A:exp0", "/w/out/b") == ["/w/out/b.csv"]
    assert complete(tmp_path, "cat", "none:exp0", "x") == [] and complete(tmp_path, "ls", "none:") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts_for_shells(rex: Rex, shell: str) -> None:
    shown = rex("completion", shell).stdout
    assert f"_REX_COMPLETE={shell}_complete" in shown


def test_every_command_that_reports_does_so_for_machines() -> None:
    """Commands without --json write files, bytes, pages or text that is for people alone."""
    without = {name for name in COMMANDS if isinstance(command := cli.get_command(click.Context(cli), name), click.Command)
               and not isinstance(command, click.Group) and not any("--json" in param.opts for param in command.params)}
    assert without == {"cat", "completion", "help", "ui"}


def test_a_quiet_command_tells_by_its_status(rex: Rex, bench: Bench) -> None:
    bench.record(stdout=b"a")
    bench.record(stdout=b"b")
    for words, status in ((("diff", "A:exp0", "A:exp1"), 1), (("diff", "A:exp0", "A:exp0"), 0), (("check", "A"), 0), (("gc", "A"), 0),
                          (("export", "A", "-o", "x.rex"), 0), (("import", "x.rex", "-l", "B"), 0), (("cp", "A:exp1", "C"), 0),
                          (("rename", "A:exp1", "new"), 0), (("label", "A:new", "k=v"), 0), (("default", "A:new"), 0)):
        done = rex(*words, "-q")
        assert (done.return_value, done.stdout, done.stderr) == (status, "", ""), words
        assert rex(words[0], "--help").stdout.count("--quiet") == 1
    assert rex("check", "none", "-q").exception


def test_every_command_has_a_man_page(tmp_path: Path) -> None:
    pytest.importorskip("click_man", reason="click-man is not installed (the extra test)")
    subprocess.run([sys.executable, str(ROOT / "docs" / "manpages.py"), str(tmp_path / "man")], check=True)
    names = {path.name for path in (tmp_path / "man").iterdir()}
    assert {"rex.1", "rex-hindsight-record.1"} | {f"rex-{name}.1" for name in COMMANDS} <= names
    assert "keep everything it used" in (tmp_path / "man" / "rex-record.1").read_text(encoding="utf-8")
