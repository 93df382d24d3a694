"""Functions from their definitions alone."""

from __future__ import annotations

import pytest

from rex.state.definitions import define

DEF = "def f(x, y=2):\n    return x + y + z"


def test_the_last_definition_counts() -> None:
    namespace = {"z": 1, "f": "now"}
    made = define("f", ["g = f(1)", DEF, "def f(): pass"], namespace)
    assert made(10) == 13 and namespace["f"] == "now" and made.__globals__ is namespace
    assert define("f", [f"open('x', 'w')\n{DEF}"], {"z": 0})(1) == 3


@pytest.mark.parametrize("codes", [
    ["x = 1"], [f"{DEF}\nf.calls = 0"], ["f.calls = 0", DEF], [f"{DEF}\nf = wrap(f)"], ["f = 3", DEF], [f"@cache\n{DEF}"], ["from m import f", DEF],
    ["def f(x=open('y')): pass"], ["def f(x: g()): pass"], ["class f: pass"], [f"{DEF}\n{DEF}"], [f"if a:\n    {DEF}"], ["%magic", DEF],
    ["del f", DEF], ["from m import *", DEF]])
def test_what_is_more_than_a_definition(codes: list[str]) -> None:
    assert define("f", codes, {}) is None
