"""Differences, and components of them."""

from __future__ import annotations

from rex.expdiff.difference import Comparison, Difference, compare_values


def test_values_by_name() -> None:
    found = compare_values({"a": 1, "b": 2, "c": 3}, {"b": 2, "c": 4, "d": None})
    assert [(each.item, each.kind) for each in found] == [
        ("a", "only_left"), ("c", "differs"), ("d", "only_right")]


def test_what_differs_by_nature_does_not_decide() -> None:
    found = Comparison(1, {"inputs": []}, [Difference("start_ns", left=1, right=2)])
    assert found.is_same
    found.components["outputs"] = [Difference("/o", details={"differing_bytes": 3})]
    told = found.as_json()
    assert not told["same"] and told["by_nature"][0]["item"] == "start_ns"
    assert [each["count"] for each in told["components"]] == [0, 1]
    assert told["components"][1]["differences"][0]["differing_bytes"] == 3
