"""What a short command and a large new file cost: seconds, and ratios to another checkout of Rex in the same rounds.

    python bench/start.py [--runs 11] [--against CHECKOUT] [--megabytes 100]

Each row is a median over the rounds, in which every command runs once for each checkout. Files are new to the cache in every round;
what recordings of /bin/true use is in it. The first round, which fills caches, does not count.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from run import ROOT, Cost, machine


def costs_of(command: list[str], checkout: str, cache: str, cwd: str) -> Cost:
    """Run a command with the modules of a checkout; what it costs."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, "PYTHONPATH": checkout, "REX_CACHE": cache})
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"failed: {' '.join(command)}")
    return Cost(time.perf_counter() - begin, used.ru_utime + used.ru_stime)


def files(top: str, size: int) -> dict[str, str]:
    """A file of random bytes and one of words."""
    choose = random.Random(1)
    words = ["".join(choose.choices("abcdefghijklmnopqrstuvwxyz", k=choose.randint(2, 9))) for _ in range(20000)]
    made = {name: os.path.join(top, name) for name in ("noise", "words")}
    with open(made["noise"], "wb") as noise, open(made["words"], "w", encoding="ascii") as text:
        for _ in range(size >> 20):
            noise.write(os.urandom(1 << 20))
            text.write(" ".join(choose.choices(words, k=200_000))[:1 << 20])
    return made


def rounds(top: str, checkouts: list[str], runs: int, size: int) -> dict[str, list[list[Cost]]]:
    """By row: for each round the costs with each checkout."""
    python, rex = sys.executable, [sys.executable, "-m", "rex.cli.main"]
    large, kept, fresh, out = files(top, size), os.path.join(top, "kept"), os.path.join(top, "fresh"), os.path.join(top, "out")
    cache, empty = os.path.join(top, "cache"), os.path.join(top, "empty")
    rows = {"python -c 0": ([python, "-c", "0"], cache),
            "record true, again": ([*rex, "record", "-l", kept, "--", "/bin/true"], cache),
            "record true, new archive": ([*rex, "record", "-l", fresh, "--", "/bin/true"], cache),
            "replay true": ([*rex, "replay", "-l", kept, "-e", "exp0", "-o", out], cache),
            **{f"record {size >> 20} MB of {name}": ([*rex, "record", "-l", fresh, "--", "head", "-c", "1", path], empty)
               for name, path in large.items()}}
    found: dict[str, list[list[Cost]]] = {name: [] for name in rows}
    for number in range(runs + 1):
        for name, (command, place) in rows.items():
            costs = []
            for checkout in checkouts:
                for path in (fresh, out, empty):
                    shutil.rmtree(path, ignore_errors=True)
                costs.append(costs_of(command, checkout, place, top))
            if number:
                found[name].append(costs)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--against", metavar="CHECKOUT", help="with an engine that was built there")
    parser.add_argument("--megabytes", type=int, default=100)
    args = parser.parse_args()
    checkouts = [ROOT, *([os.path.abspath(args.against)] if args.against else [])]
    print(machine())
    print(f"{'':<28}{'wall s':>8}{'cpu s':>8}{'wall, ratio':>13}{'cpu, ratio':>12}")
    with tempfile.TemporaryDirectory(prefix="rex-bench-") as top:
        for name, found in rounds(top, checkouts, args.runs, args.megabytes << 20).items():
            seconds = [statistics.median(getattr(costs[0], kind) for costs in found) for kind in ("wall_s", "cpu_s")]
            ratios = [statistics.median(getattr(costs[0], kind) / max(1e-3, getattr(costs[-1], kind)) for costs in found)
                      for kind in ("wall_s", "cpu_s")] if args.against else []
            print(f"{name:<28}{seconds[0]:>8.3f}{seconds[1]:>8.3f}" + "".join(f"{ratio:>12.2f}" for ratio in ratios))


if __name__ == "__main__":
    main()
