"""List scheduling: what is promised can be had, and no order is worse than its bounds allow."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rex.multiversion.scheduling import ORDERS, EntryOrder, choose_order, predict_s
from rex.multiversion.tree import ExecutionTree, Node

TESTS = Path(__file__).parents[2]
sys.path.insert(0, str(TESTS.parent / "bench"))

import trees  # noqa: E402

REAL = TESTS / "data" / "trees" / "chex"
PLENTY = 1 << 60
# Two branches of a shared cell; one of them parts again.
SMALL = ExecutionTree([Node("a", None, 4.0, 10), Node("b", "a", 3.0, 10), Node("c", "a", 1.0, 10),
                       Node("d", "b", 2.0, 10), Node("e", "b", 5.0, 10)])


@pytest.mark.parametrize("order", ORDERS)
def test_one_process_with_room_computes_every_cell_once(order: str) -> None:
    assert predict_s(SMALL, PLENTY, 1, order) == SMALL.total_s == 15
    assert predict_s(SMALL, 0, 1, order) == SMALL.sequential_s == 26


@pytest.mark.parametrize("order", ORDERS)
def test_two_processes(order: str) -> None:
    """One goes a, b, e; the other takes c from a's checkpoint, then d from b's."""
    assert predict_s(SMALL, PLENTY, 2, order) == 12
    assert predict_s(SMALL, 10, 2, order) >= 12


@pytest.mark.parametrize("kind", ["CI", "DI", "AN"])
@pytest.mark.parametrize("workers", [2, 4, 8])
def test_list_scheduling_is_within_twice_the_bound(kind: str, workers: int) -> None:
    tree = trees.grow_bushy(kind, 40, 1)
    order, seconds = choose_order(tree, PLENTY, workers)
    longest = max(order.remaining_s[root] for root in tree.roots)
    assert max(tree.total_s / workers, longest) <= seconds + 1e-6 <= tree.total_s / workers + longest
    assert seconds == min(predict_s(tree, PLENTY, workers, each) for each in ORDERS)


def test_what_is_chosen() -> None:
    assert EntryOrder(SMALL, "longest").choose(["c", "d"], {}) == "d"
    assert EntryOrder(SMALL, "deepest").choose(["b", "d"], {}) == "d"
    assert EntryOrder(SMALL, "nearly done").choose(["c", "e"], {"a": 1, "b": 2}) == "c"


@pytest.mark.parametrize("name, least", [("ML1", 4.5), ("ML2", 9), ("ML3", 7.5), ("ML4", 4.5), ("SC1", 3.9), ("SC2", 14)])
def test_four_processes_on_the_real_trees(name: str, least: float) -> None:
    tree = ExecutionTree.load(REAL / f"{name}.json")
    assert tree.sequential_s / choose_order(tree, 4 * tree.largest_bytes, 4)[1] >= least
