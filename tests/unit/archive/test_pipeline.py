"""Helpers work at once; what comes of it keeps the order, and a failure is not lost."""

from __future__ import annotations

import time

import pytest

from rex.archive.pipeline import Pipeline


def test_results_are_taken_in_order_and_one_at_a_time() -> None:
    taken: list[tuple[int, int]] = []

    def make(number: int) -> int:
        time.sleep(0.002 * (number % 3))      # later ones are often made sooner
        return number * number

    pipeline = Pipeline(make, lambda item, made: taken.append((item, made)))
    for number in range(40):
        pipeline.put(number)
    pipeline.end()
    assert taken == [(number, number * number) for number in range(40)]


@pytest.mark.parametrize("stage", ["make", "take"])
def test_a_failure_is_raised_in_the_end_and_nothing_hangs(stage: str) -> None:
    taken: list[int] = []

    def make(number: int) -> None:
        if stage == "make" and number == 3:
            raise OSError("no space")

    def take(number: int, _made: None) -> None:
        if stage == "take" and number == 3:
            raise OSError("no space")
        taken.append(number)

    pipeline = Pipeline(make, take)
    for number in range(30):
        pipeline.put(number)
    with pytest.raises(OSError, match="no space"):
        pipeline.end()
    assert 29 not in taken
