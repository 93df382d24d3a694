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
from rex.errors import Damaged
from rex.log.records import EXIT, SIGNAL, TASK
from rex.replayer import Stage, make_plan, prepare_outdir
from rex.tracer import Report, native

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


def engine_says(archive: Archive, log: bytes, outdir: Path) -> tuple[int, str]:
    """What the engine ends with, and why, where this is the log of the archive's experiment."""
    experiment = archive.experiment()
    with Stage(archive, experiment) as stage:
        plan = make_plan(stage, experiment, prepare_outdir(str(outdir)))
        Path(plan.log).write_bytes(log)
        Path(stage.work, "plan").write_bytes(plan.encode())
        done = subprocess.run([native.PATH, f"{stage.work}/plan"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=30, check=False)
        return done.returncode, Path(plan.report).read_bytes().decode()


@pytest.mark.parametrize("call, form, offset, value, why", [
    (TASK, "<Q", 32 + 4 * 8, 99999, "a thread of no process"), (EXIT, "<I", 8, 1 << 16, "its task was never born"),
    (EXIT, "<I", 12, 0xc0000001, "its stream has no such number"), (SIGNAL, "<Q", 32, 65, "a signal without its facts"),
    (SIGNAL, "<I", 88, 1 << 31, "a signal without its facts"), (TASK, "<H", 4, EXIT, "its task was never born")])
def test_what_others_rely_on_is_checked_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int, form: str, offset: int, value: int,
                                              why: str) -> None:
    """offset: in the first record of that call, where a number is put."""
    monkeypatch.setenv("REX_CACHE", str(tmp_path / "cache"))
    rex("record", "-q", "-l", "A", "--", "sh", "-c", "trap : USR1; kill -USR1 $$", cwd=tmp_path)
    archive = Archive.open(tmp_path / "A")
    log = bytearray(archive.experiment().open_log().read())
    begin = next(begin for begin, _ in records(log) if struct.unpack_from("<H", log, begin + 4)[0] == call)
    struct.pack_into(form, log, begin + offset, value)
    status, told = engine_says(archive, bytes(log), tmp_path / "o")
    assert status == 2 and "damaged=event " in told and why in told, told


def test_a_large_number_of_a_stream_takes_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What compares each stream with each other goes by those that there are."""
    monkeypatch.setenv("REX_CACHE", str(tmp_path / "cache"))
    rex("record", "-q", "-l", "A", "--", "date", cwd=tmp_path)
    archive = Archive.open(tmp_path / "A")
    log = bytearray(archive.experiment().open_log().read())
    begin = [begin for begin, _ in records(log) if struct.unpack_from("<I", log, begin + 12)[0] == 2][-1]
    struct.pack_into("<I", log, begin + 12, (1 << 24) - 1)
    assert engine_says(archive, bytes(log), tmp_path / "o")[0] == 0


def test_very_many_processes_take_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What asks for the process of each event does not look through all of them; nobody is born twice."""
    monkeypatch.setenv("REX_CACHE", str(tmp_path / "cache"))
    rex("record", "-q", "-l", "A", "--", "date", cwd=tmp_path)
    archive = Archive.open(tmp_path / "A")
    log = archive.experiment().open_log().read()
    birth = bytearray(log[slice(*records(log)[0])])
    others = []
    for number in range(1, 200_000):
        struct.pack_into("<I", birth, 8, number)
        struct.pack_into("<5Q", birth, 32, 0, number - 1, 17, 1_000_000 + number, 1_000_000 + number)
        others.append(bytes(birth))
    assert engine_says(archive, log + b"".join(others), tmp_path / "o")[0] == 0
    status, told = engine_says(archive, log + others[0] + others[0], tmp_path / "again")
    assert status == 2 and "its task was born before" in told


def test_a_log_that_the_engine_finds_damaged_ends_a_replay_with_that(tmp_path: Path) -> None:
    with pytest.raises(Damaged) as raised:
        native._fail(Report(problems=["damaged: event 3: a thread of no process"]), 2)
    assert raised.value.code == 13 and "event 3" in str(raised.value)


def test_hurt_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replay_hurt(tmp_path, 25, 1, monkeypatch)


@pytest.mark.stress
def test_many_hurt_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replay_hurt(tmp_path, 1000, 2, monkeypatch)
