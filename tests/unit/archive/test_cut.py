"""Cuts follow content."""

from __future__ import annotations

import random

import pytest

from rex.archive import cut as cutting
from rex.archive.cut import MAX_BYTES, MIN_BYTES, cut


def pieces(data: bytes) -> list[bytes]:
    found, begin = [], 0
    for length in cut(data, True):
        found.append(data[begin:begin + length])
        begin += length
    return found


def test_pieces_cover_the_data_and_keep_to_their_sizes() -> None:
    data = random.Random(1).randbytes(3_000_000)
    found = pieces(data)
    assert b"".join(found) == data
    assert max(map(len, found)) <= MAX_BYTES
    assert min(map(len, found[:-1])) >= MIN_BYTES
    assert cut(b"", True) == [] and cut(b"x", True) == [1] and cut(b"x", False) == []


def test_an_insertion_changes_few_pieces() -> None:
    if cutting._fastcdc() is None:
        pytest.skip("pyfastcdc is not installed")
    data = random.Random(2).randbytes(4_000_000)
    before, after = pieces(data), pieces(data[:1_000_000] + b"new" + data[1_000_000:])
    assert len(set(after) - set(before)) <= 3


def test_without_the_library_pieces_are_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_fastcdc", lambda: None)
    data = bytes(200_000)
    assert cut(data, True) == [65536, 65536, 65536, 3392]
    assert cut(data, False) == [65536, 65536, 65536]
