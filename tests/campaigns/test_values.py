"""Archives with values that no recorder writes, and with what is no file: every command reads them or refuses them in one line."""

from __future__ import annotations

import contextlib
import io
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from campaigns import hostile
from commands import REX, environment
from rex.archive import Archive
from rex.cli.main import run

# {A}: the archive, {E}: its last experiment, {T}: a new path.
COMMANDS = ["ls {A}", "ls {A}:{E}", "ls {A} --json", "show {A}:{E}", "show {A}:{E} --files", "show {A}:{E} --processes", "show {A}:{E} --env",
            "show {A}:{E} --json", "show {A}:{E} --graph dot", "show {A}:{E} --graph prov", "show {A}:{E} --stdout", "log {A}:{E}", "check {A}",
            "expdiff {A}:exp0 {A}:{E}", "expdiff -d 3 {A}:{E} {A}:exp0", "export {A} -e {E} -o {T}.rex", "export {A} -e {E} --no-log -o {T}.rex",
            "export {A}:{E} --format dir -o {T}", "export {A}:{E} --format docker -o {T}", "export {A}:{E} --format rocrate -o {T}",
            "workflow {A}:{E}", "workflow {A}:{E} --json", "schedule {A}:{E} --mtbf 1h", "tree -l {A}", "compare {A}", "plan -l {A}",
            "ui {A} --export {T}", "environment {A}:{E}", "extract {A}:{E} -o {T}", "runnew {A}:{E} --headless --plan -o {T}", "check --secrets {A}:{E}",
            "cp {A}:{E} {T}:y", "gc {A}"]
CODES = {0, 1, 2, 10, 11, 12, 13, 14, 20, 21, 125}
LIMIT_S = 120   # nothing that is right takes a tenth of it


@contextlib.contextmanager
def watchdog() -> Iterator[None]:
    """End a command that hangs."""
    def over(*_: Any) -> None:
        raise AssertionError("it hangs")
    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(LIMIT_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def is_clean(text: str) -> bool:
    """Whether nothing of it can steer a terminal."""
    return all(c.isprintable() or c in "\n\t" for c in text)


def words(command: str, archive: Path, target: Path) -> list[str]:
    return command.format(A=archive.name, E="exp2" if (archive / "experiments" / "exp2").exists() else "exp0", T=target.name).split()


def run_here(command: list[str]) -> tuple[int, str]:
    """Run rex in this process: its status and what it printed."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), watchdog():
        status = run(command)
    out.flush()
    return status, out.buffer.getvalue().decode("utf-8", "replace")  # type: ignore[attr-defined]


def test_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rounds: Callable[[int, int], int], figure: Callable[[str], None]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REX_CACHE", str(tmp_path / "cache"))
    hostile.fill(tmp_path / "good")
    facts = hostile.facts_of(Archive.open(tmp_path / "good"))
    choose, statuses, commands = random.Random(3), dict.fromkeys(CODES, 0), 0
    for number in range(count := rounds(40, 2000)):
        path = tmp_path / "A"
        shutil.copytree(tmp_path / "good", path)
        spoilt = hostile.json.loads(hostile.json.dumps(facts))
        done = [hostile.spoil(spoilt, choose) for _ in range(choose.choice((1, 1, 1, 2, 3)))]
        hostile.add(Archive.open(path), spoilt)
        for command in COMMANDS if number % 8 == 0 else choose.sample(COMMANDS, 5):
            try:
                status, printed = run_here(words(command, path, tmp_path / "T"))
            except Exception as error:
                raise AssertionError(f"{command} after {done}") from error
            assert status in CODES and "Traceback" not in printed, (command, done, printed)
            assert is_clean(printed) or "--stdout" in command, (command, done, printed)
            statuses[status] += 1
            commands += 1
            for left in (tmp_path / "T", tmp_path / "T.rex"):
                shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
        shutil.rmtree(path)
    told = ", ".join(f"{count} ended with {code}" for code, count in statuses.items() if count)
    figure(f"values: {count} manifests, {commands} commands: {told}; none failed otherwise")


@pytest.mark.parametrize("name", hostile.BOMBS)
def test_bombs(tmp_path: Path, name: str, figure: Callable[[str], None]) -> None:
    path, most = tmp_path / "A", 0
    hostile.bomb(path, name)
    for command in ("ls {A}", "show {A}:{E} --processes", "check {A}", "export {A} -e {E} -o {T}.rex", "expdiff {A}:exp0 {A}:{E}",
                    "workflow {A}:{E}"):
        code = "import os, sys\nfrom rex.cli.main import run\nstatus = run(sys.argv[1:])\n" \
               "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0], file=sys.stderr)\nos._exit(status)"
        done = subprocess.run([sys.executable, "-c", code, "--max-memory", "512M", "--max-read", "256M", *words(command, path, tmp_path / "T")],
                              cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=LIMIT_S, check=False)
        assert done.returncode in CODES and "Traceback" not in done.stderr, (command, done.stderr)
        most = max(most, int(done.stderr.split()[-1]) >> 10)
    assert most < 700
    figure(f"bombs: {name}: at most {most} MiB")


def test_strange_files(tmp_path: Path, rounds: Callable[[int, int], int], figure: Callable[[str], None]) -> None:
    hostile.fill(tmp_path / "other")
    made = hostile.strange_files(tmp_path)
    choose, count = random.Random(4), 0
    for path in made if rounds(0, 1) else choose.sample(made, 5):
        for command in [*COMMANDS, "record -q -l {A} -- true", "default {A}:exp0", "rm {A}:exp0", "check {A} --repair", "import {T}.rex -l {A}",
                        "push {A} {T}", "pull {A} -l {T}"] if rounds(0, 1) else choose.sample(COMMANDS, 2) + [
                            "check {A}", "record -q -l {A} -- true", "pull {A} -l {T}"]:
            done = subprocess.run([*REX, "--max-memory", "512M", *words(command, path, tmp_path / "T")] if command.split()[0] != "record" else
                                  [*REX, *words(command, path, tmp_path / "T")], cwd=tmp_path,
                                  env=environment(REX_CACHE=str(tmp_path / "cache")), capture_output=True, timeout=LIMIT_S,
                                  stdin=subprocess.DEVNULL, check=False)
            assert done.returncode in CODES and b"Traceback" not in done.stderr, (path.name, command, done.stderr)
            assert b"CANARY" not in done.stdout + done.stderr, (path.name, command)
            count += 1
            for left in (tmp_path / "T", tmp_path / "T.rex"):
                if left.exists():
                    found = left.read_bytes() if left.is_file() else b"".join(p.read_bytes() for p in left.rglob("*") if p.is_file())
                    assert b"CANARY" not in found, (path.name, command)
                shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
        assert not os.path.lexists(tmp_path / "made_outside") and os.listdir(tmp_path / "elsewhere") == [], path.name
        assert (tmp_path / "secret").read_bytes() == b"CANARY" * 50, path.name
    figure(f"strange files: {count} commands on {len(made)} archives: none hung, read or wrote what lies outside")
