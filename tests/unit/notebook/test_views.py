"""Short views tell shapes and columns, run no code of the user's, and compare."""

from __future__ import annotations

import pytest

from rex.notebook.views import changes_between, view_of, view_text


class Hostile:
    def __repr__(self) -> str:
        raise AssertionError("called")

    __len__ = __str__ = __repr__   # type: ignore[assignment]


def test_plain_values_and_containers() -> None:
    assert view_text(view_of(5)) == "5" and view_text(view_of("x")) == "'x'"
    assert view_text(view_of([1, 2, "z"])) == "list of 3: 1, 2, 'z'"
    assert view_text(view_of({"a": Hostile()})) == "dict of 1: 'a': Hostile"
    assert view_text(view_of(Hostile())) .endswith("Hostile")
    assert view_text(view_of(pytest)) == "module pytest"
    assert len(view_text(view_of("y" * 10**6))) < 120
    assert len(view_text(view_of(list(range(10**5))))) < 120
    view_of(10**5000)
    assert view_text("garbage") == "?" and view_text({}) == "?"


def test_arrays_and_frames() -> None:
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    assert view_text(view_of(numpy.zeros((3, 4)))) == "numpy.ndarray 3 x 4 float64"
    before = view_of(pandas.DataFrame({"a": [1, 2], "b": [1.0, 2.0]}))
    after = view_of(pandas.DataFrame({"a": [1.0, 2.0, 3.0], "c": ["x", "y", "z"]}))
    assert view_text(before) == "pandas.DataFrame 2 x 2 (a, b)"
    told = changes_between(before, after)
    assert "shape 2 x 2 -> 3 x 2" in told and "column b removed" in told
    assert "column a: int64 -> float64" in told and any(t.startswith("column c added") for t in told)
    assert changes_between(before, before) == [] and changes_between(None, after) == []
    assert changes_between({"columns": 5}, {"columns": [[1], "x"]}) == []
