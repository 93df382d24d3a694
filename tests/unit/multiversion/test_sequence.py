"""The checker: each rule has a sequence that breaks it."""

from __future__ import annotations

import pytest

from rex.multiversion.sequence import PlanError, check
from rex.multiversion.tree import ExecutionTree, Node

TREE = ExecutionTree([Node("a", None, 3.0, 10), Node("b", "a", 1.0, 10), Node("c", "a", 2.0, 10),
                      Node("d", "b", 5.0, None)])


def words(text: str) -> list[list[str]]:
    return [step.split() for step in text.split(", ")]


def test_a_legal_sequence_is_measured() -> None:
    verdict = check(TREE, words("CT a, CP a, CT b, CT d, RS a c, EV a, CT c"), 10)
    assert verdict.cost_s == 11
    assert verdict.peak_bytes == 10
    assert verdict.counts == {"CT": 4, "CP": 1, "RS": 1, "EV": 1}


def test_a_root_starts_a_fresh_process_at_any_time() -> None:
    assert check(TREE, words("CT a, CT b, CT d, CT a, CT c"), 0).cost_s == 14


@pytest.mark.parametrize("steps, word", [
    ("CT b", "live state is None"),
    ("CT a, CT d", "live state is 'a'"),
    ("CT a, CT b, CT c", "live state is 'b'"),
    ("CT a, CP b", "live state is 'a'"),
    ("CT a, CP a, CP a", "already"),
    ("CT a, CT b, CT d, CP d", "cannot be checkpointed"),
    ("CT a, CP a, CT b, CP b", "20 of 10 bytes"),
    ("CT a, RS a b", "not in the cache"),
    ("CT a, EV a", "not in the cache"),
    ("CT a, CP a, RS a d", "no child"),
    ("CT a, CP a, RS a z", "no child"),
    ("CT a, CP a, RS a b, CT c", "switch was to 'b'"),
    ("CT a, CP a, RS a b, RS a c", "never used"),
    ("CT a, CP a, RS a b, EV a, CP a", "live state"),
    ("CT z", "no such cell"),
    ("XX a", "no such operation"),
    ("CT a b", "no such operation"),
    ("CT a, CT b, CT d", "never computed, first 'c'"),
    ("CT a, CP a, CT b, CT d, RS a c, CT c, RS a b", "never used"),
])
def test_each_broken_rule_is_named(steps: str, word: str) -> None:
    with pytest.raises(PlanError) as caught:
        check(TREE, words(steps), 10)
    assert word in str(caught.value)


def test_empty_steps_are_refused() -> None:
    with pytest.raises(PlanError):
        check(TREE, [[]], 10)
    with pytest.raises(PlanError):
        check(TREE, [], 10)
