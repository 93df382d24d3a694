"""Numbers of small outputs, and what they are called."""

from __future__ import annotations

import pytest

from rex.contents.numbers import MAX_BYTES, numbers_of


@pytest.mark.parametrize(("path", "text", "found"), [
    ("a.json", '{"fit": {"w": 1.5, "e": [1, 2], "ok": true, "by": "7"}}', {"fit.w": 1.5, "fit.e[0]": 1, "fit.e[1]": 2}),
    ("t.csv", "name,size,w\ncat,3,0.5\n", {"size": 3, "w": 0.5}),
    ("t.tsv", "a\tb\n1\tx\n3\t4\n", {"a, row 2": 1, "a, row 3": 3, "b, row 3": 4}),
    ("standard output", "7 rows, mean 3.3\nloss: 1e-3 (2024-01-01)\nloss = 4\n", {"rows": 7, "mean": 3.3, "loss": 0.001, "loss (2)": 4}),
    ("out", "42\n1 2\nepoch 1: loss 0.5\n", {"line 1": 42, "line 2": 1, "line 2 (2)": 2, "epoch": 1, "loss": 0.5}),
    ("broken.json", '{"a": 1', {"a": 1}),
    ("none", "no number at 12:30, version 1.2.3", {})])
def test_numbers_have_names(path: str, text: str, found: dict[str, float]) -> None:
    assert numbers_of(path, text.encode()) == found


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"[" * 9000, b"1 " * MAX_BYTES, b'{"a": 1e999, "b": NaN, "c": ' + b"9" * 5000 + b"}", b"x" * 3000 + b",\0\n"])
def test_hostile_outputs_do_no_harm(data: bytes) -> None:
    assert len(numbers_of("x.csv", data)) <= 64


def test_only_the_first_numbers_of_an_output_are_taken() -> None:
    assert len(numbers_of("out", b"1\n" * 5000)) == 64
