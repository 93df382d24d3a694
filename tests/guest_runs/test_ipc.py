"""Objects of System V IPC that other programs have: a replay answers for them, and leaves them alone."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import REX, ROOT
from rex.tracer import native

pytestmark = [pytest.mark.usefixtures("tracing"),
              pytest.mark.skipif(not native.is_built(), reason="only the native engine follows them")]

IPC_RMID, IPC_NOWAIT, GETVAL, SETVAL = 0, 0o4000, 12, 16
C = ctypes.CDLL(None, use_errno=True)
C.shmat.restype = ctypes.c_void_p
C.shmdt.argtypes = [ctypes.c_void_p]

# Told the numbers of memory, semaphores, a queue, and memory to remove.
USE = f"""
import ctypes, sys
C = ctypes.CDLL(None)
C.shmat.restype = ctypes.c_void_p
memory, semaphores, queue, doomed = map(int, sys.argv[1:])
at = C.shmat(memory, None, 0)
print(ctypes.string_at(at))
ctypes.memmove(at, b"ours", 5)
print(ctypes.string_at(at))
print(C.semctl(semaphores, 0, {GETVAL}), C.semop(semaphores, b"\\0\\0\\xff\\xff\\0\\0", 1), C.semctl(semaphores, 0, {SETVAL}, 7))
message = ctypes.create_string_buffer(16)
print(C.msgrcv(queue, message, 8, 0, 0), message.raw[8:])
print(C.msgsnd(queue, b"\\3\\0\\0\\0\\0\\0\\0\\0answer", 6, 0))
print(C.shmctl(doomed, {IPC_RMID}, None), C.shmctl(doomed, {IPC_RMID}, None))
"""
COMPUTE = f"""
import ctypes
C = ctypes.CDLL(None)
print(C.semget(0, 3, 0o600), C.shmget(0, 4096, 0o600), flush=True)
sum(i * i for i in range(30_000_000))
"""


def rex(place: Path, *args: str) -> list[str]:
    return [*REX, args[0], "-q", "-l", str(place / "archive"), *args[1:]]


def environment(place: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "REX_ENGINE": "native", "REX_CACHE": str(place / "cache")}


def run(place: Path, *args: str) -> bytes:
    return subprocess.run(rex(place, *args), env=environment(place), cwd=place, stdout=subprocess.PIPE, check=True, timeout=60).stdout


def objects(kind: str) -> set[str]:
    return {line.split()[1] for line in Path("/proc/sysvipc", kind).read_text().splitlines()[1:]}


@pytest.fixture
def others() -> Iterator[tuple[int, ...]]:
    """Memory, semaphores, a queue, and more memory of another program."""
    made = C.shmget(0, 4096, 0o600), C.semget(0, 1, 0o600), C.msgget(0, 0o600), C.shmget(0, 4096, 0o600)
    yield made
    C.semctl(made[1], 0, IPC_RMID)
    C.msgctl(made[2], IPC_RMID, None)
    for memory in made[::3]:
        C.shmctl(memory, IPC_RMID, None)


def test_what_is_of_others_stays_theirs(tmp_path: Path, others: tuple[int, ...]) -> None:
    memory, semaphores, queue, _ = others
    at = C.shmat(memory, None, 0)
    ctypes.memmove(at, b"theirs", 7)
    C.semctl(semaphores, 0, SETVAL, 2)
    C.msgsnd(queue, b"\1\0\0\0\0\0\0\0question", 8, 0)
    recorded = run(tmp_path, "record", "--", sys.executable, "-c", USE, *map(str, others))
    received = ctypes.create_string_buffer(16)
    assert b"theirs" in recorded and b"question" in recorded and ctypes.string_at(at) == b"ours"
    assert C.msgrcv(queue, received, 8, 0, IPC_NOWAIT) == 6 and C.semctl(semaphores, 0, GETVAL) == 7
    ctypes.memmove(at, b"later", 6)
    C.semctl(semaphores, 0, SETVAL, 5)
    run(tmp_path, "replay", "--check")
    assert ctypes.string_at(at) == b"later" and C.semctl(semaphores, 0, GETVAL) == 5
    assert C.msgrcv(queue, received, 8, 0, IPC_NOWAIT) == -1
    C.shmdt(at)


def test_a_killed_replay_leaves_nothing(tmp_path: Path) -> None:
    numbers = run(tmp_path, "record", "--", sys.executable, "-c", COMPUTE).split()
    C.semctl(int(numbers[0]), 0, IPC_RMID)
    C.shmctl(int(numbers[1]), IPC_RMID, None)
    before = objects("sem"), objects("shm")
    with subprocess.Popen(rex(tmp_path, "replay"), env=environment(tmp_path), cwd=tmp_path, stdout=subprocess.PIPE) as replay:
        assert replay.stdout and replay.stdout.readline().split() == numbers
        assert objects("sem") > before[0] and objects("shm") > before[1]
        replay.send_signal(signal.SIGKILL)
    end = time.monotonic() + 20
    while (objects("sem"), objects("shm")) != before and time.monotonic() < end:
        time.sleep(0.05)
    assert (objects("sem"), objects("shm")) == before
