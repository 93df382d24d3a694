"""rex itself killed at random instants: while it records, imports, pushes and pulls."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Iterator

import pytest

from commands import REX, environment
from rex.archive import COMPLETE, INCOMPLETE, Archive, Manifest
from rex.archive.check import check
from rex.archive.gc import collect
from rex.cli.doctor_command import trace_child, why_not

WHY_NOT = why_not(trace_child)
needs_tracing = pytest.mark.skipif(bool(WHY_NOT), reason=f"tracing is not permitted here: {WHY_NOT}")
WORK = ("for i in 1 2 3 4 5 6; do cat big > copy$i; echo $i >> log; rm -f copy$((i - 1)); ls > list; "
        "sleep 0.01; done; cat log")


def start(cwd: Path, *args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*REX, *args], cwd=cwd, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, start_new_session=True,
                            env=environment())


def seconds(cwd: Path, *args: str) -> float:
    """How long a command takes, undisturbed."""
    begin = time.monotonic()
    with start(cwd, *args) as process:
        process.communicate(timeout=60)
        assert process.returncode == 0
    return time.monotonic() - begin


def kill_at(cwd: Path, delay_s: float, *args: str) -> bool:
    """Run rex and kill it with all that it started after some seconds; whether it had ended by itself."""
    with start(cwd, *args) as process:
        try:
            process.communicate(timeout=delay_s)
        except subprocess.TimeoutExpired:
            pass
        os.kill(process.pid, signal.SIGKILL) if process.poll() is None else None
        process.communicate(timeout=60)   # ends only when the tracees, who hold the pipe, are gone too
        return process.returncode == 0


def whole(path: Path) -> Archive:
    """The archive, in which nothing that was finished is hurt."""
    archive = Archive.open(path)
    assert [p for p in check(archive) if not p.is_harmless] == []
    assert {e.state for e in archive.experiments()} <= {COMPLETE, INCOMPLETE}
    return archive


def kill_recorders(base: Path, times: int, seed: int) -> None:
    choose = random.Random(seed)
    (base / "big").write_bytes(choose.randbytes(300_000))
    command = ("record", "-q", "-l", "A", "--", "sh", "-c", WORK)
    longest = seconds(base, *command) * 1.2
    finished = {"exp0"}
    for _ in range(times):
        ended = kill_at(base, choose.uniform(0, longest), *command)
        archive = whole(base / "A")
        states = {e.name: e.state for e in archive.experiments()}
        assert all(states[name] == COMPLETE for name in finished)
        now = {name for name, state in states.items() if state == COMPLETE}
        assert len(now) - len(finished) == 1 or not ended
        finished = now
    unfinished = [e for e in archive.experiments() if e.state == INCOMPLETE]
    for experiment in unfinished[:3]:
        for args in (["show", f"A:{experiment.name}"], ["log", f"A:{experiment.name}"]):
            with start(base, *args) as process:
                process.communicate(timeout=60)
                assert process.returncode in (0, 10)   # 10: it was killed before it had a log
    for experiment in unfinished:
        archive.remove(experiment.name)
    collect(archive)
    assert check(whole(base / "A")) == []


@needs_tracing
def test_killed_recorders(tmp_path: Path) -> None:
    kill_recorders(tmp_path, 8, 1)


@needs_tracing
@pytest.mark.stress
def test_recorders_killed_at_hundreds_of_instants(tmp_path: Path) -> None:
    kill_recorders(tmp_path, 300, 2)


@needs_tracing
def test_a_killed_tracee_is_a_result(tmp_path: Path) -> None:
    with start(tmp_path, "record", "-q", "-l", "A", "--", "sh", "-c", "echo x > f; kill -9 $$") as process:
        process.communicate(timeout=60)
    experiment = whole(tmp_path / "A").experiment("exp0")
    assert experiment.state == COMPLETE and experiment.manifest.exit_status == -9
    assert str(tmp_path / "f") in experiment.manifest.files


def fill(path: Path) -> None:
    archive = Archive.create(path)
    for number in range(4):
        with archive.begin() as recording:
            recording.finish(Manifest(("x",), attachments={
                str(n): recording.add_bytes(random.Random(number * 50 + n).randbytes(200_000)) for n in range(6)}))


def kill_transfers(base: Path, times: int, seed: int) -> None:
    choose = random.Random(seed)
    fill(base / "A")
    with start(base, "export", "A", "-o", "a.rex") as process:
        process.communicate(timeout=60)
    whole_bytes = (base / "a.rex").read_bytes()
    commands = {"B": ("import", "a.rex", "-l", "B"), "R": ("push", "A", "R"), "P": ("pull", "A", "-l", "P"),
                None: ("export", "A", "-o", "b.rex", "--force")}
    for target, command in commands.items():
        longest = seconds(base, *[part.replace("B", "x1").replace("R", "x2").replace("P", "x3")
                                  for part in command])
        for _ in range(times):
            ended = kill_at(base, choose.uniform(0.3, 1.1) * longest, *command)
            if target is None:
                assert not (base / "b.rex").exists() or (base / "b.rex").read_bytes() == whole_bytes
            elif (base / target / "rex-archive.json").exists():
                archive = whole(base / target)
                assert not ended or sum(e.state == COMPLETE for e in archive.experiments()) == 4
        with start(base, *command) as process:   # whatever was left behind, the next one gets through
            process.communicate(timeout=60)
            assert process.returncode == 0
        if target:
            archive = whole(base / target)
            found = [json.dumps(sorted(e.manifest.attachments)) for e in archive.experiments()
                     if e.state == COMPLETE]
            assert len(found) == 4


def test_killed_transfers(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    kill_transfers(tmp_path, 3, 1)


@pytest.mark.stress
def test_transfers_killed_at_hundreds_of_instants(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    kill_transfers(tmp_path, 60, 2)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB; only root can make one."""
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)],
                      capture_output=True, check=False).returncode:
        pytest.skip("cannot mount a tmpfs here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_transfers_to_a_full_disk(tmp_path: Path, small_disk: Path) -> None:
    pytest.importorskip("fsspec")
    fill(tmp_path / "A")   # 4.8 MB
    with start(tmp_path, "export", "A", "-o", "a.rex") as process:
        process.communicate(timeout=60)
    for number, command in enumerate((("import", "a.rex", "-l", "small/B"), ("push", "A", "small/R"),
                                      ("pull", "A", "-l", "small/P"), ("export", "A", "-o", "small/a.rex"))):
        with start(tmp_path, *command) as process:
            process.communicate(timeout=60)
            assert process.returncode == 2, command
        if number < 3 and os.path.exists(small_disk / "BRP"[number]):   # what is new, and has got nothing, goes again
            archive = whole(small_disk / "BRP"[number])
            assert not any(e.state == COMPLETE for e in archive.experiments())
            collect(archive, may_be_none=True)
            shutil.rmtree(archive.path)
        assert os.listdir(small_disk) == []
    fits = ("push", "A", "small/R", "-e", "exp0")
    with start(tmp_path, *fits) as process:
        process.communicate(timeout=60)
        assert process.returncode == 0
    with start(tmp_path, "push", "A", "small/R") as process:
        process.communicate(timeout=60)
        assert process.returncode == 2
    assert [e.name for e in whole(small_disk / "R").experiments() if e.state == COMPLETE] == ["exp0"]


@needs_tracing
@pytest.mark.parametrize("recorders", [2, 8])
def test_recorders_at_once(tmp_path: Path, recorders: int) -> None:
    (tmp_path / "shared").write_bytes(random.Random(0).randbytes(400_000))
    for number in range(recorders):
        (tmp_path / f"own{number}").write_text(f"{number}\n" * 9000)
    running = [start(tmp_path, "record", "-q", "-l", "A", "--", "sh", "-c", f"cat shared own{n} | wc -c > out{n}; cat out{n}")
               for n in range(recorders)]
    said = [process.communicate(timeout=120)[0] for process in running]
    assert [process.returncode for process in running] == [0] * recorders
    archive = whole(tmp_path / "A")
    assert sorted(e.name for e in archive.experiments()) == sorted(f"exp{n}" for n in range(recorders))
    for experiment in archive.experiments():
        files, number = experiment.manifest.files, experiment.manifest.command[2].split("own")[1][0]
        shared, made = files[f"{tmp_path}/shared"].initial, files[f"{tmp_path}/out{number}"].final
        assert shared and made and shared.content and made.content
        assert len(archive.read(shared.content)) == 400_000 and archive.read(made.content) == said[int(number)]
    collect(archive, waste=0)   # what two stored at once is there once; by default a little may stay twice
    raw = [digest for pack in whole(tmp_path / "A").store.packs() for digest in pack.places]
    assert len(raw) == len(set(raw))


@needs_tracing
def test_recording_onto_a_full_disk(tmp_path: Path, small_disk: Path) -> None:
    (tmp_path / "small").mkdir(exist_ok=True)
    (tmp_path / "large").write_bytes(random.Random(1).randbytes(4_000_000))
    fits = ("record", "-q", "-l", "small/A", "--", "sh", "-c", "echo fits")
    with start(tmp_path, *fits) as process:
        process.communicate(timeout=60)
        assert process.returncode == 0
    for command in ("cat large | wc -c", "cat large >> large2; wc -c large2"):
        with start(tmp_path, "record", "-q", "-l", "small/A", "--", "sh", "-c", command) as process:
            process.communicate(timeout=60)
            assert process.returncode == 125
        archive = whole(small_disk / "A")
        assert [e.name for e in archive.experiments() if e.state == COMPLETE] == ["exp0"]
    for experiment in archive.experiments()[1:]:
        archive.remove(experiment.name)
    collect(archive)
    with start(tmp_path, *fits) as process:   # there is room again
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert len([e for e in whole(small_disk / "A").experiments() if e.state == COMPLETE]) == 2
