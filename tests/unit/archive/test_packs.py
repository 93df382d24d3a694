"""Pack files: layout, and what damage does."""

from __future__ import annotations

import hashlib
import os
import random
from pathlib import Path

import pytest

from rex import codec
from rex.archive import packs
from rex.archive.folder import Folder
from rex.archive.packs import PackReader, PackWriter
from rex.errors import RexError, TooNew

OBJECTS = [b"first", b"second object", b"x" * 1000]


def make(directory: Path) -> Path:
    writer = PackWriter(str(directory))
    writer.add_frame(codec.compress(b"".join(OBJECTS[:2]), 3),
                     [(codec.sha256(o), len(o)) for o in OBJECTS[:2]])
    writer.add_frame(codec.compress(OBJECTS[2], 3), [(codec.sha256(OBJECTS[2]), 1000)])
    return directory / writer.seal()


def reader(path: Path) -> PackReader:
    return PackReader(Folder(str(path.parent)), path.name)


def test_the_name_is_the_hash_and_the_rest_is_gone(tmp_path: Path) -> None:
    path = make(tmp_path)
    assert os.listdir(tmp_path) == [path.name]
    assert hashlib.sha256(path.read_bytes()).hexdigest() + ".pack" == path.name


def test_objects_are_where_the_index_says(tmp_path: Path) -> None:
    pack = reader(make(tmp_path))
    assert list(pack.places) == sorted(map(codec.sha256, OBJECTS))
    for data in OBJECTS:
        place = pack.places[codec.sha256(data)]
        frame = pack.read_frame(place.frame)
        assert frame[place.offset:place.offset + place.length] == data


def test_a_newer_version_is_refused_by_number(tmp_path: Path) -> None:
    path = make(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[:8] + b"\x03" + data[9:])
    with pytest.raises(TooNew, match="version 3"):
        reader(path)


def test_damage_is_an_error_and_nothing_else(tmp_path: Path) -> None:
    path = make(tmp_path)
    good = path.read_bytes()
    choose = random.Random(5)
    for round_number in range(400):
        data = bytearray(good)
        if round_number % 4 == 0:
            del data[choose.randrange(len(data)):]
        else:
            for _ in range(choose.randint(1, 4)):
                data[choose.randrange(len(data))] = choose.choice([0, 1, 0x7F, 0xFF])
        path.write_bytes(data)
        try:
            pack = reader(path)
            for number in range(len(pack.frames)):
                pack.read_frame(number)
        except RexError:
            pass


def test_frames_that_are_bombs_are_refused(tmp_path: Path) -> None:
    writer = PackWriter(str(tmp_path))
    size = packs.MAX_FRAME_BYTES + 1
    writer.add_frame(codec.compress(bytes(size), 19), [(codec.sha256(b""), size)])
    with pytest.raises(RexError, match="too large"):
        reader(tmp_path / writer.seal())


@pytest.mark.parametrize("sizes", [[0], [1], [128 << 10], [(128 << 10) + 1, 5, 300_000], [100] * 3000])
def test_a_light_pack_holds_objects_as_they_are(tmp_path: Path, sizes: list[int]) -> None:
    objects = [os.urandom(size) for size in sizes]
    writer = PackWriter(str(tmp_path), is_light=True)
    entries = [(codec.sha256(each), len(each)) for each in objects]
    writer.add_parts(codec.frame_of(objects), entries)
    writer.add_frame(codec.compress(b"after it", 3), [(codec.sha256(b"after it"), 8)])
    pack = reader(tmp_path / writer.seal())
    assert pack.is_light and pack.read_frame(0) == b"".join(objects) and pack.read_frame(1) == b"after it"
    assert pack.size_bytes == os.path.getsize(pack.path)
    assert objects[-1][:1000] in (tmp_path / pack.name).read_bytes()


def test_a_frame_in_parts_is_whole_if_the_system_takes_it_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take_all = os.writev
    monkeypatch.setattr(os, "writev", lambda fd, parts: os.write(fd, b"".join(parts)[:1000]) if parts else take_all(fd, parts))
    writer = PackWriter(str(tmp_path), is_light=True)
    data = os.urandom(50_000)
    writer.add_parts(codec.frame_of([data]), [(codec.sha256(data), len(data))])
    assert reader(tmp_path / writer.seal()).read_frame(0) == data
