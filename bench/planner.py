"""Tables of the planner: cost, certified gap and seconds.

    python bench/planner.py [FOLDER]

FOLDER holds execution trees as JSON files (the CHEX paper's six, where you
have them); without it only the seeded trees of bench/trees.py are planned.
Every plan is checked.
"""

from __future__ import annotations

import platform
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rex.multiversion.planners import Plan, make_plan  # noqa: E402
from rex.multiversion.sequence import check  # noqa: E402
from rex.multiversion.tree import ExecutionTree  # noqa: E402
from trees import DRAWS, grow_bushy, grow_caterpillar, grow_edits  # noqa: E402

OTHERS = ("pc", "prp-v1", "prp-v2", "lfu")


def measure(tree: ExecutionTree, times: float, algorithm: str = "best") -> tuple[Plan, float]:
    """A checked plan and the CPU seconds it took."""
    budget_bytes = int(times * tree.largest_bytes)
    started = time.process_time()
    plan = make_plan(tree, budget_bytes, algorithm)
    seconds = time.process_time() - started
    check(tree, plan.sequence.ops, budget_bytes)
    return plan, seconds


def print_real(folder: Path) -> None:
    """Cost in percent of running every version from its start."""
    print("\n| tree | cache | best | gap % | " + " | ".join(OTHERS) + " | plan s |")
    print("|---|---|---|---|" + "---|" * len(OTHERS) + "---|")
    for path in sorted(folder.glob("*.json")):
        tree = ExecutionTree.load(path)
        for times in (0.25, 0.5, 1, 2, 4):
            best, seconds = measure(tree, times)
            costs = [best.cost_s] + [measure(tree, times, name)[0].cost_s for name in OTHERS]
            shares = [f"{100 * cost / best.sequential_s:.2f}" for cost in costs]
            print(f"| {path.stem} | {times}x | {shares[0]} | {100 * best.gap:.4f} | "
                  f"{' | '.join(shares[1:])} | {seconds:.2f} |", flush=True)


def print_gaps(seeds: int = 3) -> None:
    """Largest certified gap and seconds over a few seeds."""
    print("\n| trees | versions | nodes | gap % at 1x | 2x | 4x | best/pc at 1x | most plan s |")
    print("|---|---|---|---|---|---|---|---|")
    for kind in DRAWS:
        for grow in (grow_bushy, grow_edits):
            for versions in (20, 100, 300, 500):
                gaps, slowest, ratio, nodes = [], 0.0, 1.0, 0
                grown = [grow(kind, versions, seed) for seed in range(1, seeds + 1)]
                for times in (1, 2, 4):
                    found = [measure(tree, times) for tree in grown]
                    gaps.append(f"{100 * max(plan.gap for plan, _ in found):.2f}")
                    slowest = max([slowest] + [seconds for _, seconds in found])
                    nodes = max(len(tree.by_id) for tree in grown)
                    if times == 1:
                        ratio = min(plan.cost_s / measure(tree, 1, "pc")[0].cost_s
                                    for tree, (plan, _) in zip(grown, found))
                print(f"| {kind} {grow.__name__[5:]} | {versions} | {nodes} | {' | '.join(gaps)} | "
                      f"{ratio:.4f} | {slowest:.2f} |", flush=True)


def print_sizes() -> None:
    """Seconds on large trees."""
    print("\n| tree | nodes | cache | gap % | plan s |")
    print("|---|---|---|---|---|")
    large = [(f"{kind} bushy", grow_bushy(kind, versions, 1)) for versions in (660, 6600) for kind in DRAWS]
    large += [(f"{kind} edits", grow_edits(kind, versions, 1)) for versions in (135, 1350) for kind in DRAWS]
    large += [(f"caterpillar of {height}", grow_caterpillar(height, 1)) for height in (500, 5000)]
    for name, tree in large:
        for times in (1, 2):
            plan, seconds = measure(tree, times)
            print(f"| {name} | {len(tree.by_id)} | {times}x | {100 * plan.gap:.2f} | {seconds:.2f} |", flush=True)


def main() -> None:
    print(f"{platform.machine()}, {platform.system()} {platform.release()}, Python {platform.python_version()}; "
          "one core, CPU seconds")
    if len(sys.argv) > 1:
        print_real(Path(sys.argv[1]))
    print_gaps()
    print_sizes()


if __name__ == "__main__":
    main()
