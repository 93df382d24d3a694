"""What make and Rex run again after ten edits, and whether what they leave is right: python bench/reuse_edits.py.

One study of ten steps is a Makefile, and a script of the same commands. Each edit is applied to the study as it stands after the first run. Then make runs
in it. `rex record --reuse` runs the script in a clean copy, as the archive has what it left. The script alone, in a clean copy too, says what is right. The table tells how many of
the ten commands each has executed. No times are measured.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Output, its command, and what make is told that it needs: as people write it, without tools and variables.
STEPS = (
    ("sim.o", "cc -c -o sim.o sim.c", "sim.c limit.h"),
    ("sim", "cc -o sim sim.o", "sim.o"),
    ("raw.txt", "./sim parameters.txt raw.txt", "sim parameters.txt"),
    ("sorted.txt", "sort -n -o sorted.txt raw.txt", "raw.txt"),
    ("stats.txt", "./stats sorted.txt stats.txt", "sorted.txt"),
    ("all.txt", "./join data all.txt", "$(wildcard data/*)"),
    ("titled.txt", "./title all.txt titled.txt", "all.txt"),
    ("checked.txt", "./check notes.txt checked.txt", "notes.txt"),
    ("report.txt", "./mark stats.txt report.txt", "stats.txt"),
    ("final.txt", "./bind report.txt titled.txt checked.txt final.txt", "report.txt titled.txt checked.txt"),
)
FILES = {
    "limit.h": "/* How far. */\n#define LIMIT 40\n",
    "sim.c": """#include "limit.h"
#include <stdio.h>
int main(int argc, char **argv) {
    FILE *in = fopen(argv[1], "r"), *out = fopen(argv[2], "w");
    unsigned x = 1;
    if (fscanf(in, "%u", &x) != 1) return 1;
    for (int i = 0; i < LIMIT; i++) fprintf(out, "%u\\n", x = x * 1103515245u + 12345u & 0xffff);
    return 0;
}
""",
    "parameters.txt": "7\n", "notes.txt": "good\n", "data/one.txt": "one\n", "data/two.txt": "two\n",
    "stats": "#!/bin/sh\nawk '{ s += $1 } END { print s / NR }' $1 > $2\n",
    "join": "#!/bin/sh\ncat $1/*.txt > $2\n",
    "title": '#!/bin/sh\n{ echo "${TITLE:-none}"; cat $1; } > $2\n',
    "check": "#!/bin/sh\nif grep -q bad $1; then exit 3; fi\ncp $1 $2\n",
    "mark": "#!/bin/sh\ncp $1 $2\nsed -i 's/^/mean /' $2\n",
    "bind": "#!/bin/sh\ncat $1 $2 $3 > $4\n",
}
CLOCK = 1_700_000_000


@dataclass
class Way:
    """What one of them did."""

    ran: int
    status: int
    left: dict[str, bytes]


def write(work: Path, name: str, text: str) -> None:
    path = work / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755 if text.startswith("#!") else 0o644)


def swap(work: Path) -> None:
    one, two = (work / "data" / f"{name}.txt" for name in ("one", "two"))
    first, second = one.read_text(), two.read_text()
    one.write_text(second)
    two.write_text(first)


def swap_twice(work: Path) -> None:
    swap(work)
    swap(work)


# In words, the edit, and variables of the command.
EDITS: tuple[tuple[str, Callable[[Path], object], dict[str, str]], ...] = (
    ("nothing", lambda work: None, {}),
    ("a comment in a header", lambda work: write(work, "limit.h", FILES["limit.h"].replace("How", "So")), {}),
    ("a file touched, not changed", lambda work: (work / "parameters.txt").touch(), {}),
    ("a tool replaced", lambda work: write(work, "stats", FILES["stats"].replace("s / NR", "s")), {}),
    ("an environment variable", lambda work: None, {"TITLE": "mine"}),
    ("a new file that a glob finds", lambda work: write(work, "data/three.txt", "three\n"), {}),
    ("an input removed", lambda work: (work / "data/two.txt").unlink(), {}),
    ("an input changed, its time set back", lambda work: (write(work, "parameters.txt", "8\n"), os.utime(work / "parameters.txt", (CLOCK, CLOCK))), {}),
    ("two inputs swapped", swap, {}),
    ("swapped and swapped back", swap_twice, {}),
    ("a step fails", lambda work: write(work, "notes.txt", "bad\n"), {}),
    ("a step that writes in place", lambda work: write(work, "mark", FILES["mark"].replace("mean", "mid")), {}),
)


def contents(work: Path) -> dict[str, bytes]:
    return {name: (work / name).read_bytes() for name, _, _ in STEPS if (work / name).exists()}


def run(work: Path, words: list[str], variables: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(words, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT), **variables})
    return done.returncode, done.stdout


def make(work: Path, variables: dict[str, str]) -> Way:
    status, told = run(work, ["make"], variables)
    lines = told.splitlines()
    return Way(sum(command in lines for _, command, _ in STEPS), status, contents(work))


def script(work: Path, variables: dict[str, str]) -> Way:
    status, told = run(work, ["sh", "-ex", "run.sh"], variables)
    return Way(sum(f"+ {command}" in told.splitlines() for _, command, _ in STEPS), status, contents(work))


def rex(work: Path, variables: dict[str, str]) -> Way:
    report = work.parent / "report.json"
    words = [sys.executable, "-m", "rex.cli.main", "record", "-q", "-l", str(work.parent / "EXP"), "--reuse", "--report", str(report), "sh", "-e", "run.sh"]
    status, _ = run(work, words, variables)
    reused = [each["command"] for each in json.loads(report.read_text())["reuse"]["reused"]]
    all_of_it = any(command.startswith("sh -e run.sh") for command in reused)
    begun = script(shutil.copytree(work, work.parent / "begun"), variables).ran          # how far the script comes
    shutil.rmtree(work.parent / "begun")
    return Way(0 if all_of_it else begun - sum(command in reused for _, command, _ in STEPS), status, contents(work))


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="rex-bench-") as name:
        top = Path(name)
        kept, work = top / "kept", top / "work"
        kept.mkdir()
        for file, text in FILES.items():
            write(kept, file, text)
            os.utime(kept / file, (CLOCK + 60, CLOCK + 60))
        write(kept, "run.sh", "".join(f"{command}\n" for _, command, _ in STEPS))
        write(kept, "Makefile", "final.txt:\n" + "".join(f"{output}: {needs}\n\t{command}\n" for output, command, needs in STEPS))
        shutil.copytree(kept, work)
        assert rex(work, {}).status == 0
        state = top / "state"
        work.rename(state)
        print("| edit | make runs | make's result | Rex runs | Rex's result |\n|---|---|---|---|---|")
        for what, edit, variables in EDITS:
            found = {}
            for way in (script, make, rex):
                subprocess.run(["cp", "-a", str(state), str(work)], check=True)
                edit(work)
                for output, _, _ in () if way is make else STEPS:
                    (work / output).unlink()
                found[way] = way(work, variables)
                shutil.rmtree(work)
            right = found[script]
            told = {way: "right" if (each.status != 0) == (right.status != 0) and (each.left.get("final.txt") == right.left.get("final.txt") or right.status) else "wrong"
                    for way, each in found.items()}
            print(f"| {what} | {found[make].ran} | {told[make]} | {found[rex].ran} | {told[rex]} |", flush=True)


if __name__ == "__main__":
    main()
