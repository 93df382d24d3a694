"""Versions become one tree: equal lineages are one node."""

from __future__ import annotations

from rex.multiversion.merge import merge, reasons

from .versions import make_version


def test_common_prefixes_are_one_node() -> None:
    tree = merge([make_version("v0", ["a", "b", "c"]), make_version("v1", ["a", "b", "d"]),
                  make_version("v2", ["a", "e"])])
    assert list(tree.nodes) == ["1", "2a", "3a", "3b", "2b"]
    assert tree.ends == {"v0": "3a", "v1": "3b", "v2": "2b"}
    assert tree.path("3b") == ["1", "2a", "3b"]
    assert [version.name for version, _ in tree.nodes["2a"].members] == ["v0", "v1"]


def test_one_cell_that_differs_parts_all_that_follow() -> None:
    tree = merge([make_version("v0", ["a", "b", "c"]), make_version("v1", ["x", "b", "c"])])
    assert len(tree.nodes) == 6


def test_equal_versions_end_at_one_node_and_a_version_may_end_inside_another() -> None:
    tree = merge([make_version("v0", ["a", "b"]), make_version("v1", ["a", "b"]), make_version("v2", ["a"])])
    assert tree.ends == {"v0": "2", "v1": "2", "v2": "1"}
    assert tree.versions_at("2") == ["v0", "v1"]


def test_equal_cells_of_very_different_cost_are_not_merged() -> None:
    slow = {1: {"seconds": 30.0}}
    tree = merge([make_version("v0", ["a", "b"]), make_version("v1", ["a", "b"], facts=slow),
                  make_version("v2", ["a", "b"])])
    assert tree.ends == {"v0": "2a", "v1": "2b", "v2": "2a"}
    assert "30 s" in reasons(tree.nodes["2b"], tree.nodes["2a"])[0]


def test_large_states_are_not_merged_with_small_ones() -> None:
    large = {1: {"size_bytes": 4 << 30}}
    tree = merge([make_version("v0", ["a", "b"]), make_version("v1", ["a", "b"], facts=large)])
    assert tree.ends["v0"] != tree.ends["v1"]


def test_costs_are_medians_and_sizes_the_largest() -> None:
    tree = merge([make_version(f"v{i}", ["a"], facts={0: {"seconds": s, "size_bytes": b}})
                  for i, (s, b) in enumerate([(1.0, 10), (2.0, 30), (1.5, 20)])])
    node = tree.execution.by_id["1"]
    assert (node.cost_s, node.size_bytes) == (1.5, 30)


def test_what_cannot_be_forked_has_no_size() -> None:
    tree = merge([make_version("v0", ["a", "b"], facts={0: {"unforkable": "it has an open socket"}})])
    assert tree.execution.by_id["1"].size_bytes is None


def test_reasons_name_the_changed_line_or_what_was_read() -> None:
    versions = [make_version("v0", ["x = 1\ny = 2"]), make_version("v1", ["x = 1\ny = 3"]),
                make_version("v2", ["x = 1\ny = 2"], facts={0: {"events": "other", "files": {"/d.csv": "22"}}})]
    versions[0].cells[0].files = {"/d.csv": "11"}
    tree = merge(versions)
    first = tree.nodes["1a"]
    assert reasons(tree.nodes["1b"], first) == ["-y = 2", "+y = 3"]
    assert reasons(tree.nodes["1c"], first) == ["file /d.csv"]
