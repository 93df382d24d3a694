"""What recording and replaying programs cost, and what other tracers cost on them: the tables of docs/performance.md.

    python bench/programs.py [--runs 5] [--peers] [--limit 20] [--json FILE] [FOLDER [NAME...]]

FOLDER has one folder for each program: its inputs, and a file `command`, a line that sh executes in a copy of that
folder. Without FOLDER the commands below run. In every round each program runs plainly, is recorded into a fresh archive,
and is replayed; ratios are medians over the rounds, the first of which, that fills caches, does not count. Rex's own
processor time counts.

With --peers each tracer that is installed takes its turn in every round that counts: strace of all calls and of those on
files, `reprozip trace` and `care`. Their columns are processor time. A tracer that takes longer than the limit is stopped, and
the limit counts as its time; "-" is a program that fails under it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from typing import Iterator

from run import REX, Cost, machine, prepare, timed

PLACE = "/var/tmp"        # care hides /tmp
HEADS = ["plain cpu s", "record wall", "record cpu", "more s", "replay wall", "replay cpu"]
COMMANDS = {
    "compute": "awk 'BEGIN { for (i = 0; i < 30000000; i++) s += i % 7; print s }'",
    "queries": "python3 -c \"import os, time\nfor i in range(10000): os.stat('data.txt'); time.time()\"",
    "files": "find tree -type f | sort | xargs cat | wc -c; grep -rl 7 tree | wc -l",
    "forks": "i=0; while [ $i -lt 100 ]; do /bin/echo $i; i=$((i+1)); done | tail -1",
    "text": "sort data.txt | uniq -c | sort -rn | head -20; while read -r a b c; do :; done < data.txt",
    "gcc": "make -s -j2 -f - <<'EOF'\nall: $(patsubst %.c,%.o,$(wildcard *.c))\n%.o: %.c\n\t@gcc -O2 -c $< -o $@\nEOF",
    "python": "python3 -c 'import json, email, asyncio, sqlite3, unittest; print(1)'",
}


def make_programs(folder: str) -> None:
    """A folder for each of the commands."""
    for name, command in COMMANDS.items():
        own = os.path.join(folder, name)
        os.mkdir(own)
        if name in ("queries", "files", "text"):
            prepare(own)
        for i in range(8 if name == "gcc" else 0):
            with open(os.path.join(own, f"part{i}.c"), "w", encoding="ascii") as file:
                file.write("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n")
                file.writelines(f"int f{i}_{k}(int x) {{ char b[64]; snprintf(b, sizeof b, \"%d\", x); return atoi(b) * {k}; }}\n"
                                for k in range(120))
        with open(os.path.join(own, "command"), "w", encoding="ascii") as file:
            file.write(command)


def peers(top: str) -> dict[str, list[str]]:
    """Name -> what comes before the command to run it under that tracer."""
    beside = os.path.dirname(sys.executable)
    lines = {
        "strace": ["strace", "-f", "-o", os.devnull],
        "strace files": ["strace", "-f", "--seccomp-bpf", "-e", "trace=%file", "-o", os.devnull],
        "reprozip": ["reprozip", "trace", "--overwrite", "-d", os.path.join(top, "reprozip")],
        "care": ["care", "-o", os.path.join(top, "care") + "/"],
    }
    found = {name: shutil.which(line[0]) or shutil.which(line[0], path=beside) for name, line in lines.items()}
    return {name: [program, *lines[name][1:]] for name, program in found.items() if program}


def rounds(source: str, top: str, runs: int, tracers: dict[str, list[str]], limit: float) -> Iterator[dict[str, Cost | None]]:
    """The costs of each round, by "plain", "record", "replay" and the tracers' names; None: it fails."""
    with open(os.path.join(source, "command"), encoding="utf-8") as file:
        shell = ["sh", "-c", file.read().strip()]
    work, archive, out = (os.path.join(top, name) for name in ("work", "archive", "out"))

    def fresh(command: list[str], limit: float | None = None) -> Cost | None:
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(source, work, symlinks=True)
        try:
            return timed(command, work, limit)
        except subprocess.CalledProcessError:
            return None
        except subprocess.TimeoutExpired as error:
            return Cost(error.timeout, error.timeout)

    for i in range(runs + 1):
        for path in (archive, out, *(os.path.join(top, name) for name in tracers)):
            shutil.rmtree(path, ignore_errors=True)
        costs = {"plain": fresh(shell), "record": fresh([*REX, "record", "-q", "-l", archive, "--", *shell])}
        costs["replay"] = timed([*REX, "replay", "-q", "-l", archive, "-o", out], top)
        if i:
            yield costs | {name: fresh([*line, *shell], limit) for name, line in tracers.items()}


def row_of(costs: list[dict[str, Cost | None]], tracers: list[str]) -> dict[str, float]:
    """Seconds of the plain run, and ratios to it; NaN: it fails in a round."""
    def median(of: str, kind: str, is_ratio: bool = True) -> float:
        pairs = [(getattr(round_[of], kind, math.nan), getattr(round_["plain"], kind, math.nan)) for round_ in costs]
        values = [value / max(plain, 1e-3) if is_ratio else value - plain for value, plain in pairs]
        return math.nan if any(map(math.isnan, values)) else statistics.median(values)

    plain = statistics.median(round_["plain"].cpu_s if round_["plain"] else math.nan for round_ in costs)
    values = [plain, median("record", "wall_s"), median("record", "cpu_s"), median("record", "cpu_s", is_ratio=False),
              median("replay", "wall_s"), median("replay", "cpu_s"), *(median(name, "cpu_s") for name in tracers)]
    return dict(zip([*HEADS, *tracers], values))


def print_row(name: str, values: list[float]) -> None:
    print("| " + " | ".join([name, *("-" if math.isnan(value) else f"{value:.2f}" for value in values)]) + " |", flush=True)


def print_means(rows: dict[str, dict[str, float]], tracers: list[str]) -> None:
    """Geometric means: of all programs, of the longer ones, and of those that run under each tracer, beside Rex on the same."""
    chosen = {"all": list(rows.values()), "those of 0.8 s or more": [row for row in rows.values() if row["plain cpu s"] >= 0.8]}
    chosen |= {f"those that run under {name}": [row for row in rows.values() if not math.isnan(row[name])] for name in tracers}
    for what, some in chosen.items():
        if some and (what == "all" or len(some) < len(rows)):
            print_row(f"geometric mean of {what} ({len(some)})", [
                math.nan if any(math.isnan(row[head]) for row in some) else statistics.geometric_mean(max(row[head], 1e-3) for row in some)
                for head in [*HEADS, *tracers]])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these programs")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peers", action="store_true", help="beside strace, reprozip and care")
    parser.add_argument("--limit", type=float, default=20, help="seconds after which another tracer's run is stopped")
    parser.add_argument("--json", help="also write the rows to this file")
    args = parser.parse_args()
    os.environ["PROOT_NO_SECCOMP"] = "1"       # else care crashes on newer kernels
    print(machine())
    rows: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="rex-bench-", dir=PLACE) as made:
        if not args.folder:
            make_programs(made)
        folder = args.folder or made
        tracers = list(peers("")) if args.peers else []
        heads = ["program", *HEADS, *tracers]
        print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
        for name in args.names or sorted(os.listdir(folder)):
            with tempfile.TemporaryDirectory(prefix="rex-bench-", dir=PLACE) as top:
                costs = list(rounds(os.path.join(folder, name), top, args.runs, peers(top) if args.peers else {}, args.limit))
            rows[name] = row_of(costs, tracers)
            print_row(name, list(rows[name].values()))
    print_means(rows, tracers)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine(), "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
