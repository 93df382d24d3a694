"""A disk that is full at a random moment: what was finished is whole, what was not says so."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import Callable, Iterator

import pytest

from commands import REX, environment
from rex.archive import COMPLETE, Archive
from rex.archive.check import check

pytestmark = pytest.mark.usefixtures("tracing")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """disk(kib): a file system of that size, in place of the one before; only root can make one."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(kib: int) -> Path:
        subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(folder)], capture_output=True, check=False).returncode:
            pytest.skip("cannot mount a tmpfs here")
        return folder

    yield mount
    subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)


def test_a_full_disk(tmp_path: Path, disk: Callable[[int], Path], rounds: Callable[[int, int], int], figure: Callable[[str], None]) -> None:
    choose, finished, refused = random.Random(8), 0, 0
    for number in range(count := rounds(3, 60)):
        folder = disk(choose.randrange(1500, 6000))
        for each in range(4):
            (tmp_path / "in").write_bytes(random.Random(number * 10 + each).randbytes(700_000))
            done = subprocess.run([*REX, "record", "-l", "disk/A", "--", "sh", "-c", "cat in | wc -c"], cwd=tmp_path, capture_output=True,
                                  env=environment(REX_CACHE=str(tmp_path / "cache")), stdin=subprocess.DEVNULL, timeout=120, check=False)
            assert done.returncode in (0, 125) and done.stderr.count(b"\n") == 1 and b"Traceback" not in done.stderr, done.stderr
            finished += not done.returncode
            refused += bool(done.returncode)
        if (folder / "A" / "rex-archive.json").exists():
            archive = Archive.open(folder / "A")
            assert [problem for problem in check(archive) if not problem.is_harmless] == []
    figure(f"disk full: {count} disks, {finished + refused} recordings, {refused} without room: {finished} finished experiments, all whole")


def test_reading_needs_no_room(tmp_path: Path, disk: Callable[[int], Path]) -> None:
    folder = disk(3000)
    command = [*REX, "record", "-q", "-l", "disk/A", "--", "true"]
    subprocess.run(command, cwd=tmp_path, env=environment(REX_CACHE=str(tmp_path / "cache")), check=True, timeout=120)
    with open(folder / "rest", "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass
    archive = Archive.open(folder / "A")
    assert [e.state for e in archive.experiments()] == [COMPLETE] and check(archive) == []
