"""Rex from Python."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import rex
from commands import ROOT, environment, run_rex
from rex.errors import CommandNotFound, Conflicts, NotExecutable, NotFound, UsageError

pytestmark = pytest.mark.usefixtures("tracing")
PATH = {"PATH": os.environ["PATH"]}


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> rex.Archive:
    monkeypatch.chdir(tmp_path)
    return rex.Archive("A", create=True)


def test_the_examples_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("1,2\n3,4\n", encoding="ascii")
    found = doctest.testfile(str(ROOT / "docs" / "api.md"), module_relative=False)
    assert found.failed == 0 and found.attempted > 20


def test_importing_rex_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import rex; print(sorted(set(sys.modules) - before - {'__future__'}))"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout == "['rex', 'rex.version']\n"


def test_what_is_offered_is_there() -> None:
    assert all(callable(getattr(rex, name)) for name in rex.__all__) and set(rex.__all__) <= set(dir(rex))
    with pytest.raises(AttributeError, match="nothing"):
        rex.nothing     # type: ignore[attr-defined]


def test_the_package_is_a_command(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "rex", "ls", "none"], cwd=tmp_path, env=environment(), capture_output=True, text=True,
                          check=False)
    assert done.returncode == 10 and "no archive" in done.stderr


def test_a_recording_elsewhere_with_another_environment(archive: rex.Archive, tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "in.txt").write_text("data\n", encoding="ascii")
    program = tmp_path / "w" / "go.sh"
    program.write_text("#!/bin/sh\ncat in.txt - > out.txt; echo $V $HOME; exit 3\n", encoding="ascii")
    program.chmod(0o755)
    found = rex.record(["./go.sh"], archive, env={**PATH, "V": "1"}, cwd="w", stdin=b"more\n")
    assert (found.exit_status, found.stdout, found.cwd) == (3, b"1\n", str(tmp_path / "w"))
    assert found.environment == {**PATH, "V": "1"}
    assert found.outputs[f"{tmp_path}/w/out.txt"].read_bytes() == b"data\nmore\n"
    assert not (tmp_path / "out.txt").exists() and os.getcwd() == str(tmp_path)
    done = rex.replay(found, "o")
    assert done.is_identical and done.status == 3 and done.stdout == b"1\n"


def test_stdin_is_nothing_a_file_or_bytes(archive: rex.Archive, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("data\n", encoding="ascii")
    with open("in.txt", "rb") as file:
        assert rex.record(["cat"], archive, stdin=file).stdout == b"data\n"
    assert rex.record(["cat"], archive).stdout == b""
    kept = rex.record(["cat"], archive, stdin=b"kept\n")
    assert rex.run(kept, "o1").stdout == b"kept\n" and rex.run(kept, "o2", stdin=b"other\n").stdout == b"other\n"


def test_threads_record_too(archive: rex.Archive) -> None:
    made: list[rex.Experiment] = []
    threads = [threading.Thread(target=lambda n=n: made.append(rex.record(["echo", str(n)], archive))) for n in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(each.stdout for each in made) == [b"0\n", b"1\n", b"2\n"] and len(archive) == 3


def test_a_replay_that_differs(archive: rex.Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "x")      # withheld from the archive
    found = rex.record(["sh", "-c", "echo ${MY_TOKEN:-none}"], archive)
    done = rex.replay(found, "o")
    assert not done.is_identical and done.divergences and "program asked for" in done.divergence
    assert "MY_TOKEN" not in found.environment


def test_credentials_stay_out_and_are_named(archive: rex.Archive) -> None:
    token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    words = ["sh", "-c", "echo $1", "sh", f"--token={token}"]
    plain = rex.record(words, archive, env=PATH)
    assert [each.kind for each in plain.secrets()] and plain.redacted == ()
    found = rex.record(words, archive, env={**PATH, "MY_PASSWORD": "hunter2!"}, redact=True)
    assert (found.withheld, found.redacted, found.secrets()) == (("MY_PASSWORD",), (4,), [])
    assert token not in str(found.command) and token.encode() not in found.stdout
    assert rex.replay(found, "o").stdout == found.stdout


def test_errors_are_classes(archive: rex.Archive, tmp_path: Path) -> None:
    with pytest.raises(CommandNotFound):
        rex.record(["no-such-program"], archive)
    (tmp_path / "plain").touch()
    with pytest.raises(NotExecutable):
        rex.record(["./plain"], archive)
    assert len(archive) == 0
    with pytest.raises(NotFound):
        rex.Archive("none")
    found = rex.record(["true"], archive)
    with pytest.raises(NotFound):
        found.file("/nowhere")
    with pytest.raises(NotFound):
        found.file(os.path.realpath("/bin")).read_bytes()
    with pytest.raises(Conflicts):
        rex.run(found, "o", files={"/nowhere": "plain"})
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(UsageError):
        rex.replay(found, "full")


def test_commands_and_scripts_see_the_same(archive: rex.Archive, tmp_path: Path) -> None:
    run_rex("record", "-q", "-l", "A", "-e", "mine", "--", "true", cwd=tmp_path)
    assert "mine" in archive and archive["mine"].command == ("true",) and archive.default().name == "mine"


SCRIPT = """
import rex
from rex.errors import RexError

def main() -> int:
    with rex.Archive.temporary() as archive:
        experiment: rex.Experiment = rex.record(["true"], archive, env={"A": "b"}, stdin=b"")
        replayed: rex.Replay = rex.replay(experiment, "out")
        new = rex.run(experiment, "out2", args=["x"], record=True)
        if new.experiment is None:
            return 1
        comparison: rex.Comparison = rex.compare(experiment, new.experiment)
        names: list[str] = [each.name for each in archive.experiments()]
        data: dict[str, bytes] = {path: file.read_bytes() for path, file in experiment.outputs.items()}
        print(names, data, comparison.is_same, [event.call for event in experiment.log()], [p.command for p in experiment.processes])
        try:
            archive.check()
        except RexError as error:
            print(error.advice)
        return replayed.status
"""


def test_a_typed_script_passes_the_type_checker(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed (the extra test)")
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "script.py"], cwd=tmp_path,
                          env=environment(MYPYPATH=str(ROOT)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
