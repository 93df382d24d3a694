"""Dataclasses as JSON, type by type."""

from __future__ import annotations

from typing import Any

import pytest

from rex.archive.jsonform import builder, plain
from rex.values import dataclass, field


@dataclass(frozen=True)
class Inner:
    number: int
    text: str = ""


@dataclass(frozen=True)
class Outer:
    inner: Inner
    maybe: Inner | None = None
    many: tuple[Inner, ...] = ()
    named: dict[str, float] = field(default_factory=dict)
    flag: bool = False
    free: Any = None


def test_defaults_are_left_out_and_come_back() -> None:
    value = Outer(Inner(1))
    assert plain(value) == {"inner": {"number": 1}}
    assert builder(Outer)(plain(value)) == value
    full = Outer(Inner(1, "a"), Inner(2), (Inner(3),), {"x": 1.5}, True, {"y": [None]})
    assert builder(Outer)(plain(full)) == full


@pytest.mark.parametrize("bad", [
    None, [], {}, {"inner": {}}, {"inner": {"number": "1"}}, {"inner": {"number": True}},
    {"inner": {"number": 1}, "flag": 1}, {"inner": {"number": 1}, "many": {}},
    {"inner": {"number": 1}, "named": {"x": "1"}}, {"inner": {"number": 1.0}}])
def test_other_types_are_refused(bad: Any) -> None:
    with pytest.raises(TypeError):
        builder(Outer)(bad)
