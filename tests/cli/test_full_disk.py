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


def test_a_new_run_without_room_is_no_result(full: Path) -> None:
    top = full.parent
    (top / "size").write_text("1\n")
    line = "read n < size; head -c ${n}00000 /dev/zero > made; true"
    assert rex(top, "record", "-q", "-l", "A", "--", "sh", "-c", line)[0] == 0
    (top / "larger").write_text("30\n")
    given = ("--headless", "-l", "A", "--file", "size=larger", "--record")
    assert rex(top, "runnew", *given, "-o", str(full / "out"))[0] == 125, "the file is cut"
    assert rex(top, "runnew", "-q", *given, "-o", "out")[0] == 0
    assert rex(top, "ls", "A")[1].count("complete") == 2, "only the second one is kept"
    for command in (("replay", "-l", "A", "--all", "-o", str(full / "all"), "--check"), ("replay", "A:exp1", "-o", str(full / "one"), "--check")):
        assert rex(top, *command)[0] == 125, "nothing is said of the experiment"
    assert rex(top, "push", "A", str(full / "remote"))[0] == 2 and not list(full.glob("remote/rex-archive.json"))


def test_output_that_cannot_be_written_is_no_divergence(tmp_path: Path) -> None:
    assert rex(tmp_path, "record", "-q", "-l", "A", "--", "sh", "-c", "echo a line")[0] == 0
    env = {**os.environ, "PYTHONPATH": str(ROOT), "REX_CACHE": str(tmp_path / "cache"), "REX_ENGINE": "native"}
    with open("/dev/full", "wb") as nowhere:
        done = subprocess.run([sys.executable, "-m", "rex.cli.main", "replay", "-l", "A", "-o", "out"], cwd=tmp_path, env=env, stdin=subprocess.DEVNULL,
                              stdout=nowhere, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 125 and "what the program prints cannot be written: No space left" in done.stderr
