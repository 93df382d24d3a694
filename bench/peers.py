"""What recording costs beside other tracers on the same commands: processor time, as ratios to a plain run.

    python bench/peers.py [--runs 5] [--json FILE] [--dir DIR] [--] [COMMAND...]

Without COMMAND, the commands below in a folder with inputs of their own; with one, that command
in DIR. Each tracer that is installed takes its turn in every round, and the medians of the
ratios are printed: `rex` into a fresh archive, `rex again` into one that has recorded the
command before, `strace -f --seccomp-bpf -e trace=%file`, `reprozip trace`, `care` (which hides /tmp: set TMPDIR).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from typing import Callable

from run import REX, ROOT, machine, prepare, timed

COMMANDS = {
    "compute": "awk 'BEGIN { for (i = 0; i < 30000000; i++) s += i % 7; print s }'",
    "queries": "python3 -c \"import os, time\nfor i in range(10000): os.stat('data.txt'); time.time()\"",
    "files": "find tree -type f | sort | xargs cat | wc -c; grep -rl 7 tree | wc -l",
    "forks": "i=0; while [ $i -lt 100 ]; do /bin/echo $i; i=$((i+1)); done | tail -1",
    "text": "sort data.txt | uniq -c | sort -rn | head -20; while read -r a b c; do :; done < data.txt",
    "gcc": "rm -f *.o; make -s -j2 -f - <<'EOF'\nall: $(patsubst %.c,%.o,$(wildcard *.c))\n%.o: %.c\n\t@gcc -O2 -c $< -o $@\nEOF",
    "python": "python3 -c 'import json, email, asyncio, sqlite3, unittest; print(1)'",
}


def tracers(top: str) -> dict[str, Callable[[list[str], int], list[str]]]:
    """Name -> the command line that runs a command under it; the number is of the round."""
    found: dict[str, Callable[[list[str], int], list[str]]] = {
        "rex": lambda command, i: [*REX, "record", "-q", "-l", os.path.join(top, f"fresh{i}"), "--", *command],
        "rex again": lambda command, i: [*REX, "record", "-q", "-l", os.path.join(top, "kept"), "--", *command]}
    if strace := shutil.which("strace"):
        found["strace"] = lambda command, i: [strace, "-f", "--seccomp-bpf", "-e", "trace=%file", "-o", os.devnull, *command]
    if reprozip := shutil.which("reprozip") or shutil.which("reprozip", path=os.path.dirname(sys.executable)):
        found["reprozip"] = lambda command, i: [reprozip, "trace", "--overwrite", "-d", os.path.join(top, "reprozip"), *command]
    if care := shutil.which("care"):
        found["care"] = lambda command, i: [care, "-o", os.path.join(top, f"care{i}/"), *command]
    return found


def measure(command: list[str], cwd: str, runs: int, top: str) -> dict[str, float]:
    """Seconds of processor time of the plain run, and the ratio of each tracer's to it: medians over the rounds."""
    ratios: dict[str, list[float]] = {"plain": []}
    timed([*REX, "record", "-q", "-l", os.path.join(top, "kept"), "--", *command], cwd)
    for i in range(runs):
        plain = timed(command, cwd).cpu_s
        ratios["plain"].append(plain)
        for name, line in tracers(top).items():
            try:
                ratios.setdefault(name, []).append(timed(line(command, i), cwd).cpu_s / max(plain, 1e-3))
            except subprocess.CalledProcessError:
                ratios[name].append(float("nan"))      # it cannot run this
        shutil.rmtree(os.path.join(top, f"fresh{i}"), ignore_errors=True)
    shutil.rmtree(os.path.join(top, "kept"))
    return {name: statistics.median(values) for name, values in ratios.items()}


def make_sources(folder: str) -> None:
    for i in range(8):
        with open(os.path.join(folder, f"part{i}.c"), "w", encoding="ascii") as file:
            file.write("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n")
            file.writelines(f"int f{i}_{k}(int x) {{ char b[64]; snprintf(b, sizeof b, \"%d\", x); return atoi(b) * {k}; }}\n"
                            for k in range(120))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", help="also write the rows to this file")
    parser.add_argument("--dir", default=".", help="where COMMAND runs")
    parser.add_argument("command", nargs="*", metavar="COMMAND")
    args = parser.parse_args()
    print(machine())
    rows = {}
    with tempfile.TemporaryDirectory(prefix="rex-bench-") as top:
        work = os.path.join(top, "work")
        os.mkdir(work)
        prepare(work)
        make_sources(work)
        todo = {"command": (args.command, args.dir)} if args.command else {
            name: (["sh", "-c", line], work) for name, line in COMMANDS.items()}
        names = list(tracers(top))
        print(f"{'':<10}{'plain s':>9}" + "".join(f"{name:>11}" for name in names))
        for name, (command, cwd) in todo.items():
            row = rows[name] = measure(command, cwd, args.runs, top)
            print(f"{name:<10}{row['plain']:>9.3f}" + "".join(f"{row[tracer]:>10.2f}x" for tracer in names), flush=True)
    means = {tracer: statistics.geometric_mean(row[tracer] for row in rows.values()) for tracer in names}
    print(f"{'geo. mean':<19}" + "".join(f"{means[tracer]:>10.2f}x" for tracer in names))
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine(), "root": os.path.basename(ROOT), "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
