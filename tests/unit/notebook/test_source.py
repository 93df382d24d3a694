"""What a translated cell could touch, and what of it runs again."""

from __future__ import annotations

import pytest

from rex.notebook.source import Source, head_of

LINE, CELL = "get_ipython().run_line_magic({!r}, {!r})\n", "get_ipython().run_cell_magic({!r}, {!r}, {!r})\n"


def source(transformed: str) -> Source:
    return Source(transformed, lambda text: text)


def test_our_own_commands_are_no_part_of_a_cell() -> None:
    ours = LINE.format("rex", "checkout 3")
    assert source(ours).is_empty and source("").is_empty
    mixed = source(ours + "x = y + 1\n")
    assert not mixed.is_empty and not mixed.is_wide and mixed.code == "x = y + 1"
    kept = source("old = " + LINE.format("rex", "show 3:df"))
    assert not kept.is_empty and not kept.is_wide and "show 3:df" in kept.code


@pytest.mark.parametrize("text", [
    LINE.format("matplotlib", "inline") + "a = b\n", "get_ipython().system('ls {a}')\nb\n",
    "a = get_ipython().getoutput('ls')\nb\n", CELL.format("bash", "", "rm x") + "a, b\n"])
def test_harmless_magics_touch_nothing(text: str) -> None:
    found = source(text)
    assert not found.is_wide and "get_ipython" not in found.named and "b" in found.named


def test_magics_that_run_statements_touch_what_those_name() -> None:
    timed = source(CELL.format("time", "", "model.fit(table)\n"))
    assert not timed.is_wide and "model.fit(table)" in timed.named
    assert "run_cell_magic" in timed.code
    line = source(LINE.format("timeit", "-n 5 work(data)"))
    assert not line.is_wide and "work(data)" in line.named
    nested = source(CELL.format("time", "", LINE.format("time", "deep(x)")))
    assert "deep(x)" in nested.named and not nested.is_wide
    assert source(CELL.format("time", "", LINE.format("run", "other.py"))).is_wide


@pytest.mark.parametrize("text", [
    LINE.format("run", "script.py"), LINE.format("unknown", ""), "Out[3].append(1)\n", "x = _\n",
    "_12.clear()\n", "get_ipython().run_cell('x = 1')\n", "f(_oh)\n",
    "get_ipython().run_line_magic(name, '')\n"])
def test_what_could_touch_anything_is_told(text: str) -> None:
    found = source(text)
    assert found.is_wide or "get_ipython" in found.named


def test_a_name_that_is_only_set_is_no_former_output() -> None:
    assert not source("for _ in range(3): pass\n").is_wide


def test_source_that_is_no_python_is_kept_as_it_is() -> None:
    assert source("this is wrong").code == "this is wrong"


def test_heads() -> None:
    assert head_of("# note\n\nx = 1\ny = 2") == "x = 1 …"
    assert head_of("x = 1") == "x = 1" and head_of("") == "" and head_of("# only") == "# only"
    assert len(head_of("a" * 500)) == 60
