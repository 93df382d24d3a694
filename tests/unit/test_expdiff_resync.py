"""Bringing sequences back into step; tests/property has the oracles."""

from __future__ import annotations

from rex.expdiff.resync import resynchronise


def run(left: str, right: str, window: int = 99) -> str:
    """Steps as text: = in step, < and > skipped in the first and the second."""
    sides = ([(ord(key), 0, place) for place, key in enumerate(text)] for text in (left, right))
    signs = {"same": "=", "skipped_left": "<", "skipped_right": ">"}
    return "".join(signs[step.kind] + chr((step.left or step.right or (63,))[0]) for step in resynchronise(*sides, window))


def test_the_shorter_way_is_taken() -> None:
    assert run("abcd", "abcd") == "=a=b=c=d"
    assert run("abcd", "acd") == "=a<b=c=d"
    assert run("acd", "abcd") == "=a>b=c=d"
    assert run("axyzb", "ab") == "=a<x<y<z=b"
    assert run("axb", "ayb") == "=a<x>y=b"
    assert run("bxxxa", "ab") == ">a=b<x<x<x<a"


def test_ends() -> None:
    assert run("", "") == "" and run("a", "") == "<a" and run("", "a") == ">a"


def test_beyond_the_window_nothing_is_found() -> None:
    assert run("abbbbz", "z", 3) == "<a>z<b<b<b<b<z"
    assert run("abbbbz", "z", 5) == "<a<b<b<b<b=z"


def test_another_outcome() -> None:
    step, = resynchronise([(1, 2, 0)], [(1, 3, 4)])
    assert step.kind == "changed" and step.left == (1, 2, 0) and step.right == (1, 3, 4)
