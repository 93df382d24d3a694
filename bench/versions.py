"""Versions of four example families: recorded, replayed one by one, and together by the plan.

    python bench/versions.py [--thorough] [--archives DIR] [--pictures DIR] [FAMILY...]

Times are processor seconds inside cells, so that other users of the machine do not count; wall-clock
seconds of the whole command stand beside them. The cache is twice the largest checkpoint.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "examples" / "versions")]

from families import FAMILIES, load_family, record_family   # noqa: E402
from rex.multiversion.drawing import draw_svg                # noqa: E402
from rex.multiversion.merge import VersionTree, merge        # noqa: E402
from rex.multiversion.planners import make_plan              # noqa: E402
from rex.multiversion.versions import load_versions          # noqa: E402


def replay(archive: Path, place: Path, *options: str) -> dict[str, Any]:
    """The report of `rex replay --all --check`."""
    command = [sys.executable, "-m", "rex.cli.main", "replay", "-l", str(archive), "--all", "--check", "--json", "-q",
               "-o", str(place), *options]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def processor_s(tree: VersionTree, name: str) -> float:
    times = sorted(cell.cpu_seconds for cell in tree.nodes[name].cells)
    return times[len(times) // 2]


def measure(family: str, archive: Path, place: Path, is_thorough: bool) -> dict[str, Any]:
    """One row of the table; one by one are the recordings, or replays too if that is asked for."""
    versions = load_versions(str(archive))[1]
    tree = merge(versions)
    budget = 2 * tree.execution.largest_bytes
    plan = make_plan(tree.execution, budget)
    planned = sum(processor_s(tree, op[1]) for op in plan.sequence.ops if op[0] == "CT")
    recorded = sum(cell.cpu_seconds for version in versions for cell in version.cells)
    single = {"computed_cpu": recorded, "identical": True,
              "wall": sum(cell.seconds for version in versions for cell in version.cells)}
    if is_thorough:
        single = replay(archive, place / "single", "--cache", "0", "--algorithm", "none")
    together = replay(archive, place / "together", "--cache", str(budget))
    alone = sum(processor_s(tree, name) for version in versions for name in tree.path(tree.ends[version.name]))
    return {"family": family, "versions": len(versions), "cells": sum(len(v.cells) for v in versions),
            "nodes": len(tree.nodes), "recorded_s": recorded, "single_s": single["computed_cpu"],
            "together_s": together["computed_cpu"], "planned_speedup": alone / planned,
            "speedup": single["computed_cpu"] / together["computed_cpu"], "single_wall_s": single["wall"],
            "together_wall_s": together["wall"], "cache_bytes": budget, "peak_bytes": together["peak"],
            "checkpoints": together["checkpoints"], "identical": single["identical"] and together["identical"],
            "notes": together["notes"]}


def print_table(rows: list[dict[str, Any]]) -> None:
    print("| family | versions | cells | distinct | one by one | together | saved | speed-up | planned | off by "
          "| wall | cache, used | identical |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        saved = 1 - row["together_s"] / row["single_s"]
        off = row["speedup"] / row["planned_speedup"] - 1
        print(f"| {row['family']} | {row['versions']} | {row['cells']} | {row['nodes']} | {row['single_s']:.1f} s "
              f"| {row['together_s']:.1f} s | {100 * saved:.0f} % | {row['speedup']:.2f} | {row['planned_speedup']:.2f} "
              f"| {100 * off:+.0f} % | {row['single_wall_s']:.0f} s, {row['together_wall_s']:.0f} s "
              f"| {row['cache_bytes'] / 1e6:.0f} MB, {row['peak_bytes'] / 1e6:.0f} MB | {row['identical']} |")
    savings = [1 - row["together_s"] / row["single_s"] for row in rows]
    print(f"\non average {100 * sum(savings) / len(savings):.0f} % less than one by one")


def draw_bars(rows: list[dict[str, Any]]) -> str:
    """One by one against together, as SVG."""
    longest = max(row["single_s"] for row in rows)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="{60 * len(rows) + 20}" '
             'font-family="sans-serif" font-size="12">']
    for place, row in enumerate(rows):
        y = 60 * place + 15
        lines.append(f'<text x="5" y="{y + 22}">{row["family"]}</text>')
        for offset, (key, colour, word) in enumerate((("single_s", "#9aa5b1", "one by one"),
                                                      ("together_s", "#4a7ebb", "together"))):
            width = 420 * row[key] / longest
            lines.append(f'<rect x="70" y="{y + 22 * offset}" width="{width:.1f}" height="18" fill="{colour}"/>'
                         f'<text x="{76 + width:.1f}" y="{y + 13 + 22 * offset}">{row[key]:.1f} s {word}</text>')
    return "\n".join([*lines, "</svg>"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", default=list(FAMILIES))
    parser.add_argument("--archives", type=Path, help="keep the recordings here, and use those that are here")
    parser.add_argument("--thorough", action="store_true", help="replay one by one too")
    parser.add_argument("--pictures", type=Path, help="draw trees and times into this folder")
    wanted = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="rex-bench-") as place:
        for family in wanted.families:
            archive = (wanted.archives or Path(place)).absolute() / family
            if not archive.exists():
                record_family(family, archive, Path(place) / "work")
            os.makedirs(Path(place) / family, exist_ok=True)
            rows.append(measure(family, archive, Path(place) / family, wanted.thorough))
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
            if wanted.pictures:
                svg = draw_svg(merge(load_versions(str(archive))[1]))
                (wanted.pictures / f"versions-{family}.svg").write_text(svg + "\n", encoding="utf-8")
    for family in wanted.families:
        print(f"{family}: {load_family(family)[1]}")
    print()
    print_table(rows)
    if wanted.pictures:
        (wanted.pictures / "versions-times.svg").write_text(draw_bars(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
