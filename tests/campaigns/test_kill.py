"""Recorders and their engines killed at random instants: no finished experiment is lost, and Rex ends in one line."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Callable

import pytest

from commands import REX, environment
from rex.archive import COMPLETE, INCOMPLETE, Archive
from rex.archive.check import check

pytestmark = pytest.mark.usefixtures("tracing")
WORK = "for i in 1 2 3 4 5 6 7 8; do cat big > copy$i; echo $i >> log; rm -f copy$((i - 1)); sleep 0.01; done; cat log"


def engine_of(recorder: int) -> int:
    """The process that traces; 0: there is none, or not yet."""
    for found in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"\nPPid:\t{recorder}\n" in (found / "status").read_text() and os.readlink(found / "exe").endswith("rex-engine"):
                return int(found.name)
    return 0


def record(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*REX, "record", "-l", "A", "--", "sh", "-c", WORK], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=environment(REX_CACHE=str(folder / "cache")), stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("victim", ["recorder", "engine"])
def test_kills(tmp_path: Path, victim: str, rounds: Callable[[int, int], int], figure: Callable[[str], None]) -> None:
    (tmp_path / "big").write_bytes(random.Random(0).randbytes(300_000))
    choose, finished, killed = random.Random(6), set(), 0
    begin = time.monotonic()
    record(tmp_path).communicate(timeout=120)
    longest = time.monotonic() - begin
    for _ in range(count := rounds(6, 300)):
        with record(tmp_path) as recorder:
            target = recorder.pid
            while victim == "engine" and recorder.poll() is None and not (target := engine_of(recorder.pid)):
                pass
            time.sleep(choose.uniform(0, longest) * (1 if victim == "recorder" else 0.4))
            with contextlib.suppress(ProcessLookupError):
                if target:
                    os.kill(target, signal.SIGKILL)
            said = recorder.communicate(timeout=120)[1]
        archive = Archive.open(tmp_path / "A")
        assert [problem for problem in check(archive) if not problem.is_harmless] == []
        states = {experiment.name: experiment.state for experiment in archive.experiments()}
        assert set(states.values()) <= {COMPLETE, INCOMPLETE} and all(states[name] == COMPLETE for name in finished)
        finished = {name for name, state in states.items() if state == COMPLETE}
        if recorder.returncode:
            killed += 1
            assert recorder.returncode == -9 or recorder.returncode == 125 and said.count(b"\n") == 1, said
    figure(f"kill: {count} recordings, {killed} ended by a killed {victim}: {len(finished)} finished experiments, all whole")
