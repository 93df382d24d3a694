"""Replays of logs that strangers changed: the engine ends, and never by a fault of its own."""

from __future__ import annotations

import random
import signal
import struct
import subprocess
from pathlib import Path

import pytest

from commands import rex
from rex.archive import Archive
from rex.replay import Stage, make_plan, prepare_outdir
from rex.tracer import native

pytestmark = [pytest.mark.usefixtures("tracing"),
              pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")]


def record(place: Path) -> Archive:
    (place / "in").write_text("b\na\n")
    rex("record", "-q", "-l", "A", "--", "sh", "-c",
        "sort in > out; cat out; date; ls > /dev/null; head -c 4 /dev/urandom | wc -c", cwd=place)
    return Archive.open(place / "A")


def records(log: bytes) -> list[tuple[int, int]]:
    """Where each record begins and ends."""
    found, at = [], 32
    while at < len(log):
        size = struct.unpack_from("<I", log, at)[0]
        found.append((at, at + size))
        at += size
    return found


def hurt(log: bytes, choose: random.Random) -> bytes:
    data = bytearray(log)
    for _ in range(choose.randint(1, 6)):
        begin, end = choose.choice(records(log))
        at = choose.choice([begin + choose.randrange(80), choose.randrange(begin, end), min(begin + 80, end - 8)])
        new = choose.choice([b"\xff" * 8, bytes(8), choose.randbytes(4), choose.randbytes(1), struct.pack("<Q", 1 << 40)])
        data[at:at + len(new)] = new
    return bytes(data[:len(log)] if choose.random() < 0.8 else data[:choose.randrange(len(log))])


def replay_hurt(place: Path, times: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REX_CACHE", str(place / "cache"))
    archive = record(place)
    experiment = archive.experiment()
    log, choose = experiment.open_log().read(), random.Random(seed)
    for number in range(times):
        outdir = prepare_outdir(str(place / f"o{number}"))
        with Stage(archive, experiment) as stage:
            plan = make_plan(stage, experiment, outdir)
            Path(plan.log).write_bytes(hurt(log, choose))
            Path(stage.work, "plan").write_bytes(plan.encode())
            engine = subprocess.Popen([native.PATH, f"{stage.work}/plan"], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                # A log may tell a program to wait for ever: that is not ours to judge, and it can be ended.
                status = engine.wait(5)
            except subprocess.TimeoutExpired:
                engine.kill()
                status = engine.wait()
                status = 0 if status == -signal.SIGKILL else status     # it may have ended just before
            assert status in (0, 2), (seed, number)   # 2: it refused, and told why


def test_hurt_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replay_hurt(tmp_path, 25, 1, monkeypatch)


@pytest.mark.stress
def test_many_hurt_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replay_hurt(tmp_path, 1000, 2, monkeypatch)
