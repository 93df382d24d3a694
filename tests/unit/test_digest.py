"""A hash is the same however it is computed."""

from __future__ import annotations

import hashlib

import pytest

from rex import digest
from rex.digest import Sha256


@pytest.mark.parametrize("left", [0, 5, 1000])
def test_hashes_are_those_of_hashlib_before_and_after_the_change(monkeypatch: pytest.MonkeyPatch, left: int) -> None:
    monkeypatch.setattr(digest, "_left", left)
    made, buffer = Sha256(), bytearray(b"one")
    for count in range(1, 4):
        made.update(memoryview(buffer))
        buffer[:] = b"two"                   # what was given may change afterwards
        assert made.hexdigest() == hashlib.sha256(b"onetwotwo"[:3 * count]).hexdigest()
    assert Sha256(b"x" * 2000).digest() == hashlib.sha256(b"x" * 2000).digest()
