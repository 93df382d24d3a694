"""What recording and replaying real programs cost: the table of docs/performance.md.

    python bench/programs.py [--runs 5] [--json FILE] FOLDER [NAME...]

FOLDER has one folder for each program: its inputs, and a file `command`, a line that sh executes in a copy of that
folder. In every round each program runs plainly, is recorded into a fresh archive, and is replayed; ratios are medians
over the rounds, the first of which, that fills caches, does not count. Rex's own processor time counts.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile

from run import REX, Cost, machine, timed

HEADS = ["program", "plain cpu s", "record wall", "record cpu", "more s", "replay wall", "replay cpu"]


def rounds(source: str, top: str, runs: int) -> list[tuple[Cost, Cost, Cost]]:
    """Plain, recorded and replayed: one triple a round."""
    with open(os.path.join(source, "command"), encoding="utf-8") as file:
        shell = ["sh", "-c", file.read().strip()]
    work, archive, out = (os.path.join(top, name) for name in ("work", "archive", "out"))
    costs = []
    for _ in range(runs + 1):
        for path in (work, archive, out):
            shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(source, work, symlinks=True)
        plain = timed(shell, work)
        shutil.rmtree(work)
        shutil.copytree(source, work, symlinks=True)
        record = timed([*REX, "record", "-q", "-l", archive, "--", *shell], work)
        costs.append((plain, record, timed([*REX, "replay", "-q", "-l", archive, "-o", out], top)))
    return costs[1:]


def row_of(costs: list[tuple[Cost, Cost, Cost]]) -> dict[str, float]:
    """HEADS without the name: seconds of the plain run, and ratios to it."""
    def ratio(of: int, kind: str) -> float:
        return statistics.median(getattr(costs_[of], kind) / max(getattr(costs_[0], kind), 1e-3) for costs_ in costs)

    return dict(zip(HEADS[1:], [
        statistics.median(plain.cpu_s for plain, _, _ in costs), ratio(1, "wall_s"), ratio(1, "cpu_s"),
        statistics.median(record.cpu_s - plain.cpu_s for plain, record, _ in costs), ratio(2, "wall_s"), ratio(2, "cpu_s")]))


def print_row(name: str, row: dict[str, float]) -> None:
    print("| " + " | ".join([name, *(f"{value:.2f}" for value in row.values())]) + " |", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these programs")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", help="also write the rows to this file")
    args = parser.parse_args()
    print(machine())
    print("| " + " | ".join(HEADS) + " |\n" + "|---" * len(HEADS) + "|")
    rows = {}
    for name in args.names or sorted(os.listdir(args.folder)):
        with tempfile.TemporaryDirectory(prefix="rex-bench-") as top:
            rows[name] = row_of(rounds(os.path.join(args.folder, name), top, args.runs))
        print_row(name, rows[name])
    for what, chosen in (("of all", rows), ("of those of 0.8 s or more", {
            name: row for name, row in rows.items() if row["plain cpu s"] >= 0.8})):
        if chosen:
            print_row(f"geometric mean {what} ({len(chosen)})", {
                head: statistics.geometric_mean(max(row[head], 1e-3) for row in chosen.values()) for head in HEADS[1:]})
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine(), "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
