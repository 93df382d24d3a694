"""Lists of objects."""

from __future__ import annotations

import random

import pytest

from rex.archive.content import HOLE, decode_list, encode_list, split_list
from rex.errors import Damaged


def entries(count: int, seed: int = 0) -> list[tuple[bytes, int]]:
    choose = random.Random(seed)
    return [(choose.randbytes(32), choose.randint(1, 99)) for _ in range(count)]


def test_lists_round_trip() -> None:
    some = entries(50) + [(HOLE, 2**60)]
    assert decode_list(encode_list(some), sum(n for _, n in some)) == some


@pytest.mark.parametrize("data, size", [
    (b"x", 0), (encode_list([(HOLE, 5)]), 4), (encode_list([(HOLE, 5), (HOLE, 0)]), 5),
    (encode_list([(HOLE, 5)])[:-1], 5)])
def test_lists_that_do_not_add_up(data: bytes, size: int) -> None:
    with pytest.raises(Damaged):
        decode_list(data, size)


def test_one_change_changes_one_list() -> None:
    some = entries(20_000)
    changed = some[:7000] + entries(1, seed=1) + some[7001:]
    before = {encode_list(group) for group in split_list(some)}
    after = [encode_list(group) for group in split_list(changed)]
    assert 50 < len(after) < 400
    assert len(set(after) - before) <= 2
    assert [e for group in split_list(some) for e in group] == some
