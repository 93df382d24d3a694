"""Logs with values that no recorder writes, with records gone, repeated or out of their place: the engine ends by itself, and never by a fault."""

from __future__ import annotations

import random
import struct
import subprocess
from pathlib import Path
from typing import Callable

import pytest

from commands import ROOT, environment, rex
from rex.archive import Archive
from rex.replayer import Stage, make_plan, prepare_outdir
from rex.tracer import native

pytestmark = [pytest.mark.usefixtures("tracing"), pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")]

SHELL = "sort in > out; cat out; date; ls > /dev/null; (sleep 0.01; kill -USR1 $$) & trap : USR1; wait; head -c 4 /dev/urandom | wc -c"
GUESTS = ["tasks/work_queue.c", "turns/futexes.c", "wait/poll_select_pipes.c", "net/peer_with_waiting_thread.c", "signals/itimer.c"]
LIMIT_S = 300       # what ends by itself takes a twentieth of it
FORMS = {"call": ("<H", 4), "flags": ("<H", 6), "task": ("<I", 8), "stream": ("<I", 12), "result": ("<Q", 16), "time": ("<Q", 24),
         **{f"args[{number}]": ("<Q", 32 + 8 * number) for number in range(6)}}
# Small numbers, those at the edges of types, and errors as the kernel returns them.
WORDS = [*range(9), 63, 64, 65, 255, 4095, 4096, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**62, 2**63 - 1, 2**63,
         *(2**64 - number for number in (1, 2, 4, 11, 110, 512, 516)), 10**6, 10**9]


def split(log: bytes) -> list[bytes]:
    """The records of a log."""
    found, at = [], 32
    while at < len(log):
        size = struct.unpack_from("<I", log, at)[0]
        found.append(log[at:at + size])
        at += size
    return found


def put(record: bytes, name: str, value: int) -> bytes:
    form, at = FORMS[name]
    changed = bytearray(record)
    struct.pack_into(form, changed, at, value & (1 << 8 * struct.calcsize(form)) - 1)
    return bytes(changed)


def spoil_field(record: bytes, choose: random.Random) -> bytes:
    """Change the head of its first field, or some bytes of it."""
    changed = bytearray(record)
    if len(record) > 88:
        at, value = choose.choice([(80, bytes([choose.choice((0, 1, 5, 16, 255))])), (81, bytes([choose.randrange(13)])),
                                   (84, struct.pack("<I", choose.choice((0, 1, 7, 2**31 - 1, 2**32 - 1)))),
                                   (88 + choose.randrange(len(record) - 88), struct.pack("<Q", choose.choice(WORDS)))])
        changed[at:at + len(value)] = value
    return bytes(changed[:len(record)])


def spoil(records: list[bytes], choose: random.Random) -> str:
    """Do one thing to records of a log, of which some may be gone; what was done."""
    kind, at = choose.choice(("value", "value", "near", "all", "field", "gone", "repeated", "swapped")), choose.randrange(len(records))
    name, value, record = choose.choice(list(FORMS)), choose.choice(WORDS), records[at]
    if not record:
        return "nothing"
    if kind == "value":
        records[at] = put(record, name, value)
    elif kind == "near":
        value = struct.unpack_from(FORMS[name][0], record, FORMS[name][1])[0] + choose.choice((-2, -1, 1, 2, 8))
        records[at] = put(record, name, value)
    elif kind == "all":
        records[:] = [put(each, name, value) if each[4:6] == record[4:6] else each for each in records]
    elif kind == "field":
        records[at] = spoil_field(record, choose)
    elif kind == "gone":
        count = choose.choice((1, 1, 2, 10, 100))
        records[at:at + count] = [b""] * len(records[at:at + count])
    elif kind == "repeated":
        records[at] = record * choose.choice((2, 3, 50))
    else:
        other = choose.randrange(len(records))
        records[at], records[other] = records[other], record
    return f"{kind} {at} {name} {value}"


def record_programs(place: Path) -> list[Archive]:
    """Recordings of a shell, and of guests that have threads, turns, polls, connections and signals."""
    made = []
    for number, guest in enumerate(["", *GUESTS]):
        work = place / str(number)
        (work / "data").mkdir(parents=True)
        for name in ("in", "in.txt", "data/a.txt"):
            (work / name).write_text("b\na\none\ntwo\nthree\n")
        command = ["sh", "-c", SHELL]
        if guest:
            source = ROOT / "tests" / "guests" / guest
            subprocess.run(["gcc", "-std=gnu11", "-O1", "-pthread", f"-I{ROOT / 'tests/guests/include'}", source, "-o", work / "guest"], check=True)
            command = ["./guest"]
        rex("record", "-q", "-l", "A", *(["--serialize"] if guest.startswith("turns/") else []), "--", *command, cwd=work)
        made.append(Archive.open(work / "A"))
    return made


def engine_status(archive: Archive, log: bytes, outdir: Path) -> int:
    """What the engine ends with where this is the log of the archive's experiment."""
    experiment = archive.experiment()
    with Stage(archive, experiment) as stage:
        plan = make_plan(stage, experiment, prepare_outdir(str(outdir)))
        Path(plan.log).write_bytes(log)
        Path(stage.work, "plan").write_bytes(plan.encode())
        return subprocess.run([native.PATH, f"{stage.work}/plan"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=environment(), timeout=LIMIT_S, check=False).returncode


def test_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rounds: Callable[[int, int], int], figure: Callable[[str], None]) -> None:
    monkeypatch.setenv("REX_CACHE", str(tmp_path / "cache"))
    archives, choose, refused = record_programs(tmp_path), random.Random(5), 0
    logs = [archive.experiment().open_log().read() for archive in archives]
    for number in range(count := rounds(24, 1500)):
        archive, log = archives[number % len(archives)], logs[number % len(archives)]
        records = split(log)
        done = [spoil(records, choose) for _ in range(choose.choice((1, 1, 1, 2, 3, 6, 20)))]
        status = engine_status(archive, log[:32] + b"".join(records), tmp_path / "out" / str(number))
        assert status in (0, 2), (number, done, status)      # 2: it refused, and said why
        refused += status == 2
    figure(f"logs: {count} spoilt logs of {len(archives)} programs: {count - refused} replays ended, {refused} were refused; no fault, none had to be ended")
