"""Unusual places to run Rex in: directories, caches, locales, streams."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from commands import REX, environment, run_rex
from rex import longnames
from rex.archive import Archive

pytestmark = pytest.mark.usefixtures("tracing")
ASCII = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}   # no locale of another encoding is everywhere


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REX_CACHE", str(tmp_path / "cache"))


def _in_removed(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run rex in a directory that is removed."""
    (tmp_path / "gone").mkdir()
    return subprocess.run(["sh", "-c", f"rmdir {tmp_path}/gone; exec {shlex.join([*REX, *words])}"], cwd=tmp_path / "gone",
                          env=environment(), capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("words, code", [(("record", "-l", "{}/E", "--", "true"), 125), (("default",), 2), (("ls",), 2)])
def test_a_removed_working_directory(tmp_path: Path, words: tuple[str, ...], code: int) -> None:
    done = _in_removed(tmp_path, *[word.format(tmp_path) for word in words])
    assert (done.returncode, done.stderr) == (code, "rex: the current directory was removed; cd to another one\n")
    assert os.listdir(tmp_path) == []


def test_what_needs_no_working_directory_works_in_a_removed_one(tmp_path: Path) -> None:
    run_rex("record", "-l", "E", "--", "echo", "hi", cwd=tmp_path)
    done = _in_removed(tmp_path, "replay", "-l", f"{tmp_path}/E", "-e", "exp0", "--check")
    assert done.returncode == 0 and "identical" in done.stderr


@pytest.mark.parametrize("words", [
    ("record", "-l", "E", "-e", "no name", "--", "true"), ("import", "-l", "E", "bad"), ("pull", "-l", "E", "other", "-e", "none"),
    ("hindsight", "record", "-l", "E", "none.py")])
def test_what_fails_at_once_leaves_no_archive(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "bad").write_text("no export file")
    Archive.create(tmp_path / "other")
    before = sorted(os.listdir(tmp_path))
    assert run_rex(*words, cwd=tmp_path, code=None).returncode != 0
    assert sorted(os.listdir(tmp_path)) == before


def test_a_check_without_an_output_directory_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    run_rex("record", "-l", "../E", "--", "sh", "-c", "echo hi > made; cat made", cwd=tmp_path / "work")
    before = os.listdir(tmp_path / "work")
    done = run_rex("replay", "-l", "../E", "-e", "exp0", "--check", "--json", cwd=tmp_path / "work")
    assert '"outdir": null' in done.stdout and os.listdir(tmp_path / "work") == before
    assert not [name for name in os.listdir(tmp_path / "cache") if name.startswith("replay-")]
    run_rex("replay", "-l", "../E", "-e", "exp0", "--check", "-o", "out", cwd=tmp_path / "work")
    assert (tmp_path / f"work/out{tmp_path}/work/made").read_text() == "hi\n"


@pytest.mark.parametrize("variables", [ASCII, {"PYTHONIOENCODING": "ascii"}])
def test_names_that_the_locale_cannot_show_are_escaped(tmp_path: Path, variables: dict[str, str]) -> None:
    (tmp_path / "日").write_text("x")
    done = run_rex("record", "-l", "é", "-e", "e", "--", "sh", "-c", "cat 日>出; echo $PYTHONUTF8 $1", "sh", "力",
                   cwd=tmp_path, **variables)
    assert done.stdout == f"{variables.get('PYTHONUTF8', '')} 力\n".lstrip()   # the program notices nothing
    for words in (("ls", "é"), ("log", "é:e"), ("show", "é:e"), ("show", "--graph", "dot", "é:e")):
        run_rex(*words, cwd=tmp_path, **variables)
    assert "\\u65e5" in run_rex("workflow", "é:e", cwd=tmp_path, **variables).stdout
    run_rex("runnew", "-l", "é", "--headless", "--file", "日=é/rex-archive.json", "-o", "力", cwd=tmp_path, **variables)
    assert "format" in (tmp_path / f"力{tmp_path}/出").read_text()


@pytest.mark.parametrize("given", [{}, {"LC_CTYPE": "C.UTF-8"}, {"LANG": "C"}])
def test_a_program_sees_the_locale_that_was_given(tmp_path: Path, given: dict[str, str]) -> None:
    variables = {name: value for name, value in environment().items() if not name.startswith("L")}
    done = subprocess.run([*REX, "record", "-q", "-l", "E", "--", "env"], cwd=tmp_path, env={**variables, **given}, text=True,
                          stdout=subprocess.PIPE, timeout=60, check=True)
    assert dict(line.split("=", 1) for line in done.stdout.splitlines() if line.startswith("L")) == given


def test_a_closed_standard_output(tmp_path: Path) -> None:
    run_rex("record", "-l", "E", "--", "true", cwd=tmp_path)
    for words in (("ls", "E"), ("doctor",), ("log", "E"), ("show", "E")):
        done = subprocess.run(["sh", "-c", f"exec {shlex.join([*REX, *words])} >&-"], cwd=tmp_path, env=environment(),
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_times_before_1902_and_after_2262(tmp_path: Path) -> None:
    """Files have them in a recording, its replay and a new run: read, stat'ed only, listed, copied and changed ones."""
    work = tmp_path / "work"
    (work / "dir").mkdir(parents=True)
    times_ns = {"late": 15032385535 * 10**9 + 250_000_000, "old": -2146953600 * 10**9 + 750_000_000, "dir": 14831769600 * 10**9,
                "changed": 14831769600 * 10**9}
    for name, time_ns in times_ns.items():
        if name != "dir":
            (work / name).write_text(name)
        os.utime(work / name, ns=(time_ns, time_ns))
    told = run_rex("record", "-l", "../E", "--", "sh", "-c", "stat -c '%n %.9Y' *; cat late; ls dir; echo more >> changed; cp -p old new; "
                   "touch -d 1950-01-01T00:00:00.5 other; stat -c %.9Y new other", cwd=work)
    assert "changed by somebody else" not in told.stderr
    kept = {name: (work / name).stat().st_mtime_ns for name in ("late", "old", "new", "other")}
    for name in ("late", "old", "changed", "new", "other"):
        (work / name).unlink()
    (work / "dir").rmdir()
    replayed = run_rex("replay", "-l", "../E", "-o", "../out", cwd=work)
    ran = run_rex("runnew", "-l", "../E", "--headless", "-o", "../run", cwd=work)
    assert replayed.stdout == ran.stdout == told.stdout
    for folder in ("out", "run"):
        assert {name: (tmp_path / f"{folder}{work}/{name}").stat().st_mtime_ns for name in ("new", "other")} == {
            name: kept[name] for name in ("new", "other")}
    files = Archive.open(tmp_path / "E").experiment().manifest.files
    assert {name: files[f"{work}/{name}"].final.mtime_ns for name in kept} == kept


def test_a_tree_deeper_than_python_recurses(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    words = "import os\nfor _ in range(1100):\n    os.mkdir('d'); os.chdir('d')\nopen('last', 'w').write('x')"
    try:
        run_rex("record", "-l", "../E", "--", sys.executable, "-S", "-c", words, cwd=top)
    finally:
        longnames.remove(os.fsencode(top))
    assert "identical" in run_rex("replay", "-l", "E", "-e", "exp0", "--check", cwd=tmp_path).stderr
    assert not [name for name in os.listdir(tmp_path / "cache") if name.startswith("replay-")]
