"""Sets that are laid out anew: the same order now, and after whatever comes."""

from __future__ import annotations

import decimal
import random
import sys
from typing import Any

import pytest

from rex.errors import Damaged
from rex.hindsight.capture.setlayout import fill_as, is_stable, layout_of

if sys.version_info >= (3, 13):
    pytest.skip("there are no recordings by this Python", allow_module_level=True)


def _any(chance: random.Random) -> Any:
    return chance.choice([chance.randint(0, 999) * 8, f"w{chance.randint(0, 200)}", (chance.randint(0, 7), "a"), chance.randint(0, 99) / 4])


def _change(chance: random.Random, *sets: set[Any]) -> None:
    """Do the same to some sets, and see that they do the same."""
    what, item = chance.random(), _any(chance)
    if what < 0.6:
        results = [each.add(item) for each in sets]
    elif what < 0.9:
        results = [each.discard(item) for each in sets]
    else:
        results = [each.pop() if each else None for each in sets]
    assert all(each == results[0] for each in results)


def test_what_comes_after_is_the_same() -> None:
    chance = random.Random(5)
    for _ in range(300):
        one = {_any(chance) for _ in range(chance.choice((0, 0, 20, 300)))}
        for _ in range(chance.randint(0, 200)):
            _change(chance, one)
        layout, items = layout_of(one), list(one)
        assert layout is not None
        other = {_any(chance) for _ in range(chance.randint(0, 20))}
        fill_as(other, items, layout)
        assert list(other) == items and layout_of(other) == layout and other.__sizeof__() == one.__sizeof__()
        for _ in range(60):
            _change(chance, one, other)
            assert list(one) == list(other)
        held = frozenset(one)
        made = frozenset([*held][::-1])
        fill_as(made, [*held], layout_of(held))     # type: ignore[arg-type]
        assert [*made] == [*held] and hash(made) == hash(held)


def test_elements_are_not_lost() -> None:
    class Item(str):
        pass

    items = [Item(number) for number in range(100)]
    counts = [sys.getrefcount(each) for each in items]
    for _ in range(3):
        one = set(items)
        other: set[Any] = set()
        fill_as(other, list(one), layout_of(one))   # type: ignore[arg-type]
        fill_as(other, [], layout_of(set()))        # type: ignore[arg-type]
        del one, other
    assert [sys.getrefcount(each) for each in items] == counts


def test_what_hashes_by_its_address_is_told() -> None:
    assert all(map(is_stable, (1, "a", b"b", 1.5, (1, ("x",)), frozenset({2}), decimal.Decimal("1.5"))))
    assert not any(map(is_stable, (object(), float("nan"), (1, object()), len, frozenset({object}))))


@pytest.mark.parametrize("items, layout", [
    ([1], (bytes(8), 0)), ([1], (b"\1" * 8, 0)), ([], (bytes(7), 0)), ([], (b"", 0)), ([1], (b"\1" + bytes(6), 0)), ([], (b"\3" + bytes(7), 0)),
    ([], (bytes(8), -1)), ([1, 1], (b"\1\1" + bytes(6), 0)), ([2, 2.0], (b"\1\1" + bytes(6), 0)), ([], (bytes(8),)), ([], "12"), ([], (bytes(8), 1 << 70))])
def test_what_no_set_looks_like_is_refused(items: list[Any], layout: Any) -> None:
    with pytest.raises(Damaged):
        fill_as({5}, items, layout)
