"""What families of runs share: python bench/trees_families.py [--rounds 3] [FAMILY...].

Each family of examples/trees is run as it is, then after each of its edits. Every state is run three ways, one right after the other, in an order
that changes from round to round: alone, recorded with --reuse into the family's archive, and recorded as a whole. Outputs are compared
with those of the run alone. Seconds are processor time of a command and all that it started, which other work on the machine changes
less than time on the wall; of each edit the median over rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
STUDIES = ROOT / "examples" / "trees"
SAME = ("nothing", "", "", "")
# What is edited: in words, the file, the text there, and what replaces it.
EDITS: dict[str, list[tuple[str, str, str, str]]] = {
    "shell": [SAME, ("last step", "run.sh", "cat top.txt named.txt", "cat named.txt top.txt"), ("late argument", "run.sh", "top=3", "top=5"),
              ("other input", "names.txt", "class7", "seven"), ("first step", "run.sh", "seed=7", "seed=8")],
    "make": [SAME, ("a comment", "limit.h", "How far", "Where"), ("late input", "data.txt", "50", "51"), ("an option", "Makefile", "-n 3", "-n 4"),
             ("a macro", "limit.h", "60000", "60001")],
    "simulator": [SAME, ("the analysis", "run.sh", "skip=10 '$1 > skip { s += $2 } END { print s }' south", "skip=20 '$1 > skip { s += $2 } END { print s }' south"),
                  ("a parameter", "parameters.txt", "0.2", "0.21")],
    "mixed": [SAME, ("an argument", "run.sh", "title", "heading"), ("one of two fits", "run.sh", "data.txt 5", "data.txt 6"),
              ("the report", "report.py", "len(lines)", "len(lines) // 2")],
}
ALONE, REUSING, WHOLE = "alone", "with reuse", "as a whole"


def contents(top: Path) -> dict[str, bytes]:
    return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}


def seconds_of(command: list[str], work: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=work, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(ROOT)})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(family: str, top: Path, number: int) -> list[dict[str, Any]]:
    """One round: seconds of each edit in each way, and the steps that were reused and executed."""
    rex = [sys.executable, "-m", "rex.cli.main", "record", "-q", "-l"]
    commands = {ALONE: ["sh", "run.sh"], REUSING: [*rex, str(top / "R"), "--reuse", "--report", str(top / "report.json"), "sh", "run.sh"],
                WHOLE: [*rex, str(top / "W"), "sh", "run.sh"]}
    state, work = top / "state", top / "work"
    shutil.copytree(STUDIES / family, state)
    rows = []
    for place, (what, name, old, new) in enumerate([("the first run", "", "", ""), *EDITS[family]]):
        if name:
            text = (state / name).read_text()
            assert old in text, (family, what)
            (state / name).write_text(text.replace(old, new))
        row: dict[str, Any] = {"edit": what}
        found = {}
        ways = list(commands)
        for way in ways[(number + place) % 3:] + ways[:(number + place) % 3]:
            shutil.copytree(state, work)
            row[way] = seconds_of(commands[way], work)
            found[way] = {name: data for name, data in contents(work).items() if name not in ("primes", "sums", "simulate")}
            shutil.rmtree(work)
        assert found[ALONE] == found[REUSING] == found[WHOLE], (family, what)
        told = json.loads((top / "report.json").read_text())["reuse"]
        rows.append({**row, "reused": len(told["reused"]), "executed": told["executed"]})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("family", nargs="*", default=list(EDITS))
    given = parser.parse_args()
    print("| family | change | alone | as a whole | with reuse | part of the whole | reused | executed |\n|---|---|---|---|---|---|---|---|")
    for family in given.family:
        rounds = []
        for number in range(given.rounds):
            with tempfile.TemporaryDirectory(prefix="rex-bench-") as name:
                rounds.append(measure(family, Path(name), number))
        for rows in zip(*rounds):
            middle = {way: statistics.median(row[way] for row in rows) for way in (ALONE, WHOLE, REUSING)}
            part = statistics.median(row[REUSING] / row[WHOLE] for row in rows)
            print(f"| {family} | {rows[0]['edit']} | {middle[ALONE]:.2f} | {middle[WHOLE]:.2f} | {middle[REUSING]:.2f} | {part:.0%} "
                  f"| {rows[0]['reused']} | {rows[0]['executed']} |", flush=True)


if __name__ == "__main__":
    main()
