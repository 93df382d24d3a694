"""A program whose own file system is full: a replay, which has room, refuses it the same writes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("tracing")

WRITES = """
import os
file, n = os.open("large", os.O_WRONLY | os.O_CREAT, 0o644), 0
try:
    while n < 8 << 20: n += os.write(file, b"x" * 100000)
except OSError as error: print(error.errno, n, os.fstat(file).st_size)
os.close(file)
os.unlink("large")
with open("small", "w") as after: print(after.write("after"))
"""
BUFFERED = """
try:
    with open("large", "w") as file: file.write("x" * (3 << 20))
except OSError as error: print(error.errno)
"""
ALLOCATES = """
import os
file = os.open("large", os.O_RDWR | os.O_CREAT, 0o644)
try: os.posix_fallocate(file, 0, 4 << 20)
except OSError as error: print(error.errno, os.fstat(file).st_size)
"""


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A directory on a file system of one megabyte."""
    place = tmp_path / "full"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(place)], capture_output=True, check=False).returncode:
        pytest.skip("a file system cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def rex(place: Path, *arguments: str) -> tuple[int, str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "REX_CACHE": str(place.parent / "cache"), "REX_ENGINE": "native"}
    done = subprocess.run([sys.executable, "-m", "rex.cli.main", *arguments], cwd=place, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("program", [WRITES, BUFFERED, ALLOCATES])
def test_a_write_without_room_fails_again(full: Path, program: str) -> None:
    start = [sys.executable, "-I", "-S", "-c", program]
    archive = str(full.parent / "A")
    recorded = rex(full, "record", "-q", "-l", archive, "--", *start)
    assert recorded[0] == 0 and recorded[1].startswith("28")
    assert rex(full.parent, "replay", "-q", "-l", archive, "-o", "out") == recorded
    assert rex(full.parent, "replay", "-q", "-l", archive, "--check", "-o", "again")[0] == 0


def test_copies_and_tools_fail_again(full: Path) -> None:
    (full.parent / "input").write_bytes(bytes(3 << 20))
    line = "cp ../input a || echo cp $(stat -c %s a); rm a; dd if=../input of=b bs=64k || echo dd $(stat -c %s b); rm b; echo last > c; cat c"
    archive = str(full.parent / "A")
    recorded = rex(full, "record", "-q", "-l", archive, "--", "sh", "-c", line)
    assert recorded[0] == 0 and "cp " in recorded[1] and "dd 1048576" in recorded[1]
    assert rex(full.parent, "replay", "-q", "-l", archive, "-o", "out") == recorded
