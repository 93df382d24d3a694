"""Many at once on one archive: recorders, removers and readers. Readers see whole experiments and report no false problem."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Callable

from commands import REX, environment
from rex.archive import COMPLETE, Archive
from rex.archive.check import check

LIMIT_S = 900       # for a command that shares a busy machine with the writers

# Records, and removes every second one that it recorded; collects now and then.
WRITER = """
import random, sys
from rex.archive import Archive, Manifest
from rex.archive.gc import collect
from rex.errors import Locked
from rex.log import Event, LogWriter
path, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
archive = Archive.open(path)
for n in range(rounds):
    own = random.Random(seed * 1000 + n).randbytes(200_000)
    with archive.begin(None, {"start_ns": n}) as recording:
        with LogWriter(recording.log_path) as log:
            for _ in range(500):
                log.append(Event(1, fields=((1, 2, own[:50]),)))
        recording.finish(Manifest(("x",), attachments={"own": recording.add_bytes(own), "same": recording.add_bytes(bytes(90_000))}))
    if n % 2:
        archive.remove(recording.name)
    try:
        collect(archive)
    except Locked:
        pass
"""


def test_readers_beside_writers(tmp_path: Path, rounds: Callable[[int, int], int], figure: Callable[[str], None]) -> None:
    archive = Archive.create(tmp_path / "A")
    with archive.begin("first"):
        pass                            # stays incomplete, so that the archive is never without an experiment
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "A"), str(seed), str(rounds(8, 300))], env=environment(),
                                stderr=subprocess.PIPE) for seed in range(rounds(2, 4))]
    counts = dict.fromkeys(("check", "ls", "export"), 0)
    failures: list[str] = []

    def read(name: str, *words: str) -> None:
        try:
            read_on(name, *words)
        except Exception as error:      # of a thread nobody else hears of it
            failures.append(f"{name}: {error!r}")

    def read_on(name: str, *words: str) -> None:
        while any(writer.poll() is None for writer in writers):
            done = subprocess.run([*REX, name, "A", *words], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False,
                                  timeout=LIMIT_S)
            counts[name] += 1
            listed = json.loads(done.stdout)[0]["experiments"] if name == "ls" and not done.returncode else []
            if done.returncode not in (0, 10 if name == "export" else 0) or "PROBLEM" in done.stdout or "temporary" in done.stdout or any(
                    each["state"] == "damaged" for each in listed):   # 10: none is finished
                failures.append(f"{name}: {done.returncode} {done.stdout} {done.stderr}")

    readers = [threading.Thread(target=read, args=words) for words in (
        ("check",), ("ls", "--json"), ("export", "--force", "-o", "a.rex"))]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    said = [writer.communicate(timeout=60)[1].decode() for writer in writers]
    assert not failures and [writer.returncode for writer in writers] == [0] * len(writers), (failures[:3], said)
    assert all(problem.is_harmless for problem in check(Archive.open(tmp_path / "A")))
    finished = sum(e.state == COMPLETE for e in archive.experiments())
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    figure(f"concurrency: {len(writers)} writers, {told}: no failure, no false problem; {finished} experiments, all whole")
