"""What recording costs cell by cell, on the base versions of the four example families.

    python bench/cell_overhead.py [--pairs N] [FAMILY...]

The same runner runs the same cells with and without a tracer, in turn. Overheads are medians over
the pairs. Processor time is that of the cells alone; wall clock has the tracer's work in it, and
whatever else the machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "examples" / "versions")]

from families import FAMILIES, ONE_THREAD, load_family, make_data, make_program   # noqa: E402
from rex.cells import runner                                                       # noqa: E402
from rex.multiversion.versions import load_versions                                # noqa: E402

ENVIRONMENT = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}


def run_bare(program: str, place: Path) -> list[tuple[float, float]]:
    """Wall and processor seconds of each cell without a tracer."""
    report = os.memfd_create("report")
    high = os.dup2(report, runner.REPORT, inheritable=True)
    try:
        subprocess.run([sys.executable, runner.__file__, program], cwd=place, env=ENVIRONMENT, pass_fds=[high],
                       stdout=subprocess.DEVNULL, check=True)
        lines = os.pread(report, os.fstat(report).st_size, 0).splitlines()
    finally:
        os.close(high)
        os.close(report)
    told = [json.loads(line) for line in lines]
    return [(line["seconds"], line["cpu_seconds"]) for line in told if "cell" in line]


def run_recorded(program: str, place: Path, archive: Path) -> list[tuple[float, float]]:
    """The same of a recording, into an archive that has the files already."""
    subprocess.run([sys.executable, "-m", "rex.cli.main", "record", "--cells", "-q", "-l", str(archive), "--", program],
                   cwd=place, env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True)
    return [(cell.seconds, cell.cpu_seconds) for cell in load_versions(str(archive))[1][-1].cells]


def measure(family: str, pairs: int, place: Path) -> list[dict[str, Any]]:
    """Per cell: its first line, medians of seconds and of overheads."""
    kind, _, variants = load_family(family)
    make_data(family, place)
    program = make_program(family, kind, variants[0], place)
    archive = place / "archive"
    run_recorded(program, place, archive)
    found = [(run_bare(program, place), run_recorded(program, place, archive)) for _ in range(pairs)]
    titles = [cell.source.strip().splitlines()[0] for cell in load_versions(str(archive))[1][-1].cells]
    rows = []
    for number, title in enumerate(titles):
        bare, recorded = ([run[which][number] for run in found] for which in (0, 1))
        wall, cpu = ([two[at] / max(one[at], 1e-9) - 1 for one, two in zip(bare, recorded)] for at in (0, 1))
        rows.append({"family": family, "cell": number + 1, "title": title,
                     "bare_s": statistics.median(one[1] for one in bare),
                     "recorded_s": statistics.median(one[1] for one in recorded),
                     "cpu_overhead": statistics.median(cpu), "wall_overhead": statistics.median(wall)})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", default=list(FAMILIES))
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--least", type=float, default=0.5, help="cells of fewer seconds are summed up")
    wanted = parser.parse_args()
    print("| family | cell | bare | recorded | processor time | wall clock |\n|---|---|---|---|---|---|")
    for family in wanted.families:
        with tempfile.TemporaryDirectory(prefix="rex-bench-") as place:
            rows = measure(family, wanted.pairs, Path(place))
        for row in rows:
            if row["bare_s"] >= wanted.least:
                print(f"| {family} | {row['cell']}: `{row['title'][:40]}` | {row['bare_s']:.2f} s | {row['recorded_s']:.2f} s "
                      f"| {100 * row['cpu_overhead']:+.1f} % | {100 * row['wall_overhead']:+.1f} % |", flush=True)
        rest = [row for row in rows if row["bare_s"] < wanted.least]
        bare, recorded = sum(row["bare_s"] for row in rest), sum(row["recorded_s"] for row in rest)
        print(f"| {family} | {len(rest)} smaller ones | {bare:.2f} s | {recorded:.2f} s "
              f"| {100 * (recorded / bare - 1):+.1f} % | |", flush=True)


if __name__ == "__main__":
    main()
