"""`--sandbox` of the commands that run an archive many times: each run is in one, and sees nothing of this machine."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from commands import run_rex
from rex.archive import Archive
from rex.tracer import native
from rex.tracer.sandbox import Sandbox
from rex.trees.cut import load_runs, plain_runs
from rex.trees.merge import merge_steps
from rex.trees.replayall import Wishes, replay_steps

pytestmark = [pytest.mark.usefixtures("tracing"), pytest.mark.skipif(not native.is_built(), reason="a sandbox needs the native engine")]
SCRIPT = 'cat "$1" > copy; readlink /proc/self/ns/pid > where'
MACHINE = os.readlink("/proc/self/ns/pid") + "\n"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two experiments that read different files and tell in which process namespace they are; a third file that no archive has."""
    monkeypatch.setenv("REX_CACHE", str(tmp_path / "cache"))
    made = tmp_path / "work"
    made.mkdir()
    for name in ("one", "two"):
        (made / name).write_text(f"{name}\n")
        run_rex("record", "-q", "-l", "../A", "-e", name, "--", "sh", "-c", SCRIPT, "sh", name, cwd=made)
    (made / "secret").write_text("of this machine\n")
    if "a sandbox cannot be made" in run_rex("replay", "-l", "../A", "--sandbox", "--check", cwd=made, code=None).stderr:
        pytest.skip("no sandbox here")
    return made


def content(work: Path, experiment: str, name: str) -> str:
    return run_rex("cat", f"../A:{experiment}", str(work / name), cwd=work).stdout


def test_a_sweep_sees_only_what_is_given(work: Path) -> None:
    found = json.loads(run_rex("sweep", "../A:one", "--arg", "4=one,secret", "--sandbox", "--json", "-q", cwd=work).stdout)
    own, foreign = (run["experiment"] for run in found["runs"])
    assert content(work, own, "copy") == "one\n" and content(work, foreign, "copy") == ""
    assert MACHINE not in {content(work, own, "where"), content(work, foreign, "where")}


def test_a_bisection(work: Path) -> None:
    found = json.loads(run_rex("bisect", "../A", "copy", "--good", "one", "--bad", "two", "--sandbox", "--json", cwd=work).stdout)
    assert found["causes"] == ["argument 4 ('two')", f"the new file {work}/two"], "the machine has that file, a sandbox has not"
    assert found["reused"] == 0 and len(found["runs"]) > 2
    assert all(content(work, run, "where") != MACHINE for run in found["runs"])


def test_a_replay_of_all_runs(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Sandbox] = []
    command = Sandbox.command
    monkeypatch.setattr(Sandbox, "command", lambda box: made.append(box) or command(box))   # type: ignore[func-returns-value]
    archive = Archive.open(work.parent / "A")
    runs = load_runs(plain_runs(archive.experiments()), [])
    done = replay_steps(Wishes(archive.path, str(work.parent / "out"), is_sandboxed=True), runs, merge_steps(runs))
    assert done.is_identical and len(made) == 2 and not any(run.put_back for run in done.runs)
    assert run_rex("replay", "-l", "../A", "--all", "--sandbox", "--check", cwd=work).stderr.count("identical") == 2
