"""Comparisons by meaning are symmetric and reflexive, grow with the tolerance, and never pass what differs beyond it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit" / "contents"))
from content_files import MAKERS, MORE, verdict
from pace import first
from rex.contents.formats.text import read
from rex.contents.parts import compare_parts
from rex.contents.reading import Reading
from rex.contents.rules import make
from rex.contents.tally import DIFFERENT, SAME, WITHIN

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300).filter(lambda value: value == 0 or abs(value) > 1e-290)
ALL = {**MAKERS, "p.pdf": MORE["p.pdf"]}
FORMATS = pytest.mark.parametrize("path", first(5, ALL))
FEW = settings(max_examples=20)


@FORMATS
@FEW
@given(values=st.lists(NUMBERS, min_size=1, max_size=12), data=st.data())
def test_a_change_of_known_size_passes_just_where_the_tolerance_allows_it(path: str, values: list[float], data: Any) -> None:
    make_content, library = ALL[path]
    if library:
        pytest.importorskip(library)
    at = data.draw(st.integers(0, len(values) - 1))
    exponent = data.draw(st.integers(-12, -1))
    other = [*values]
    other[at] = values[at] * (1 + 10.0 ** exponent) if values[at] else 10.0 ** exponent
    apart = abs(other[at] - values[at])
    left, right = make_content(values), make_content(other)
    assert verdict(path, left, right, atol=apart * 1.01).outcome == WITHIN
    assert verdict(path, left, right, atol=apart * 0.99).outcome == DIFFERENT
    relative = apart / max(abs(other[at]), abs(values[at]))
    assert verdict(path, left, right, rtol=relative * 1.01).outcome == WITHIN
    assert verdict(path, left, right, rtol=relative * 0.99).outcome == DIFFERENT
    assert verdict(path, left, right).outcome == DIFFERENT
    assert verdict(path, left, left).outcome == SAME


@FORMATS
@FEW
@given(left=st.lists(NUMBERS, max_size=6), right=st.lists(NUMBERS, max_size=6), tolerances=st.lists(st.floats(0, 1), min_size=2, max_size=2),
       any_order=st.booleans())
def test_what_passes_passes_with_every_larger_tolerance(path: str, left: list[float], right: list[float], tolerances: list[float], any_order: bool) -> None:
    make_content, library = ALL[path]
    if library:
        pytest.importorskip(library)
    small, large = sorted(tolerances)
    one, two = make_content(left), make_content(right)
    for name in ("rtol", "atol"):
        strict = verdict(path, one, two, **{name: small}, any_order=any_order)   # type: ignore[arg-type]
        loose = verdict(path, one, two, **{name: large}, any_order=any_order)   # type: ignore[arg-type]
        assert strict.outcome == DIFFERENT or loose.outcome != DIFFERENT
        if strict.outcome != DIFFERENT and not any_order:
            assert len(left) == len(right)
            assert all(abs(a - b) <= small * (max(abs(a), abs(b)) if name == "rtol" else 1) for a, b in zip(left, right))


@FEW
@given(values=st.lists(st.integers(0, 255), min_size=1, max_size=12), data=st.data())
def test_a_colour_passes_just_where_the_tolerance_allows_it(values: list[int], data: Any) -> None:
    pytest.importorskip("PIL")
    at = data.draw(st.integers(0, len(values) - 1))
    other = [*values]
    other[at] = data.draw(st.integers(0, 255).filter(lambda value: value != values[at]))
    left, right = (MORE["p.png"][0](each) for each in (values, other))
    apart = abs(other[at] - values[at]) / 255
    assert verdict("p.png", left, right, atol=apart * 1.01).outcome == WITHIN
    assert verdict("p.png", left, right, atol=apart * 0.99).outcome == verdict("p.png", left, right).outcome == DIFFERENT


@given(left=st.text("12.-+e \nab:/x", max_size=60), right=st.text("12.-+e \nab:/x", max_size=60))
def test_any_texts_are_compared_alike_both_ways(left: str, right: str) -> None:
    rules = make(0.1, 0.0, 0, (), (), False)
    parts = [read(text.encode(), Reading(1 << 20)) for text in (left, right)]
    one, two = compare_parts(parts[0], parts[1], rules), compare_parts(parts[1], parts[0], rules)
    assert (one.outcome, one.differing, one.within, one.missing_count) == (two.outcome, two.differing, two.within, two.missing_count)
    assert compare_parts(parts[0], parts[0], rules).outcome == SAME
