"""Sharing versions out: groups are balanced, complete, and part where versions part."""

from __future__ import annotations

import random

import pytest

from rex.multiversion.cluster import cost_s, share_out
from rex.multiversion.merge import merge

from .versions import make_version


def _tree(count: int, seed: int) -> object:
    chance = random.Random(seed)
    versions = []
    for number in range(count):
        cells = [f"c{depth}-{chance.randrange(1 + depth)}" for depth in range(6)]
        facts = {depth: {"seconds": 1.0 + depth} for depth in range(6)}
        versions.append(make_version(f"v{number}", cells, facts=facts))
    return merge(versions)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("count", [1, 2, 4, 9])
def test_every_version_is_in_one_group(seed: int, count: int) -> None:
    tree = _tree(12, seed)
    groups = share_out(tree, count)
    assert sorted(sum(groups, [])) == sorted(tree.ends) and 1 <= len(groups) <= count and all(groups)
    assert max(cost_s(tree, group) for group in groups) <= cost_s(tree, list(tree.ends))


def test_versions_that_share_most_stay_together() -> None:
    cells = ["load", "fit"]
    facts = {0: {"seconds": 1.0}, 1: {"seconds": 50.0}}
    versions = [make_version(f"a{i}", [*cells, f"a{i}"], facts=facts) for i in range(3)]
    versions += [make_version(f"b{i}", ["load", "other", f"b{i}"], facts=facts) for i in range(3)]
    groups = share_out(merge(versions), 2)
    assert sorted(map(sorted, groups)) == [["a0", "a1", "a2"], ["b0", "b1", "b2"]]


def test_what_cannot_be_made_shorter_is_not_split() -> None:
    versions = [make_version(f"v{i}", ["long", f"end{i}"], facts={0: {"seconds": 100.0}}) for i in range(4)]
    assert len(share_out(merge(versions), 4)) == 1
