"""Runs that share steps, recorded with reuse and replayed together: python bench/reuse.py [--steps 10] [--runs 12].

A shell script of steps that compute is recorded as a whole, again without a change, and
again after a change of its last step; then with other arguments of one step each, and replayed with --all. Seconds are wall-clock, medians
of three; steps' recorded seconds say how much was shared, which other work on the machine changes less.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
STEP = """import hashlib, sys
out, rounds, *ins = sys.argv[1:]
data = b"".join(open(name, "rb").read() for name in ins)
for _ in range(int(rounds)):
    data = hashlib.sha256(data).digest()
open(out, "wb").write(data * 4000)
"""


def rex(work: Path, *words: str) -> float:
    """Run rex; its seconds."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "rex.cli.main", *words], cwd=work, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(ROOT)})
    return time.monotonic() - began


def write_script(work: Path, rounds: list[int]) -> None:
    (work / "step.py").write_text(STEP)
    (work / "in.dat").write_text("1\n")
    lines = [f"{sys.executable} step.py out{n} {count} {'in.dat' if not n else f'out{n - 1}'}" for n, count in enumerate(rounds)]
    (work / "run.sh").write_text("\n".join(lines) + "\n")


def clear(work: Path) -> None:
    for path in work.glob("out*"):
        path.unlink()


def measure_reuse(top: Path, steps: int, rounds: int) -> dict[str, float]:
    """Seconds of a whole run, of one without a change, and of one with another last step."""
    work = top / "reuse"
    work.mkdir()
    found: dict[str, list[float]] = {"whole": [], "unchanged": [], "last step": []}
    for repeat in range(3):
        archive = str(top / f"R{repeat}")
        for what, last in (("whole", rounds), ("unchanged", rounds), ("last step", rounds + 1)):
            write_script(work, [rounds] * (steps - 1) + [last])
            clear(work)
            found[what].append(rex(work, "record", "-q", "-l", archive, "--reuse", "sh", "run.sh"))
    return {what: statistics.median(values) for what, values in found.items()}


def measure_replay(top: Path, steps: int, runs: int, rounds: int) -> dict[str, Any]:
    """Runs that differ in the rounds of one step each, the later the more of them, replayed together."""
    work, archive = top / "replay", str(top / "P")
    work.mkdir()
    for run in range(runs):
        changed = steps - 1 - run * steps // (2 * runs)
        write_script(work, [rounds + run if number == changed else rounds for number in range(steps)])
        clear(work)
        rex(work, "record", "-q", "-l", archive, "sh", "run.sh")
    report = top / "report.json"
    rex(work, "replay", "-q", "-l", archive, "--all", "--check", "-o", str(top / "out"), "--report", str(report))
    return json.loads(report.read_text())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=400_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rex-bench-") as name:
        top = Path(name)
        reuse = measure_reuse(top, given.steps, given.rounds)
        for what, seconds in reuse.items():
            print(f"{what:12} {seconds:7.2f} s  {seconds / reuse['whole']:6.1%}")
        all_runs = measure_replay(top, given.steps, given.runs, given.rounds)
        print(f"replay --all {all_runs['one_by_one']:.2f} s one by one, {all_runs['planned']:.2f} s planned, {all_runs['processor']:.2f} s of "
              f"processor time as it ran, {all_runs['wall']:.2f} s the command; identical: {all_runs['identical']}")


if __name__ == "__main__":
    main()
