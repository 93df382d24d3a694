"""The cache of compressed contents: the same bytes without reading them, and never wrong ones."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable

import pytest

from rex.archive import Archive, FileEntry, Manifest, capture, compressed
from rex.archive.check import check
from rex.archive.content import Content
from rex.archive.identities import SETTLED_NS, Identities, settled_devices


class Place:
    """A file that changed long ago, and archives that it is recorded into with one cache."""

    def __init__(self, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.top, self.archives, self.reads = top, 0, 0
        self.data = b"".join(os.urandom(2000) + bytes(3000) for _ in range(2000))
        self.path = top / "library.so"
        self.path.write_bytes(self.data)
        self.cache = top / "cache" / "compressed-1"
        real = capture.add_file

        def add_file(*args: object) -> Content:
            self.reads += 1
            return real(*args)

        monkeypatch.setattr(capture, "add_file", add_file)

    def record(self, first: bytes = b"") -> tuple[Archive, Content, bool]:
        """Record into a new archive, which may hold some bytes; whether the file was read."""
        self.archives += 1
        archive, before = Archive.create(self.top / f"archive{self.archives}"), self.reads
        identities = Identities(str(self.top / "cache"), os.stat(self.path).st_ctime_ns + SETTLED_NS + 1)
        with archive.begin() as recording:
            if first:
                recording.add_bytes(first)
            state = recording.capture(str(self.path), True, identities)
            recording.finish(Manifest(("x",), files={str(self.path): FileEntry(state, state)}))
        identities.close()
        assert state.content
        assert archive.read(state.content) == self.data and not check(archive)
        return archive, state.content, self.reads > before

    def kept(self) -> list[Path]:
        return sorted(self.cache.iterdir()) if self.cache.is_dir() else []


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    found = Place(tmp_path, monkeypatch)
    if os.stat(found.path).st_dev not in settled_devices():
        pytest.skip("this file system's times are not relied upon")
    return found


@pytest.mark.parametrize("size", [None, 70_000, 128 << 10, (128 << 10) + 1])
def test_another_archive_has_the_bytes_without_reading_them(place: Place, size: int | None) -> None:
    place.data = place.data[:size]
    place.path.write_bytes(place.data)
    first, content, was_read = place.record()
    assert was_read and [path.name for path in place.kept()] == [content.sha256]
    second, again, was_read = place.record()
    assert not was_read and again == content
    assert first.store.reach(content) == second.store.reach(content)


def _cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _change(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("hurt", [
    lambda path: _change(path, 1000), lambda path: _change(path, path.stat().st_size // 2), lambda path: _change(path, -100),
    lambda path: _change(path, -20), _cut_short, lambda path: path.write_bytes(b""), lambda path: (path.unlink(), path.mkdir()),
    lambda path: os.chmod(path.parent, 0o777), lambda path: os.chmod(path.parent.parent, 0o777)])
def test_what_is_damaged_or_not_ours_alone_is_read_anew(place: Place, hurt: Callable[[Path], object]) -> None:
    place.record()
    hurt(place.kept()[0])
    assert place.record()[2]


def test_what_an_archive_has_in_part_is_read_and_not_kept(place: Place) -> None:
    assert place.record(place.data[:3_000_000])[2] and not place.kept()
    place.record()
    assert len(place.kept()) == 1 and place.record(place.data[:3_000_000])[2]


def test_it_takes_no_more_room_than_it_may(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.record()
    size = place.kept()[0].stat().st_size
    monkeypatch.setattr(compressed, "_LIMIT_BYTES", 5 * size // 2)
    for name in range(3):
        os.utime(place.cache / place.kept()[0].name)
        place.data = os.urandom(1000) + place.data[1000:]
        place.path.write_bytes(place.data)
        place.record()
    assert len(place.kept()) == 2 and not place.record()[2]
    monkeypatch.setattr(compressed, "_LIMIT_BYTES", size)   # half of it is for one recording
    place.data = os.urandom(1000) + place.data[1000:]
    place.path.write_bytes(place.data)
    place.record()
    assert len(place.kept()) == 2


def test_it_may_be_left_alone(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REX_COMPRESSED", "0")
    place.record()
    assert not place.kept() and place.record()[2]


def test_a_place_that_cannot_be_written_does_no_harm(place: Place) -> None:
    (place.top / "cache").write_text("a file")
    assert place.record()[2] and place.record()[2]


def test_what_does_not_compress_is_not_kept_twice(place: Place) -> None:
    place.data = os.urandom(5_000_000)
    place.path.write_bytes(place.data)
    _, content, _ = place.record()
    assert place.kept() == []
    assert place.record()[1] == content and place.reads == 2
