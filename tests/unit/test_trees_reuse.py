"""Which steps are worth putting back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rex.archive import FileState
from rex.trees.reuse import pays
from rex.trees.step import Left, Step

COPY = Step((0,), frozenset([0]), "cp", [], [], [Left("/a", FileState("file", 0o644, size=100_000_000))], [], 0, (), (), 0)


@pytest.mark.parametrize("seconds, is_worth", [(0.05, False), (5.0, True)])
def test_a_step_that_takes_less_than_its_outputs_is_executed(seconds: float, is_worth: bool) -> None:
    assert pays(replace(COPY, seconds=seconds)) is is_worth


def test_small_outputs_are_always_put_back() -> None:
    assert pays(replace(COPY, left=[Left("/a", FileState("file", 0o644, size=1_000_000)), Left("/gone", None)]))
