"""Rewriting changes nothing but who is told of loops."""

from __future__ import annotations

import traceback
import types
from typing import Any

import pytest

from rex.hindsight.instrument.rewrite import PREFIX, PROBE, plan_module, rewrite

SOURCE = '''\
"""Doc."""
from __future__ import annotations
import sys

def outer(n):
    """Its doc."""
    total = 0
    for i in range(n):
        if i == 7:
            break
        for j in range(3):
            if j == 1:
                continue
            total += i * j
    else:
        total += 1000
    k = 0
    while k < n:
        k += 1
        total += k
    else:
        total += 5
    return total

def gen(n):
    for i in range(n):
        yield i

async def late(n):
    for i in range(n):
        pass

class C:
    items = [x for x in range(3)]
    for q in range(2):
        pass
    def method(self):
        while True:
            return [y for y in gen(4)]

def fails():
    for i in range(2):
        raise KeyError(i)

result = outer(5), outer(9), C().method(), list(gen(2)), C.q
'''


def run(source: str, **space: Any) -> dict[str, Any]:
    exec(compile(source, "plain.py", "exec"), space)
    return space


def rewritten(source: str, site: Any = None) -> dict[str, Any]:
    plan = plan_module(source, "m")
    space: dict[str, Any] = {PROBE: None}
    for facts in plan.loops.values():
        space[facts.name] = site(facts) if site else None
        if facts.is_while:
            space[facts.name + "w"] = None
    space.update(dict.fromkeys(plan.functions.values()))
    exec(rewrite(plan, "plain.py"), space)
    return space


class Site:
    """Counts what it is told."""

    def __init__(self, facts: Any) -> None:
        self.told: list[str] = []

    def enter(self) -> bool:
        self.told.append("enter")
        return True

    def loop(self, iterable: Any) -> Any:
        self.told.append("loop")
        return iterable

    def ran_out(self) -> None:
        self.told.append("ran out")

    def done(self) -> None:
        self.told.append("done")


def test_results_are_the_same() -> None:
    plain = run(SOURCE)
    for site in (None, Site):
        space = rewritten(SOURCE, site)
        assert space["result"] == plain["result"] and space["__doc__"] == "Doc."
        assert space["outer"].__doc__ == "Its doc."


def test_loops_in_generators_coroutines_and_classes_are_left_alone() -> None:
    plan = plan_module(SOURCE, "m")
    assert [(facts.qualname, facts.line) for facts in plan.loops.values()] == [
        ("outer", 8), ("outer", 11), ("outer", 18), ("C.method", 38), ("fails", 42)]


def test_a_loop_that_is_left_early_says_so() -> None:
    space = rewritten(SOURCE, Site)
    told = {facts.line: space[facts.name].told for facts in plan_module(SOURCE, "m").loops.values()}
    assert told[8] == ["enter", "loop", "ran out", "done", "enter", "loop", "done"]     # broken off the second time
    assert told[38] == ["enter"]                         # its function was left
    assert told[18] == ["enter", "ran out", "done"] * 2


def test_lines_of_tracebacks_are_the_same() -> None:
    lines = []
    for space in (run(SOURCE), rewritten(SOURCE), rewritten(SOURCE, Site)):
        try:
            space["fails"]()
        except KeyError as error:
            lines.append([(frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)][1:])
    assert lines[0] == lines[1] == lines[2] == [("fails", 43)]


def test_a_loop_that_is_skipped_does_not_run() -> None:
    class Skips(Site):
        def enter(self) -> bool:
            return False

    space = rewritten("n = 0\nfor i in [1]:\n    n += 1\nelse:\n    n += 10\nwhile n < 5:\n    n += 1\n", Skips)
    assert space["n"] == 0


@pytest.mark.parametrize("source, marked", [
    ("for x in hindsight.loop(y):\n    pass", True), ("for x in loop(y):\n    pass", True),
    ("for x in other.loop(y):\n    pass", False), ("with hindsight.skip_block('a'):\n    pass", True),
    ("with skip_block():\n    pass", True), ("for x in loop:\n    pass", False)])
def test_marks(source: str, marked: bool) -> None:
    facts = list(plan_module(source, "m").loops.values())
    assert [each.is_by_hand for each in facts] in ([marked], [] if not marked else [True])


def test_equal_loops_have_identities_of_their_own() -> None:
    loops = "for i in a:\n    f(i)\n" * 2 + "def g():\n    for i in a:\n        f(i)\n"
    found = [facts.identity for facts in plan_module(loops, "m").loops.values()]
    assert len(set(found)) == 3 and found[0][:-1] == found[1][:-1]


def test_names_of_ours_are_all_marked() -> None:
    names = rewritten("for i in [1]:\n    pass\ndef f():\n    pass\n")
    ours = {name for name in names if name.startswith(PREFIX)}
    assert ours == {PROBE, PREFIX + "0", PREFIX + "f0"}


def test_code_keeps_its_file_and_first_line() -> None:
    code = rewrite(plan_module(SOURCE, "m"), "plain.py")
    assert isinstance(code, types.CodeType) and code.co_filename == "plain.py" and code.co_firstlineno == 1


def test_a_fence_stands_within_a_test_of_counters_only() -> None:
    from rex.hindsight.instrument.changes import compare
    recorded = "def train(n, on):\n    for step in range(n):\n        for k, x in enumerate('ab'):\n            pass\n"
    added = {"print(step) if step % 5 == 0 else None": 4, "if step % 5 == 0 and k > 0: print(step, x)": 2,
             "if step % 5 == 0 and on: print(step)": 20, "if step % 5 == 0: print(step)\n            else: print(k)": 20,
             "if on.bit_length() and step == 3: print(step)": 20}
    for probe, expected in added.items():
        plan = compare(recorded, recorded + f"            {probe}\n", "train", "<source>").plan
        entered = []

        class Fence:
            def __enter__(self) -> None:
                entered.append(1)

            def __exit__(self, *_: Any) -> None:
                pass

        space: dict[str, Any] = {"print": lambda *_: None, PROBE: Fence()}
        space.update({facts.name: None for facts in plan.loops.values()})
        space.update({f"{facts.name}w": None for facts in plan.loops.values()}, **dict.fromkeys(plan.functions.values()))
        exec(rewrite(plan, "<source>"), space)
        space["train"](10, 1)
        assert len(entered) == expected, probe
