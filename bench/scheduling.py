"""Versions side by side: what list scheduling promises, and what `rex replay --all -j N` makes of it.

    python bench/scheduling.py [--measure] [TREE.json...]

Trees are simulated by the rules of rex/multiversion/scheduling.py with a cache of 4 times the largest
checkpoint: speed-up over one by one, and how far it is from the bound max(all cells once / N, longest
version). With --measure, versions whose cells sleep are replayed too, since those do not mind what
else the machine does: sleeping cells show what the executor itself loses.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from rex.multiversion.merge import merge                   # noqa: E402
from rex.multiversion.scheduling import ORDERS, EntryOrder, choose_order   # noqa: E402
from rex.multiversion.tree import ExecutionTree            # noqa: E402
from rex.multiversion.versions import load_versions        # noqa: E402

WORKERS = (1, 2, 4, 8)


def longest_s(tree: ExecutionTree) -> float:
    """Seconds of the longest version: no number of workers is faster."""
    order = EntryOrder(tree, ORDERS[0])
    return max(order.remaining_s[root] for root in tree.roots)


def predict(tree: ExecutionTree) -> list[str]:
    """Per number of workers: speed-up over one by one, and seconds over the bound."""
    found = []
    for workers in WORKERS:
        seconds = choose_order(tree, 4 * tree.largest_bytes, workers)[1]
        bound = max(tree.total_s / workers, longest_s(tree))
        found.append(f"{tree.sequential_s / seconds:.1f} ({seconds / bound:.2f})")
    return found


# ------------------------------------------------------------------ measured

def record_sleepers(archive: Path, place: Path, count: int = 12, cells: int = 6) -> None:
    """Versions of a script whose cells sleep; each changes one cell of an earlier one."""
    chance = random.Random(5)
    versions = [[round(chance.uniform(0.3, 1.5), 3) for _ in range(cells)]]
    while len(versions) < count:
        changed = list(chance.choice(versions))
        at = chance.randrange(1, cells)
        changed[at:] = [round(chance.uniform(0.3, 1.5), 3) for _ in changed[at:]]
        versions.append(changed)
    for seconds in versions:
        text = "import time\n" + "".join(f"# %%\ntime.sleep({each})\n" for each in seconds)
        (place / "sleeps.py").write_text(text)
        rex("record", "--cells", "-q", "-l", str(archive), "--", "sleeps.py", cwd=place)


def rex(*words: str, cwd: Path) -> str:
    done = subprocess.run([sys.executable, "-m", "rex.cli.main", *words], cwd=cwd, text=True, stdout=subprocess.PIPE,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
    return done.stdout


def measure() -> None:
    """Wall-clock seconds of whole commands beside what the simulation says."""
    print("\n| workers | predicted | measured | identical |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="rex-bench-") as name:
        place = Path(name)
        record_sleepers(place / "archive", place)
        tree = merge(load_versions(str(place / "archive"))[1]).execution
        for workers in WORKERS:
            predicted = choose_order(tree, 1 << 40, workers)[1] if workers > 1 else tree.total_s
            told = json.loads(rex("replay", "-l", str(place / "archive"), "--all", "--check", "--json", "-q", "-j", str(workers),
                                  "--cache", "1G", "-o", f"out{workers}", cwd=place))
            print(f"| {workers} | {predicted:.1f} s | {told['wall']:.1f} s | {told['identical']} |", flush=True)
        print(f"\n{len(tree.leaves)} versions, {len(tree.by_id)} cells that sleep, {tree.sequential_s:.1f} s one by one, "
              f"{longest_s(tree):.1f} s the longest")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="*", type=Path, help="trees as JSON, or archives of versions")
    parser.add_argument("--measure", action="store_true")
    wanted = parser.parse_args()
    if wanted.trees:
        print("| tree | " + " | ".join(f"{n} workers" for n in WORKERS) + " |\n|---|" + "---|" * len(WORKERS))
    for path in wanted.trees:
        tree = merge(load_versions(str(path))[1]).execution if path.is_dir() else ExecutionTree.load(path)
        print(f"| {path.stem} | {' | '.join(predict(tree))} |", flush=True)
    if wanted.measure:
        measure()


if __name__ == "__main__":
    main()
