"""Orders are valid, and are the ones their names promise."""

from __future__ import annotations

import random

import pytest

from rex.workflow.dag import Schedule
from rex.workflow.linearize import (ancestor_weights, breadth_first, depth_first, descendant_weights,
                                    linearize, post_orders, random_first, successor_weights)
from rex.workflow.shapes import generate, random_dag

from .examples import make_dag


@pytest.mark.parametrize("seed", range(30))
def test_every_order_is_valid(seed: int) -> None:
    dag = random_dag(random.Random(seed).randint(1, 20), random.Random(seed), 0.2)
    orders = [linearize(dag, name, seed) for name in ("DF", "BF", "RF", "DFall", "BFall")] + list(post_orders(dag).values())
    for order in orders:
        Schedule(order, frozenset()).check(dag)


def test_distinct_descendants_count_once() -> None:
    diamond = make_dag([1.0, 2.0, 4.0, 8.0], [(), (0,), (0,), (1, 2)])
    assert descendant_weights(diamond) == [14.0, 8.0, 8.0, 0.0]
    assert ancestor_weights(diamond) == [0.0, 1.0, 1.0, 7.0]
    assert successor_weights(diamond) == [6.0, 8.0, 8.0, 0.0]


def test_df_looks_one_step_ahead_and_dfall_to_the_end() -> None:
    light_then_heavy = make_dag([1.0, 1.0, 2.0, 1.0, 9.0], [(), (), (0,), (1,), (3,)])
    assert linearize(light_then_heavy, "DF") == (0, 2, 1, 3, 4)
    assert linearize(light_then_heavy, "DFall") == (1, 3, 4, 0, 2)
    assert linearize(light_then_heavy, "BF")[:2] == (0, 1) and linearize(light_then_heavy, "BFall")[:2] == (1, 0)


def test_depth_first_follows_and_breadth_first_levels() -> None:
    two_chains = make_dag([1.0, 1.0, 1.0, 5.0], [(), (), (0,), (1,)])
    below = descendant_weights(two_chains)
    assert depth_first(two_chains, below) == (1, 3, 0, 2)
    assert breadth_first(two_chains, below) == (1, 0, 3, 2)


def test_post_orders_finish_one_exit_first() -> None:
    dag = generate("LIGO", 100)
    for order in post_orders(dag).values():
        position = {task: i for i, task in enumerate(order)}
        first = min(dag.exits, key=position.__getitem__)
        before = set(order[:position[first]])
        above, stack = set(), [first]
        while stack:
            for pred in dag.preds[stack.pop()]:
                if pred not in above:
                    above.add(pred)
                    stack.append(pred)
        assert before == above


def test_random_orders_follow_the_seed() -> None:
    dag = generate("Montage", 50)
    assert random_first(dag, 1) == random_first(dag, 1) != random_first(dag, 2)


def test_deep_graphs_need_no_recursion() -> None:
    dag = make_dag([1.0] * 3000, [(i - 1,) if i else () for i in range(3000)])
    assert linearize(dag, "DF") == tuple(range(3000))
    assert next(iter(post_orders(dag).values())) == tuple(range(3000))
