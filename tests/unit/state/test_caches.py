"""Cached results are part of the state: an undo gives those of the state that it goes to."""

from __future__ import annotations

import functools
from typing import Any

import pytest

pytest.importorskip("cloudpickle")

from rex.state.caches import calls_of, fill  # noqa: E402
from .sessions import Session  # noqa: E402


@pytest.mark.parametrize("maxsize", [None, 2])
@pytest.mark.parametrize("is_typed", [False, True])
def test_calls_are_found_and_put_back(maxsize: int | None, is_typed: bool) -> None:
    offset = 1

    @functools.lru_cache(maxsize=maxsize, typed=is_typed)
    def add(first: Any, second: Any = 0, *, third: Any = 0) -> Any:
        return offset

    add(1)
    add("one", 2.0)
    add(2, third=(3,))
    calls = calls_of(add)
    assert calls[-1] == ((2,), {"third": (3,)}, 1) and calls[-2] == (("one", 2.0), {}, 1)
    add.cache_clear()
    fill(add, [(arguments, named, number) for number, (arguments, named, _) in enumerate(calls)])
    offset = 5
    assert add(2, third=(3,)) == len(calls) - 1 and add("one", 2.0) == len(calls) - 2 and add(3) == 5


def test_an_undo_gives_back_what_was_cached() -> None:
    session = Session(check_loads=False)
    session.run("import functools\ndata = [1, 2, 3]\n@functools.cache\ndef total():\n    return sum(data)\n"
                "@functools.lru_cache(maxsize=2)\ndef double(n):\n    return 2 * n * scale\nscale = 1")
    empty = session.run("pass").node
    full = session.run("total(); double(1); double(2); double(2)").node
    session.run("data = [100]; total.cache_clear(); total(); scale = 5; double(3)")
    session.checkout(full)
    assert session["total"]() == 6 and session["double"].cache_info()[:2] == (1, 2)
    session.namespace["scale"] = 7
    assert session["double"](1) == 2 and session["double"](2) == 4 and session["double"](9) == 126
    session.checkout(empty)
    assert session["total"].cache_info().currsize == 0


def test_methods_and_functions_in_c() -> None:
    session = Session(check_loads=False)
    session.run("import functools, operator\nclass Model:\n    factor = 2\n    @functools.lru_cache\n"
                "    def times(self, n):\n        return n * self.factor\nmodel = Model()\n"
                "index = functools.lru_cache(maxsize=4)(operator.index)")
    node = session.run("first = model.times(3)").node
    session.run("model.factor = 10; Model.times.cache_clear(); second = model.times(3)")
    session.checkout(node)
    assert session["model"].times(3) == 6
    node = session.run("one = index(1)").node
    session.run("index = None")
    assert "not written in Python" in session.checkout(node).recomputed.get("index", "") or session["index"](1) == 1
