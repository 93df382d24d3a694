"""What loops of one cheap call cost: processor seconds plain, recorded and replayed, for each checkout of Rex in the same rounds.

    python bench/calls.py [--runs 5] [--against CHECKOUT]

Each number is a median over the rounds. Seconds contain Rex's own start, which the first row shows alone.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from run import ROOT, machine
from start import costs_of

PROGRAM = """#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
    struct timespec now = {0};
    struct timeval day = {0};
    struct stat st = {0};
    for (long i = 0; i < TIMES; i++)
        CALL;
    return (now.tv_sec ^ day.tv_sec ^ st.st_ino) == 1;
}
"""
LOOPS = {"(start)": ("(void)0", 1), "clock_gettime": ("clock_gettime(CLOCK_MONOTONIC, &now)", 3_000_000),
         "gettimeofday": ("gettimeofday(&day, NULL)", 1_000_000), "getppid": ("getppid()", 1_000_000),
         "stat of one name": ('stat("/etc/passwd", &st)', 300_000)}


def compiled(top: str) -> dict[str, str]:
    """The loops as programs."""
    made = {}
    for number, (name, (call, times)) in enumerate(LOOPS.items()):
        made[name] = os.path.join(top, f"loop{number}")
        subprocess.run(["gcc", "-O1", "-w", f"-DCALL={call}", f"-DTIMES={times}", "-x", "c", "-", "-o", made[name]], input=PROGRAM.encode(), check=True)
    return made


def measured(top: str, program: str, checkouts: list[str], runs: int) -> list[float]:
    """Medians of the seconds: plain, then recorded and replayed by each checkout."""
    archive, out, cache = (os.path.join(top, name) for name in ("archive", "out", "cache"))
    rex, rounds = [sys.executable, "-m", "rex.cli.main"], []
    for _ in range(runs):
        costs = [costs_of([program], ROOT, cache, top).cpu_s]
        for checkout in checkouts:
            for path in (archive, out):
                shutil.rmtree(path, ignore_errors=True)
            costs += [costs_of([*rex, *command], checkout, cache, top).cpu_s
                      for command in (["record", "-l", archive, "--", program], ["replay", "-l", archive, "-o", out])]
        rounds.append(costs)
    return [statistics.median(column) for column in zip(*rounds)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--against", help="another checkout, with its engine built")
    given = parser.parse_args()
    checkouts = [ROOT] + ([os.path.abspath(given.against)] if given.against else [])
    print(machine())
    print("| loop | times | plain |" + " recorded | replayed |" * len(checkouts) + "\n" + "|---" * (3 + 2 * len(checkouts)) + "|")
    with tempfile.TemporaryDirectory() as top:
        for name, program in compiled(top).items():
            seconds = measured(top, program, checkouts, given.runs)
            print(f"| {name} | {LOOPS[name][1]:,} | " + " | ".join(f"{one:.3f}" for one in seconds) + " |", flush=True)


if __name__ == "__main__":
    main()
