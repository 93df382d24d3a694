"""Entries kept outside of memory."""

from __future__ import annotations

import pytest

from rex.expdiff import spool


def test_tasks_keep_their_order_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_BUFFERED_NUMBERS", 30)
    kept = spool.Spool()
    for number in range(100):
        kept.add(number % 3, 2**64 - 1 - number, number, number)
    for task in range(3):
        assert list(kept.entries(task)) == [(2**64 - 1 - n, n, n) for n in range(task, 100, 3)]
    assert list(kept.entries(9)) == [] and kept.counts == {0: 34, 1: 33, 2: 33}
    kept.close()
