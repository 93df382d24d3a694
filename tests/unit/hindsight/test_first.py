"""A first checkpoint of much memory: that memory is touched before, as far as the share of the run allows."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rex.hindsight.capture.memory import Sizer
from rex.hindsight.policy.borders import Occasion, Policy
from rex.hindsight.policy.remade import Remade
from rex.hindsight.record import writer as writing
from rex.hindsight.record.first import FirstCheckpoint

from .worlds import World

_ARENA = 32 << 20
_SIZE = 200 << 20
_OURS_S, _HOSTS_S = 0.14e-9, 3.45e-9     # per byte, of memory that the machine has, and of memory that its host has to give


class _Memory:
    """A pool without memory, and a clock that goes on by what touching it would take."""

    def __init__(self, per_byte_s: float) -> None:
        self.free_bytes, self.now_s, self._per_byte_s = 0, 0.0, per_byte_s

    def reserve(self, size_bytes: int) -> None:
        while self.free_bytes < size_bytes:
            self.free_bytes += _ARENA
            self.now_s += _ARENA * self._per_byte_s


class _Run:
    """A recording up to its first checkpoint; nothing is copied."""

    def __init__(self, folder: Path, per_byte_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
        self.writer = World(folder).writer
        self.writer.wait()
        self.memory: Any = _Memory(per_byte_s)
        self.writer._pool = self.memory
        monkeypatch.setattr(writing, "thread_s", lambda: self.memory.now_s)
        self.policy = Policy(0.05)
        self.first = FirstCheckpoint(self.policy, self.writer, Remade(self.writer.unwritten))
        self.looked_s = 0.0

    def comes_at(self, epochs: int) -> int | None:
        """The epoch at whose end the first checkpoint is taken, of so many that take a second each."""
        for epoch in range(epochs):
            border = Occasion("loop!", 1.0, epoch + 1.0, True, ahead_s=epochs - epoch - 1.0)
            self.policy.correct(self.writer.busy_s / 2)
            if self.policy.price is not None:
                self.first.foresee(1 / 2)
            if not self.policy.wants(border):
                continue
            state: Any = SimpleNamespace(size_bytes=_SIZE, large=Sizer().large)
            if self.policy.price is None and not self.first.is_affordable(border, state, 0.001, 1 / 2):
                continue
            if not self.first.prepare(border, 1 / 2):
                return epoch
            assert self.writer._preparing
            self.writer._preparing.join()
        return None


def test_memory_that_the_machine_has_is_touched_before_the_first_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = _Run(tmp_path, _OURS_S, monkeypatch)
    assert run.comes_at(12) == 1
    assert run.memory.free_bytes >= _SIZE


def test_memory_that_takes_too_long_is_given_up_after_one_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = _Run(tmp_path, _HOSTS_S, monkeypatch)
    assert run.comes_at(12) is None
    assert run.memory.free_bytes == _ARENA
    assert run.policy.refused is not None
    assert run.policy.refused.total_s == pytest.approx(0.5 * (_SIZE - _ARENA) * _HOSTS_S + 0.5 * run.writer.cost_s(_SIZE) + 0.041, abs=0.01)


def test_a_longer_run_can_pay_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = _Run(tmp_path, _HOSTS_S, monkeypatch)
    assert run.comes_at(40) is not None
    assert run.memory.free_bytes >= _SIZE


def test_what_was_touched_is_no_part_of_the_price(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory and the rest of the price fit into the share; the memory twice would not."""
    run = _Run(tmp_path, _HOSTS_S / 2, monkeypatch)
    touched_s, rest_s = 0.5 * _SIZE * _HOSTS_S / 2, 0.5 * run.writer.cost_s(_SIZE) + 0.042
    epochs = round((touched_s + rest_s) / 0.05) + 2
    assert 0.05 * epochs < 2 * touched_s + rest_s
    assert run.comes_at(epochs) is not None


def test_memory_may_take_half_of_the_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = _Run(tmp_path, _HOSTS_S, monkeypatch)
    whole_s = 0.5 * _SIZE * _HOSTS_S + 0.5 * run.writer.cost_s(_SIZE) + 0.042
    assert run.comes_at(round(whole_s / 0.05) + 1) is None
    assert run.memory.free_bytes == _ARENA
