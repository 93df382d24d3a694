"""Recorders killed at random instants, full disks, and many recorders at once."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Iterator

import pytest

from rex.archive import COMPLETE, INCOMPLETE, Archive
from rex.archive.check import check
from rex.archive.gc import collect

# Records experiments in a loop, saying each finished name; data differ by seed and round.
RECORDER = """
import random, sys
from concurrent.futures import ThreadPoolExecutor
from rex.archive import Archive, Manifest
from rex.log import Event, LogWriter
path, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
archive = Archive.create(path)
shared = random.Random(0).randbytes(700_000)
for n in range(rounds):
    own = random.Random(seed * 1000 + n).randbytes(30_000)
    with archive.begin(None, {"start_ns": n}) as recording, ThreadPoolExecutor(2) as pool:
        with LogWriter(recording.log_path) as log:
            for _ in range(50):
                log.append(Event(1))
        contents = list(pool.map(recording.add_bytes, [shared, own, shared[:99_999]]))
        recording.finish(Manifest(("x",), attachments=dict(zip("abc", contents)),
                                  counts={"seed": seed, "round": n}))
    print(recording.name, flush=True)
"""


def start(path: Path, seed: int, rounds: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", RECORDER, str(path), str(seed), str(rounds)],
                            stdout=subprocess.PIPE)


def verify(path: Path, finished: list[str]) -> None:
    """Every finished experiment is whole; every other one is absent or incomplete."""
    archive = Archive.open(path)
    states = {e.name: e.state for e in archive.experiments()}
    assert all(states[name] == COMPLETE for name in finished)
    assert set(states.values()) <= {COMPLETE, INCOMPLETE}
    assert [p for p in check(archive) if not p.is_harmless] == []
    for experiment in archive.experiments():
        if experiment.state == COMPLETE:
            counts = experiment.manifest.counts
            own = random.Random(counts["seed"] * 1000 + counts["round"]).randbytes(30_000)
            assert archive.read(experiment.manifest.attachments["b"]) == own


def kill_at_random(path: Path, times: int, seed: int) -> None:
    choose, finished = random.Random(seed), []
    for n in range(times):
        with start(path, n, 1000) as recorder:
            assert recorder.stdout is not None
            first = recorder.stdout.readline()   # from here on the instants are random
            time.sleep(choose.random() * 0.05)
            recorder.send_signal(signal.SIGKILL)
            finished += (first + recorder.stdout.read()).decode().split()
        verify(path, finished)
    archive = Archive.open(path)
    collect(archive)
    verify(path, finished)
    assert not [n for n in os.listdir(archive.store.directory) if n.startswith(".tmp-")]
    for experiment in archive.experiments():
        if experiment.state == INCOMPLETE:
            archive.remove(experiment.name)
    assert check(Archive.open(path)) == []


def test_kill_loses_nothing_that_was_finished(tmp_path: Path) -> None:
    kill_at_random(tmp_path / "archive", 8, seed=1)


@pytest.mark.stress
def test_kill_at_hundreds_of_instants(tmp_path: Path) -> None:
    for n in range(20):
        kill_at_random(tmp_path / f"archive{n}", 15, seed=n)
        shutil.rmtree(tmp_path / f"archive{n}")


@pytest.mark.parametrize("recorders, rounds", [(2, 12), (8, 4)])
def test_recorders_at_once_all_land(tmp_path: Path, recorders: int, rounds: int) -> None:
    running = [start(tmp_path / "archive", n, rounds) for n in range(recorders)]
    finished = [name for r in running for name in r.communicate()[0].decode().split()]
    assert sorted(finished) == sorted(f"exp{n}" for n in range(recorders * rounds))
    verify(tmp_path / "archive", finished)
    archive = Archive.open(tmp_path / "archive")
    collect(archive)
    verify(tmp_path / "archive", finished)
    raw_bytes = sum(place.length for pack in archive.store.packs()
                    for place in pack.places.values())
    own = recorders * rounds * 30_000
    assert raw_bytes < own + 1_100_000 + recorders * rounds * 1000


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB; only root can make one."""
    folder = tmp_path / "small"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)],
                          capture_output=True)
    if made.returncode:
        pytest.skip("cannot mount a tmpfs here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_leaves_finished_experiments_whole(small_disk: Path) -> None:
    path = small_disk / "archive"
    with start(path, 1, 1000) as recorder:
        finished = recorder.communicate()[0].decode().split()
        assert recorder.returncode == 1
    assert len(finished) > 10
    verify(path, finished)
    archive = Archive.open(path)
    assert any(e.state == INCOMPLETE for e in archive.experiments())
    for experiment in archive.experiments()[5:]:
        archive.remove(experiment.name)
    collect(archive)
    verify(path, finished[:5])
    assert json.loads((path / "rex-archive.json").read_text())["format"] == 1
