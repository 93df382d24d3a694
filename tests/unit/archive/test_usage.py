"""Sizes of experiments."""

from __future__ import annotations

import os
from typing import Callable

import pytest
from rex.archive import Archive, Experiment
from rex.archive.usage import usage


def test_shared_bytes_are_nobodys_own(archive: Archive, record: Callable[..., Experiment]) -> None:
    shared, own = os.urandom(500_000), os.urandom(100_000)
    record({"/s": shared})
    record({"/s": shared, "/o": own})
    archive.begin().abandon()
    found = usage(archive)
    assert list(found) == ["exp0", "exp1"]
    assert found["exp1"].logical == 600_000
    assert 600_000 < found["exp1"].stored < 610_000
    assert 100_000 < found["exp1"].unique < 105_000
    assert found["exp0"].unique < 5_000


def test_one_that_is_removed_meanwhile_hurts_nobody(archive: Archive, record: Callable[..., Experiment],
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    record({"/a": b"a"})
    record({"/b": b"b"})
    packs = archive.store.packs

    def packs_and_removal() -> object:
        archive.remove("exp0")
        return packs()
    monkeypatch.setattr(archive.store, "packs", packs_and_removal)
    assert "exp1" in usage(archive)
