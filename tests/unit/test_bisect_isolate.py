"""Delta debugging on numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rex.bisect.isolate import OutOfRuns, isolate


@given(st.integers(1, 200), st.data())
def test_one_cause_is_found_by_halves(count: int, data: st.DataObject) -> None:
    cause, tests = data.draw(st.integers(0, count - 1)), list[list[int]]()
    assert isolate(range(count), lambda chosen: bool(tests.append(chosen)) or cause in chosen, 99) == [cause]
    assert len(tests) <= (count - 1).bit_length() + 1


@given(st.sets(st.integers(0, 40), min_size=2, max_size=4))
def test_several_causes_are_found_together(causes: set[int]) -> None:
    assert set(isolate(range(41), lambda chosen: causes <= set(chosen), 1000)) == causes


def test_a_search_that_is_ended_has_the_fewest_known() -> None:
    with pytest.raises(OutOfRuns) as end:
        isolate(range(64), lambda chosen: 5 in chosen, 3)
    assert 5 in end.value.left and len(end.value.left) == 8
