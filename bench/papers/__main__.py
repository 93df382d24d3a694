"""Makes the tables and figures of the five papers again: python bench/papers [PAPER...]

Without a name all of them, in the order below. Each part of docs/papers.md is replaced by what was measured; plots and the numbers
behind them go to docs/papers. Plots need matplotlib (the extra `bench`), without it there are numbers only. What flor and kishu run is not installed by Rex
(pip install torch scikit-learn pandas kishu dill cloudpickle qiskit 'ray[data]'); what is missing is left out.

    aupy    heuristics of workflow schedules: Figures 5 to 10
    chex    planners of versions on real and made trees, versions in a time (Figure 9a), versions that arrive one by one
    rex     recording and replaying: what a run costs
    flor    eight training scripts (Table 3): recording and replaying them; needs torch
    kishu   eight notebooks: what a cell costs, what is stored, what an undo takes and restores, beside the tools that are installed
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

import aupy                # noqa: E402
import chex                # noqa: E402
import flor                # noqa: E402
import kishu               # noqa: E402
from page import Missing, put       # noqa: E402

# Papers whose tables another benchmark makes: its command, and the seconds that it may take.
BENCHES = {"rex": (["bench/run.py", "--runs", "5"], 1800)}
PARTS = {"aupy": aupy.make, "chex": chex.make, "flor": flor.make, "kishu": kishu.make}
PAPERS = ("aupy", "chex", "rex", "flor", "kishu")


def machine() -> str:
    """What the numbers were measured on: a sentence."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown processor")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    return (f"{model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f} at the beginning, Python {platform.python_version()}"
            + (f", on top of commit {commit}" if commit else ""))


def run_bench(name: str) -> str:
    """The output of another benchmark, as a block of text.

    Raises:
        CalledProcessError, TimeoutExpired: it failed.
    """
    words, timeout_s = BENCHES[name]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=timeout_s, check=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    return f"`python {' '.join(words)}` printed:\n\n" + "".join(f"    {line}\n" for line in done.stdout.splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=", ".join(PAPERS))
    wanted = parser.parse_args().papers or PAPERS
    for name in wanted:
        if name not in PAPERS:
            parser.error(f"no paper {name!r}: choose of {', '.join(PAPERS)}")
    for name in wanted:
        began, told = time.monotonic(), machine()
        try:
            text = run_bench(name) if name in BENCHES else PARTS[name]()
        except Missing as error:
            print(f"{name}: not made, {error} is not installed", flush=True)
            continue
        put(name, f"{text.rstrip()}\n\n({told}; {(time.monotonic() - began) / 60:.0f} min)\n")
        print(f"{name}: done", flush=True)


if __name__ == "__main__":
    main()
