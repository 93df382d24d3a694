"""What was added, and what is refused."""

from __future__ import annotations

import pytest

from rex.errors import UsageError
from rex.hindsight.instrument.changes import compare, describe_refusal, unified

RECORDED = """\
import math
def f(x):
    y = x + 1
    for i in range(3):
        y += i
    return y
total = 0
for epoch in range(2):
    for step in range(3):
        total += f(step)
    if total > 5:
        total -= 1
    else:
        total += 1
"""


def changed(old: str, new: str, count: int = 1) -> str:
    assert RECORDED.count(old) == count
    return RECORDED.replace(old, new)


@pytest.mark.parametrize("now, sites, function", [
    (changed("    y = x + 1\n", "    y = x + 1\n    print(y)\n"), (), "_rex_f0"),
    (changed("        y += i\n", "        y += i\n        print(y)\n"), ("m#0",), "_rex_f0"),
    (changed("        total += f(step)\n", "        print(1)\n        total += f(step)\n"), ("m#1", "m#2"), ""),
    (changed("        total -= 1\n", "        total -= 1\n        print(total)\n"), ("m#1",), ""),
    (RECORDED + "print(total)\n", (), ""),
    ("# a comment\n" + RECORDED + "\n\nimport sys; print(sys)\n", (), "")])
def test_additions_are_found_where_they_stand(now: str, sites: tuple[str, ...], function: str) -> None:
    changes = compare(RECORDED, now, "m", "m.py")
    assert not changes.removed
    assert {(probe.sites, probe.function) for probe in changes.probes} == {(sites, function)}


@pytest.mark.parametrize("now", [RECORDED, RECORDED + "\n# only a comment\n", RECORDED.replace("x + 1", "(x + 1)"),
                                 RECORDED.replace("\n", "\n\n")])
def test_what_means_the_same_is_no_change(now: str) -> None:
    changes = compare(RECORDED, now, "m", "m.py")
    assert not changes.removed and not changes.probes


@pytest.mark.parametrize("now, first", [
    (changed("y = x + 1", "y = x + 2"), "y = x + 1"), (changed("total -= 1", "pass"), "total -= 1"),
    (changed("range(2)", "range(20)"), "for epoch in range(2):"),
    (changed("def f(x):", "def f(x, z=0):"), "def f(x):"),
    (changed("        y += i\n", "        y += i\n", 1).replace("    return y\n", ""), "return y")])
def test_other_changes_are_refused_with_the_difference(now: str, first: str) -> None:
    changes = compare(RECORDED, now, "m", "m.py")
    assert changes.removed
    error = describe_refusal("m.py", changes.removed, unified(RECORDED, now, "m.py"))
    assert first in str(error) and error.code == 2 and "--allow-changes" in str(error)
    assert any(line.startswith("-") for line in error.__notes__[0].splitlines()[2:])


@pytest.mark.parametrize("added", ["break", "continue", "if epoch: break", "raise ValueError", "yield 1", "return"])
def test_additions_must_not_leave(added: str) -> None:
    with pytest.raises(UsageError, match="must not leave"):
        compare(RECORDED, changed("        total += f(step)\n", f"        total += f(step)\n        {added}\n"), "m", "m.py")


@pytest.mark.parametrize("added", ["for k in range(3):\n            if k: break", "g = lambda: (yield)",
                                   "def g():\n            return 1"])
def test_additions_may_do_what_they_like_within(added: str) -> None:
    now = changed("        total += f(step)\n", f"        total += f(step)\n        {added}\n")
    assert len(compare(RECORDED, now, "m", "m.py").probes) == 1


def test_added_loops_do_not_shift_the_others() -> None:
    now = "for k in range(9):\n    pass\n" + changed("    for step", "    while False:\n        pass\n    for step")
    loops = compare(RECORDED, now, "m", "m.py").plan.loops
    assert {node.lineno: (facts.name, facts.line) for node, facts in loops.items()} == {   # type: ignore[attr-defined]
        6: ("_rex_0", 4), 10: ("_rex_1", 8), 13: ("_rex_2", 9)}


def test_names_that_only_additions_bind_are_no_state() -> None:
    now = changed("        total += f(step)\n", "        total += f(step)\n        new = old = total; y = 1\n")
    assert compare(RECORDED, now, "m", "m.py").plan.kept == {"new", "old"}


def test_a_syntax_error_is_told_with_its_line() -> None:
    with pytest.raises(UsageError, match="m.py line 2"):
        compare(RECORDED, "x = 1\ny = = 2\n", "m", "m.py")


def test_what_a_statement_may_change() -> None:
    recorded = "for epoch in range(3):\n    w = 1\n"

    def touched(added: str) -> frozenset[str]:
        return compare(recorded, f"{recorded}    {added}\n", "m", "m.py").probes[0].touched

    assert touched("print('probe', w, len(w), w > 3, f'{w}')") == frozenset()
    assert touched("if w > 3: print(w, str(w))") == frozenset()
    assert touched("print(net.loss, w[0], sum(rows), w)") == {"net", "w", "sum", "rows"}
    assert touched("x = w") == {"x", "w"} and touched("w.zero_()") == {"w"} and touched("print(w in seen)") == {"w", "seen"}


def test_variables_of_comprehensions_are_their_own() -> None:
    recorded = "rs = [1]\nfor r in rs:\n    pass\n"
    found = compare(recorded, recorded + "print([r for r in rs])\n", "m", "m.py")
    assert found.probes[0].changes == ""
    assert compare(recorded, recorded + "r = 2\n", "m", "m.py").probes[0].changes == "r"
