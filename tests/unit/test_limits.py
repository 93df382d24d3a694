"""What a command may take because of what an archive says."""

from __future__ import annotations

import resource

import pytest

from rex import limits
from rex.errors import TooLarge, UsageError


def test_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits.memory_bytes() >= 256 << 20
    monkeypatch.setenv("REX_MAX_MEMORY", "3M")
    assert limits.memory_bytes() == 3 << 20
    limits.check_memory(3 << 20, "it")
    limits.check_json(100_000, "it")
    with pytest.raises(TooLarge, match="it needs more memory.*3 MiB.*--max-memory"):
        limits.check_memory((3 << 20) + 1, "it")
    with pytest.raises(TooLarge):
        limits.check_json(200_000, "it")
    monkeypatch.setenv("REX_MAX_MEMORY", "much")
    with pytest.raises(UsageError, match="much"):
        limits.memory_bytes()


def test_work_counts_only_where_asked() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    limits.spend(1 << 60)
    with limits.reading(1 << 20):
        assert resource.getrlimit(resource.RLIMIT_DATA)[0] == limits.memory_bytes()
        limits.spend(500_000)
        limits.grant(1000)
        limits.spend(1_400_000)
        with pytest.raises(TooLarge, match="--max-read"):
            limits.spend(200_000)
    limits.spend(1 << 60)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_steps_count_too() -> None:
    with limits.reading(1 << 20), pytest.raises(TooLarge):
        for _ in range(1000):
            limits.spend(0)
