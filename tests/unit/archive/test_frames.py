"""The cache of frames: small contents that come together again are compressed once, and never become wrong ones."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from rex import codec
from rex.archive import Archive, Manifest
from rex.archive.check import check
from rex.archive.frames import Frames

_FILES = [random.Random(number).randbytes(700) * 20 for number in range(900)]     # 12 MB in small files


class Machine:
    """Records files into new archives, with one cache."""

    def __init__(self, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.top, self.archives, self.compressed_bytes = top, 0, 0
        self.cache = top / "cache" / "frames-1"
        real = codec.compress_together

        def compress_together(parts: list[bytes], level: int) -> bytes:
            self.compressed_bytes += sum(map(len, parts))
            return real(parts, level)

        monkeypatch.setattr(codec, "compress_together", compress_together)

    def record(self, files: list[bytes]) -> int:
        """Record files; how many bytes had to be compressed."""
        self.archives += 1
        self.compressed_bytes = 0
        archive = Archive.create(self.top / f"archive{self.archives}")
        frames = Frames(str(self.top / "cache"))
        with archive.begin() as recording:
            recording.reuse(frames)
            contents = [recording.add_bytes(data) for data in files]
            recording.finish(Manifest(("x",), attachments={str(n): c for n, c in enumerate(contents)}))
        frames.close()
        assert check(archive) == [] and [archive.read(content) for content in contents] == files
        return self.compressed_bytes

    def kept(self) -> list[Path]:
        return sorted(self.cache.iterdir()) if self.cache.is_dir() else []


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def test_what_comes_together_again_is_compressed_once(machine: Machine) -> None:
    first = machine.record(_FILES)
    assert first > 12_000_000 and len(machine.kept()) > 3
    assert machine.record(_FILES) < first / 20


def test_others_before_and_in_between_cost_little(machine: Machine) -> None:
    first = machine.record(_FILES)
    files = [b"new" * 9000, *_FILES]
    files.insert(450, b"too" * 9000)
    files[700], files[701] = files[701], files[700]      # two threads, now the other way round
    again = machine.record(files)
    assert again < first * 0.7, (again, first)


@pytest.mark.parametrize("damage", ["cut", "changed", "another's", "empty"])
def test_damaged_frames_are_not_believed(machine: Machine, damage: str) -> None:
    first = machine.record(_FILES)
    kept = {path: path.read_bytes() for path in machine.kept()}
    others = [*list(kept.values())[1:], b""]
    for (path, data), other in zip(kept.items(), others):
        if damage == "cut":
            path.write_bytes(data[:-1])
        elif damage == "changed":
            path.write_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:])
        elif damage == "empty":
            path.write_bytes(b"")
        else:
            path.write_bytes(other)
    assert machine.record(_FILES) > first * 0.9


def test_a_cache_that_others_may_write_is_passed_over(machine: Machine) -> None:
    first = machine.record(_FILES)
    os.chmod(machine.cache, 0o777)
    assert machine.record(_FILES) == first


def test_turned_off(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REX_COMPRESSED", "0")
    assert machine.record(_FILES) > 12_000_000 and not machine.kept()


def test_no_room_in_the_cache_loses_nothing(machine: Machine) -> None:
    machine.cache.parent.mkdir()
    machine.cache.write_bytes(b"")       # no directory
    assert machine.record(_FILES) > 12_000_000
