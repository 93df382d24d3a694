"""Manne et al., CHEX, PVLDB 15(6), 2022: planners on the six real trees and on those of Table 2; versions in a time; online plans."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterable
from pathlib import Path

from page import Panel, plot, table, write_csv
from rex.errors import UsageError
from rex.multiversion.planners import make_plan, plan_deadline
from rex.multiversion.tree import ExecutionTree
from trees import MIB, PUBLISHED, grow_published

PLANNERS = ("lfu", "prp-v1", "prp-v2", "pc", "best")
TIMES = (0.25, 0.5, 1, 2, 4)
CACHES = tuple(range(0, 2501, 250))     # MiB
SEEDS = range(5)
REAL = Path(__file__).resolve().parents[2] / "tests" / "data" / "trees" / "chex"


def real_trees() -> dict[str, ExecutionTree]:
    """The six trees of the paper's Table 1."""
    return {path.stem: ExecutionTree.load(path) for path in sorted(REAL.glob("*.json"))}


def costs(tree: ExecutionTree, budget_bytes: int) -> dict[str, float]:
    """Seconds of each planner's plan, and the bound."""
    plans = {name: make_plan(tree, budget_bytes, name) for name in PLANNERS}
    return {**{name: plan.cost_s for name, plan in plans.items()}, "bound": plans["best"].lower_bound_s}


def real_table() -> str:
    """Savings on the real trees."""
    rows, numbers = [], []
    for name, tree in real_trees().items():
        for times in TIMES:
            found = costs(tree, int(times * tree.largest_bytes))
            numbers.append((name, times, *(f"{found[each]:.6g}" for each in (*PLANNERS, "bound")), f"{tree.sequential_s:.6g}"))
            if times in (1, 2):
                rows.append((name, f"{times}x", *(f"{100 * found[each] / tree.sequential_s:.1f} %" for each in PLANNERS),
                             "optimal" if found["best"] <= found["bound"] * (1 + 1e-9) else f"{100 * (found['best'] / found['bound'] - 1):.2f} % above the bound"))
    link = write_csv("chex-real.csv", ("tree", "cache_times_largest", *(f"{each}_s" for each in (*PLANNERS, "bound")), "no_cache_s"), numbers)
    saved = {times: statistics.mean(1 - float(row[6]) / float(row[8]) for row in numbers if row[1] == times) for times in TIMES}
    means = ", ".join(f"{100 * share:.0f} % at {times}x" for times, share in saved.items())
    return (f"Seconds in percent of no cache; the cache in times of the largest checkpoint:\n\n{table(('tree', 'cache', *PLANNERS, 'best is'), rows)}\n"
            f"`best` saves on average {means}; the paper reports 50 % on average. All numbers: {link}.\n")


def synthetic_panels() -> Iterable[Panel]:
    """Mean cost against the cache for CI, DI, AN."""
    for kind in PUBLISHED:
        grown = [grow_published(kind, 20, seed) for seed in SEEDS]
        curves: dict[str, list[tuple[float, float]]] = {name: [] for name in PLANNERS}
        for cache in CACHES:
            found = [costs(tree, cache * MIB) for tree in grown]
            for name in PLANNERS:
                curves[name].append((cache / 1024, statistics.mean(each[name] for each in found) / 1000))
        yield kind, "cache, GiB", curves


def count_in_time() -> tuple[Panel, str]:
    """Figure 9a: how many of 32 versions are done in a time, chosen by a deadline or the first ones."""
    grown = [grow_published("AN", 32, seed, height=6) for seed in SEEDS]
    most_s = max(tree.sequential_s for tree in grown)
    curves: dict[str, list[tuple[float, float]]] = {}
    for cache in (0, 512, 1024):
        curves[f"chosen, {cache} MiB"] = [(seconds / 1000, statistics.mean(count_chosen(tree, cache * MIB, seconds) for tree in grown))
                                          for seconds in (most_s * part / 8 for part in range(1, 9))]
        curves[f"first, {cache} MiB"] = [(seconds / 1000, statistics.mean(count_first(tree, cache * MIB, seconds) for tree in grown))
                                         for seconds in (most_s * part / 8 for part in range(1, 9))]
    gain = [(curves[f"first, {cache} MiB"][1][1], curves[f"chosen, {cache} MiB"][1][1]) for cache in (0, 512, 1024)]
    told = " ".join(f"With {cache} MiB it is {first:.1f} and {chosen:.1f}." for cache, (first, chosen) in zip((0, 512, 1024), gain))
    return ("32 versions, AN", "time, 1000 s", curves), f"So many versions fit a quarter of the longest time, as taken in order and as `--deadline` chooses them. {told}"


def count_chosen(tree: ExecutionTree, budget_bytes: int, seconds: float) -> int:
    """Versions that --deadline chooses."""
    try:
        return len(plan_deadline(tree, budget_bytes, seconds, "pc")[0].tree.leaves)
    except UsageError:
        return 0


def count_first(tree: ExecutionTree, budget_bytes: int, seconds: float) -> int:
    """Of the versions in order the most whose plan takes so long, as the paper counts."""
    low, high = 0, len(tree.leaves)
    while low < high:
        middle = (low + high + 1) // 2
        fits = make_plan(tree.only(tree.leaves[:middle]), budget_bytes, "pc").cost_s <= seconds
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


def in_order(tree: ExecutionTree, leaves: list[str]) -> ExecutionTree:
    """The same versions, recorded in this order."""
    seen: dict[str, None] = {}
    for leaf in leaves:
        path = [leaf]
        while (parent := tree.by_id[path[-1]].parent) is not None:
            path.append(parent)
        seen |= dict.fromkeys(reversed(path))
    return ExecutionTree(tree.by_id[name] for name in seen)


def online_table() -> str:
    """Versions that arrive one by one: dearer than the bound by which factor."""
    grown = {"six real trees": list(real_trees().values())}
    grown |= {kind: [grow_published(kind, 20, seed) for seed in SEEDS] for kind in PUBLISHED}
    rows, numbers = [], []
    for name, trees in grown.items():
        for times in (0.5, 1, 2, 4):
            ratios: dict[str, list[float]] = {"near": [], "random": [], "none": []}
            for number, tree in enumerate(trees):
                budget_bytes = int(times * tree.largest_bytes)
                bound_s = make_plan(tree, budget_bytes).lower_bound_s
                shuffled = list(tree.leaves)
                random.Random(number).shuffle(shuffled)
                for order, leaves in (("near", list(tree.leaves)), ("random", shuffled)):
                    ratios[order].append(make_plan(in_order(tree, leaves), budget_bytes, "online").cost_s / bound_s)
                ratios["none"].append(tree.sequential_s / bound_s)
            means = {order: statistics.mean(found) for order, found in ratios.items()}
            numbers += [(name, times, order, f"{means[order]:.4f}", f"{max(found):.4f}") for order, found in ratios.items()]
            rows.append((name, f"{times}x", *(f"{means[order]:.2f} ({max(ratios[order]):.2f})" for order in ratios)))
    link = write_csv("chex-online.csv", ("trees", "cache_times_largest", "order", "mean_ratio", "largest_ratio"), numbers)
    return f"{table(('trees', 'cache', 'neighbours one after another', 'in random order', 'no cache'), rows)}\nAll numbers: {link}.\n"


def planning_table() -> str:
    """Processor seconds of planning, Figure 10."""
    rows = []
    for versions in (5, 10, 20, 32):
        tree = grow_published("AN", versions, 1)
        cells = []
        for name in PLANNERS:
            began = time.process_time()
            make_plan(tree, 1 << 40, name)
            cells.append(f"{1000 * (time.process_time() - began):.1f}")
        rows.append((versions, len(tree.by_id), *cells))
    return table(("versions", "cells", *(f"{name}, ms" for name in PLANNERS)), rows)


def make() -> str:
    """The part of the page."""
    real = real_table()
    print("chex: real trees", flush=True)
    synthetic = list(synthetic_panels())
    print("chex: synthetic trees", flush=True)
    counted, told = count_in_time()
    rows = [(title, name, x, f"{y:.6g}") for title, _, curves in (*synthetic, counted) for name, points in curves.items() for x, y in points]
    link = write_csv("chex-curves.csv", ("panel", "curve", "x", "y"), rows)
    picture = plot("chex-synthetic.png", "cost of the plans of CI, DI and AN trees against the cache", synthetic, "cost, 1000 s", columns=3)
    times = plot("chex-deadline.png", "versions replayed in a time", [counted], "versions", columns=1)
    print("chex: versions in a time", flush=True)
    return (f"**The six real trees** (Table 1).\n\n{real}\n**Trees of Table 2**: 20 versions, each cell with up to four children with probability 50 %, "
            f"height up to 6, means of {len(SEEDS)} trees. All numbers: {link}.\n\n{picture}\n**Versions in a time** (Figure 9a). {told}\n\n{times}\n"
            f"**Planning**: processor time on AN trees, the bound's proof included.\n\n{planning_table()}\n"
            f"**Versions that arrive one by one** (`rex plan --algorithm online`): cost over the lower bound of a plan that knows all, mean and (largest).\n\n{online_table()}")
