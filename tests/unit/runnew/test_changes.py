"""Changes in words, commands and environments."""

from __future__ import annotations

from rex.archive import Manifest
from rex.runnew.changes import Changes, changed_environment, describe_command, describe_environment


def test_arguments_that_changed_are_told_one_by_one() -> None:
    assert describe_command(("a", "b", "c"), ("a", "b", "d e")) == ["argument 2 is 'd e', was c"]
    assert describe_command(("a", "b"), ("x", "b")) == ["the program is x, was a"]
    assert describe_command(("a",), ("a",)) == []
    assert describe_command(("a", "b"), ("a", "b", "c")) == ["the command is a b c, was a b"]
    assert describe_command(("a", "1", "2", "3"), ("a", "4", "5", "6")) == ["the command is a 4 5 6, was a 1 2 3"]


def test_variables() -> None:
    lines = describe_environment({"A": "1", "B": "2", "C": "3"}, {"A": "1", "B": "x y", "D": "z" * 100})
    assert lines[:2] == ["the variable B is 'x y', was 2", "the variable C is removed, was 3"]
    assert lines[2].startswith("the variable D is added: zzz") and lines[2].endswith("…") and len(lines[2]) < 90


def test_environment() -> None:
    manifest = Manifest(("x",), environment={"A": "1", "B": "2"})
    assert changed_environment(manifest, Changes(env_set={"C": "3", "A": "9"}, env_unset=("B",))) == {"A": "9", "C": "3"}
    assert changed_environment(manifest, Changes(environment={"Z": "0"}, env_set={"A": "1"})) == {"Z": "0", "A": "1"}
