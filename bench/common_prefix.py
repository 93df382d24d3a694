"""How far two recordings of one program are equal: python bench/common_prefix.py [NAME...].

Each program computes, prints, and reads `late.txt` in the end. It is recorded twice with another `late.txt`. A replay could execute
both runs once up to the first event whose results differ. The table tells what differs first, where each source of differences
comes first, and where the parameter is read: there an ideal checkpoint would part the runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from rex.archive import Archive, Experiment  # noqa: E402
from rex.log import LogReader  # noqa: E402
from rex.log.records import IN, OUT, RANDOM, RESOLVED, STACK, TASK, Event  # noqa: E402
from rex.syscalls import BY_NAME  # noqa: E402
from rex.trees import calls  # noqa: E402

STAT_BYTES_BEFORE_TIMES = 72
IDENTITIES = {BY_NAME[name].nr for name in ("getpid", "getppid", "gettid", "getpgrp", "getsid", "set_tid_address")} | {TASK}
SOURCES = ("initial stack", "heap", "random", "clock", "machine", "ids", "times", "stream")
C = r"""#include <stdio.h>
#include <stdlib.h>
int main(void) {
    double *cells = calloc(1 << 16, sizeof *cells), rate = 0;
    for (int step = 0; step < 400; step++)
        for (int i = 1; i < 1 << 16; i++) cells[i] = (cells[i - 1] + i) * 0.5;
    printf("computed\n"); fflush(stdout);
    FILE *file = fopen("late.txt", "r");
    if (!file || fscanf(file, "%lf", &rate) != 1) return 1;
    printf("%g\n", cells[100] * rate);
}
"""
FILES = {
    "sim.c": C,
    "run.sh": "i=0\nwhile [ $i -lt 60000 ]; do i=$((i+1)); done\necho computed\nread late < late.txt\necho $late\n",
    "run.py": "n = sum(i * i for i in range(3000000))\nprint(n, flush=True)\nprint(n * int(open('late.txt').read()))\n",
    "run.pl": "$| = 1; for (1 .. 3000000) { $n += $_ } print \"$n\\n\"; open F, 'late.txt'; print $n * <F>, \"\\n\";\n",
    "run.lua": "local n = 0\nfor i = 1, 2e7 do n = n + i end\nprint(n) io.flush()\nprint(n * tonumber(io.open('late.txt'):read()))\n",
    "run.tcl": "set n 0\nwhile {$n < 2000000} {incr n}\nputs $n\nset f [open late.txt]\nputs [expr {$n * [gets $f]}]\n",
    "run.awk": "BEGIN { for (i = 0; i < 3000000; i++) n += i; print n; getline late < \"late.txt\"; print n * late }\n",
    "run.sql": "with recursive c(x) as (values(1) union all select x+1 from c where x<400000) select sum(x) from c;\n.read late.txt\n",
    "run.bc": "for (i = 0; i < 300000; i++) n += i\nn\n",
    "run.jq": "reduce range(400000) as $i (0; . + $i)\n",
}
PROGRAMS = {
    "bash": ["bash", "run.sh"], "dash": ["dash", "run.sh"], "gawk": ["gawk", "-f", "run.awk"], "mawk": ["mawk", "-f", "run.awk"],
    "bc": ["bc", "run.bc", "late.txt"], "sqlite3": ["sqlite3", "-init", "run.sql", ":memory:", ""], "perl": ["perl", "run.pl"],
    "lua": ["lua", "run.lua"], "tclsh": ["tclsh", "run.tcl"], "python3": [sys.executable, "-I", "-S", "run.py"],
    "C, glibc": ["./sim"], "C, static": ["./sim-static"],
}


def record(work: Path, archive: Path, words: list[str], late: str) -> None:
    (work / "late.txt").write_text(late)
    subprocess.run([sys.executable, "-m", "rex.cli.main", "record", "-l", str(archive), "--", *words], cwd=work, check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"})


def told(event: Event) -> tuple[object, ...]:
    """What an event gives to the process."""
    return event.result, [field for field in event.fields if field[1] in (OUT, RESOLVED, STACK)]


def source_of(left: Event, right: Event) -> str:
    """Where the difference between two events comes from; "parameter" if it is none of the sources that every run draws on."""
    if left.call != right.call or left.all_data(IN) != right.all_data(IN):
        return "parameter"
    if left.call in calls.EXECS and left.data(STACK):
        return "initial stack"
    if left.call == calls.GETRANDOM:
        return "heap" if (left.args[1], left.args[2]) == (8, 1) else "random"
    for name, numbers in (("random", {RANDOM}), ("clock", calls.CLOCKS), ("machine", calls.MACHINE), ("ids", IDENTITIES)):
        if left.call in numbers:
            return name
    if left.call in calls.STATS | {BY_NAME["fstat"].nr}:
        heads = [(event.data(OUT) or b"")[:STAT_BYTES_BEFORE_TIMES] for event in (left, right)]
        return "times" if heads[0] == heads[1] else "parameter"
    return "stream" if left.stream > 3 else "parameter"


def compare(left: Experiment, right: Experiment) -> tuple[dict[str, int], int, float]:
    """The first event of each source, how many events there are, and the part of the time before the parameter."""
    with LogReader(left.open_log()) as first, LogReader(right.open_log()) as second:
        events, others = list(first), list(second)
    found: dict[str, int] = {}
    for number, (event, other) in enumerate(zip(events, others)):
        is_late = any(b"late.txt" in data for data in event.all_data(IN))
        if is_late or event.call != other.call or told(event) != told(other):
            source = "parameter" if is_late else source_of(event, other)
            found.setdefault(source, number)
            if source == "parameter":
                break
    part = events[found.get("parameter", len(events) - 1)].time_ns / events[-1].time_ns
    return found, len(events), part


def main() -> None:
    wanted = sys.argv[1:] or list(PROGRAMS)
    print("| program | events | parameter read at | of the time | first difference | " + " | ".join(SOURCES) + " |")
    print("|" + "---|" * (5 + len(SOURCES)))
    with tempfile.TemporaryDirectory() as top:
        work = Path(top)
        for name, text in FILES.items():
            (work / name).write_text(text)
        for options in (["-o", "sim"], ["-static", "-o", "sim-static"]):
            subprocess.run(["gcc", "-O1", "sim.c", *options], cwd=work, check=True)
        for name in wanted:
            if not shutil.which(PROGRAMS[name][0]) and "/" not in PROGRAMS[name][0]:
                continue
            path = work / ("A" + name.replace(", ", "-"))
            for late in ("3\n", "5\n"):
                record(work, path, PROGRAMS[name], late)
            found, count, part = compare(*Archive.open(str(path)).experiments())
            first = min(found, key=lambda source: found[source])
            cells = [str(found.get(source, "")) for source in SOURCES]
            print(f"| {name} | {count} | {found.get('parameter', '')} | {part:.0%} | {found[first]}: {first} | " + " | ".join(cells) + " |",
                  flush=True)


if __name__ == "__main__":
    main()
