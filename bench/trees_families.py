"""What families of runs share: python bench/trees_families.py [--rounds 3] [FAMILY...].

Each study of examples/trees is recorded twelve times: as it is, and after each of the changes of changes.toml. Then the archive is replayed, run by run, and
with --all. The first run is repeated by `rex runnew --reuse`, without a change and with the first change, that of the last step, in turn with a run of everything;
of these the medians of rounds. The twelve are recorded once more with --reuse, and must leave what they left before. Seconds are processor
time of a command and all that it started, which other work on the machine changes less than time on the wall. A study whose tools are not here is left out.
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
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
STUDIES = ROOT / "examples" / "trees"
PYTHON = os.path.realpath(sys.executable)
# Not what pyenv and its like put before it, which starts twenty programs; and modules are compiled once, as where Rex is installed.
ENVIRONMENT = {**{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}, "PYTHONPATH": str(ROOT),
               "PATH": f"{os.path.dirname(PYTHON)}:{os.environ['PATH']}"}
SUFFIXES = (".txt", ".csv", ".tsv", ".fa", ".sum", ".means", ".peaks", ".clean")
COLUMNS = ("family", "run", "one by one", "all", "saved", "planned", "planned / measured", "identical", "whole", "nothing changed", "last step changed", "part", "12 recorded", "with reuse", "reused")


@dataclass
class Measured:
    """One family.

    Attributes:
        one_by_one_s, all_s: replays of the twelve runs; planned_s, took_s: what --all was planned to take, and took, in processor time.
        runs: rex runnew, by what has changed.
        recorded_s, reusing_s: the twelve recordings.
    """

    one_by_one_s: float = 0.0
    all_s: float = 0.0
    planned_s: float = 0.0
    took_s: float = 0.0
    is_identical: bool = False
    runs: dict[str, list[float]] = field(default_factory=lambda: {"whole": [], "nothing": [], "last step": []})
    recorded_s: float = 0.0
    reusing_s: float = 0.0
    reused: int = 0

    @property
    def saved(self) -> float:
        """The part of the time of replays one by one that --all saves."""
        return 1 - self.all_s / self.one_by_one_s

    def row(self, family: str) -> list[str]:
        """Its row of the table."""
        whole, nothing, last = (statistics.median(self.runs[what]) for what in ("whole", "nothing", "last step"))
        part = statistics.median(last / whole for whole, last in zip(self.runs["whole"], self.runs["last step"]))
        return [family, f"{self.recorded_s / 12:.1f}", f"{self.one_by_one_s:.1f}", f"{self.all_s:.1f}", f"{self.saved:.0%}", f"{self.planned_s:.1f}", f"{self.planned_s / self.took_s:.2f}",
                "yes" if self.is_identical else "NO", f"{whole:.2f}", f"{nothing:.2f}", f"{last:.2f}", f"{part:.0%}", f"{self.recorded_s:.1f}",
                f"{self.reusing_s:.1f}", str(self.reused)]


def rex(work: Path, *words: str) -> float:
    """Run rex; seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-m", "rex.cli.main", *words], cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def change(study: Path, name: str, old: str, new: str) -> None:
    text = (study / name).read_text()
    assert old in text, (study.name, name, old)
    (study / name).write_text(text.replace(old, new, 1))


def lack(study: Path) -> str:
    """What a study says that it needs; "" if it has it."""
    done = subprocess.run(["sh", "run.sh"], cwd=study, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode in (0, 127), done.stderr
    return done.stderr.strip() if done.returncode else ""


def results(top: Path) -> dict[str, bytes]:
    """Files below a directory, without those that hold the time of their making, as databases, compiled programs and what Snakemake notes do."""
    return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*"))
            if path.is_file() and path.suffix in SUFFIXES and path.name != "made.txt"}


def record(top: Path, family: str, changes: list[list[str]], found: Measured) -> None:
    """The twelve runs, into archive W as a whole and into R with reuse, each in a fresh copy of the study."""
    state, work = top / "state", top / "work"
    shutil.copytree(STUDIES / family, state)
    for number in range(len(changes) + 1):
        if number:
            change(state, *changes[number - 1][1:])
        left = []
        for archive, words in (("W", ()), ("R", ("--reuse", "--report", str(top / "report.json")))):
            shutil.copytree(state, work)
            seconds = rex(work, "record", "-q", "-l", str(top / archive), *words, "sh", "run.sh")
            left.append(results(work))
            shutil.rmtree(work)
            found.recorded_s += seconds if archive == "W" else 0
            found.reusing_s += seconds if archive == "R" else 0
        assert left[0] == left[1], (family, number)
        found.reused += len(json.loads((top / "report.json").read_text())["reuse"]["reused"])


def replay(top: Path, found: Measured) -> None:
    runs = [f"exp{number}" for number in range(12)]
    for run in runs:
        found.one_by_one_s += rex(top, "replay", "-q", "-l", "W", "-e", run, "--check", "-o", f"one/{run}")
    found.all_s = rex(top, "replay", "-q", "-l", "W", "--all", "--check", "-o", "all", "--report", "all.json")
    told = json.loads((top / "all.json").read_text())
    found.is_identical = told["identical"]
    found.planned_s, found.took_s = told["planned"], told["processor"]


def run_anew(top: Path, family: str, first: list[str], rounds: int, found: Measured) -> None:
    """The study's first run alone in an archive: as a whole, without a change and with another last step."""
    work, edited = top / "work", top / "edited"
    shutil.copytree(STUDIES / family, work)
    rex(work, "record", "-q", "-l", str(top / "F"), "sh", "run.sh")
    shutil.copytree(STUDIES / family, edited)
    change(edited, *first[1:])
    option = "--app" if os.access(edited / first[1], os.X_OK) else "--file"
    other = (option, f"{work / first[1]}={edited / first[1]}")
    for number in range(rounds):
        for what, words in (("whole", other), ("nothing", ("--reuse",)), ("last step", (*other, "--reuse"))):
            out = top / f"{what} {number}"
            found.runs[what].append(rex(top, "runnew", "-q", "-l", "F", "--headless", "-e", "exp0", *words, "-o", str(out)))
        assert results(top / f"whole {number}") == results(top / f"last step {number}"), family


def measure(family: str, changes: list[list[str]], rounds: int) -> Measured | None:
    found = Measured()
    with tempfile.TemporaryDirectory(prefix="rex-bench-") as name:
        top = Path(name)
        shutil.copytree(STUDIES / family, top / "trial")
        if needs := lack(top / "trial"):
            print(f"{family} is left out: {needs}", file=sys.stderr)
            return None
        record(top, family, changes, found)
        replay(top, found)
        run_anew(top, family, changes[0], rounds, found)
    return found


def main() -> None:
    changes = {family: each["changes"] for family, each in tomllib.loads((STUDIES / "changes.toml").read_text()).items()}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("family", nargs="*", default=list(changes))
    given = parser.parse_args()
    print(f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|", flush=True)
    saved = []
    for family in given.family:
        found = measure(family, changes[family], given.rounds)
        if found:
            saved.append(found.saved)
            print(f"| {' | '.join(found.row(family))} |", flush=True)
    print(f"mean saved: {statistics.mean(saved):.0%}")


if __name__ == "__main__":
    main()
