"""rex.codec: limits hold whatever the bytes say."""

from __future__ import annotations

import io
import os
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zstandard

from rex import codec
from rex.errors import Damaged


def test_round_trip_in_threads() -> None:
    blocks = [os.urandom(100) * n for n in range(40)]
    with ThreadPoolExecutor(4) as pool:
        frames = list(pool.map(lambda b: codec.compress(b, 3), blocks))
        again = list(pool.map(lambda f: codec.decompress(f, 4000), frames))
    assert again == blocks


def test_parts_are_compressed_as_if_joined() -> None:
    """The memory that they are joined in is used again: nothing of larger parts before may shine through."""
    chance = random.Random(0)
    for _ in range(30):
        parts = [chance.randbytes(chance.choice([0, 1, 1000, 200_000])) for _ in range(chance.randrange(1, 9))]
        joined = b"".join(parts)
        assert codec.decompress(codec.compress_together(parts, -1), len(joined)) == joined


def test_a_declared_size_is_the_limit() -> None:
    frame = codec.compress(bytes(10_000_000), 19)
    assert len(frame) < 2000
    with pytest.raises(Damaged, match="declared size is 10000000"):
        codec.decompress(frame, 9_999_999)


def test_frames_must_declare_a_size_and_stand_alone() -> None:
    silent = zstandard.ZstdCompressor(write_content_size=False).compress(b"x" * 99)
    for bad in (silent, b"", b"not zstd at all", codec.compress(b"x", 3) + b"y",
                codec.compress(os.urandom(500), 3)[:-9]):
        with pytest.raises(Damaged):
            codec.decompress(bad, 1000)


def test_names_survive_as_text() -> None:
    for name in (b"/plain", "/\u00e4\u20ac".encode(), b"/\xff\xfe/\x80", b"/a\nb"):
        assert codec.raw(codec.text(name)) == name


@pytest.mark.parametrize("base", [b"", b"known" * 1000])
def test_blocks_are_compressed_as_one(base: bytes) -> None:
    data = os.urandom(3_000_000) + bytes(3_000_000)
    out = io.BytesIO()
    codec.compress_blocks([data[:100], data[100:]], out, 3, base)
    out.seek(0)
    with codec.decompressed(out, base) as stream:
        assert codec.read_stream(stream, len(data) + 1) == data


def test_open_stream_passes_plain_files_through(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for data in (b"", b"abc", b"plain text"):
        path.write_bytes(data)
        with codec.open_stream(str(path)) as stream:
            assert stream.read() == data


def test_a_broken_stream_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "file"
    frame = bytearray(codec.compress(os.urandom(100_000), 3))
    frame[3:9] = b"\xff" * 6
    path.write_bytes(codec.ZSTD_MAGIC + bytes(frame[4:]))
    with codec.open_stream(str(path)) as stream, pytest.raises(Damaged):
        codec.read_stream(stream, 100_000)
