"""What a live run costs: python bench/runnew.py [--repeat N] [--json FILE] [NAME...].

Each workload is recorded once; then N rounds of: the command bare, as a new experiment (`live`), and as one that is
recorded (`kept`). Shown are medians of processor seconds of whole processes, tracer and Rex's own Python included (the
machine may be busy), the ratios to the bare run, and Rex's share that does not grow with the run: that of `true`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# name: what it stresses, command run by sh in a folder that make_inputs laid out
WORKLOADS = {
    "true": ("nothing: what Rex itself takes", "true"),
    "compute": ("no system calls", "python3 -S -c 'print(sum(i * i for i in range(20_000_000)))'"),
    "stream": ("large reads and writes", "cat data data data data | tr a-z A-Z > out; sort -n data | tail -1"),
    "spawn": ("a thousand processes", "for i in $(seq 1000); do /bin/true; done"),
    "stat": ("names: looked up, opened, listed", "for i in $(seq 5); do find tree -type f -newer data | wc -l; cat tree/*/* | wc -c; done"),
    "python": ("an interpreter and its modules", "for i in $(seq 5); do python3 -c 'import asyncio, sqlite3, unittest, http.server'; done"),
    "build": ("a compiler, many processes", "for i in $(seq 10); do gcc -O1 -c src/m$i.c -o m$i.o; done; gcc m*.o -o prog; ./prog"),
}
WAYS = ("bare", "live", "kept")


def make_inputs(folder: Path) -> None:
    """tree/ of 2,000 files, src/ of ten programs' parts, data of 40 MB."""
    for n in range(2000):
        path = folder / "tree" / str(n % 20) / f"file{n}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{n}\n" * 20)
    (folder / "src").mkdir()
    for n in range(1, 11):
        (folder / "src" / f"m{n}.c").write_text("#include <stdio.h>\n#include <stdlib.h>\n" + "".join(
            f"int f{n}_{k}(int a) {{ for (int i = 0; i < a; i++) a ^= i * {k}; return a; }}\n" for k in range(60))
            + ("int main(void) { puts(\"built\"); return 0; }\n" if n == 1 else ""))
    (folder / "data").write_text("".join(f"{n * 7919 % 1000003} line\n" for n in range(3_000_000)))


def cpu_s(command: list[str], cwd: Path, env: dict[str, str]) -> float:
    """Processor seconds of a command and all that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=cwd, env=env, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(name: str, repeat: int, top: Path) -> dict[str, float]:
    """Medians of one workload, by way."""
    folder, archive = top / name, top / f"{name}.archive"
    folder.mkdir()
    make_inputs(folder)
    env = {"PATH": os.environ["PATH"], "HOME": str(top), "REX_CACHE": str(top / "cache"), "PYTHONPATH": str(ROOT)}
    rex = [sys.executable, "-m", "rex.cli.main"]
    command = ["sh", "-c", WORKLOADS[name][1]]
    subprocess.run([*rex, "record", "-q", "-l", str(archive), "--", *command], cwd=folder, env=env, check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    for number in range(repeat + 1):                  # the first fills caches
        for way in WAYS:
            out = top / f"{name}.{way}.{number}"
            live = [*rex, "runnew", "-q", "-l", str(archive), "-e", "exp0", "--headless", "-o", str(out)]
            used = cpu_s(command if way == "bare" else live if way == "live" else [*live, "--record"], folder, env)
            shutil.rmtree(out, ignore_errors=True)
            if number:
                found[way].append(used)
    return {way: statistics.median(values) for way, values in found.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(WORKLOADS))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} processors, median of {options.repeat}, processor seconds")
    print(f"{'workload':10}" + "".join(f"{way:>9}" for way in WAYS) + f"{'live/bare':>11}{'kept/bare':>11}  stresses")
    results = {}
    with tempfile.TemporaryDirectory(prefix="rex-bench-") as top:
        for name in options.names or WORKLOADS:
            times = results[name] = measure(name, options.repeat, Path(top))
            bare = max(times["bare"], 1e-3)
            print(f"{name:10}" + "".join(f"{times[way]:9.2f}" for way in WAYS)
                  + f"{times['live'] / bare:11.2f}{times['kept'] / bare:11.2f}  {WORKLOADS[name][0]}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
