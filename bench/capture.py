"""What keeping files costs beyond tracing: python bench/capture.py [--repeat N] [--json FILE] [NAME...].

Each workload is run `traced` (the engine alone: the log is written, no file is kept), recorded into a `first`, fresh
archive, and recorded `again` into the same one. Shown are medians of N rounds: wall-clock seconds of whole processes, and
what the recordings take beyond tracing, in percent of the traced process: wall clock, processor time (`cpu`), and how much
longer the program itself ran (`run`, as the engine measures it). `start_s` is what comes before and after the program's run
where it is only traced, in seconds: Python's start, mostly; `wait` what comes beyond that. Ratios and differences are taken
within each round. Inputs are a minute old, as most are: younger ones are read again by every recording.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
WAYS = ("traced", "first", "again")
COLUMNS = ("traced_s", "first_s", "again_s", "first_%", "again_%", "cpu_first_%", "cpu_again_%", "run_first_%", "run_again_%",
           "start_s", "wait_first_s", "wait_again_s")

_SETTLED_S = 61

# name: what it stresses, command run by sh in a folder that make_inputs laid out
WORKLOADS = {
    "read": ("eight thousand small files, read", "find tree -type f | sort | xargs cat | sha256sum"),
    "build": ("a compiler, many processes", "for i in $(seq 40); do gcc -O1 -c src/m$i.c -o m$i.o; done; gcc m*.o -o prog; ./prog"),
    "work": ("two hundred files, some work on each", "for f in set/*; do gzip -9c $f | wc -c; done"),
    "rewrite": ("a file rewritten sixty times", "for i in $(seq 60); do head -c 1000000 data > state; sort state | tail -1; done"),
    "edit": ("a large file changed in place", f"{sys.executable} -c \"f = open('data', 'r+b')\nfor n in range(0, 60_000_000, 60_000):\n"
             " f.seek(n); f.write(b'x' * 100); sum(range(20_000))\""),
    "python": ("an interpreter and its modules", f"{sys.executable} -c 'import numpy, asyncio, sqlite3; print(sum(range(30_000_000)))'"),
}


def make_inputs(folder: Path) -> None:
    """tree/ of 8,000 small files, src/ of 40 programs' parts, set/ of 200 files of 200 kB, data of 60 MB."""
    for n in range(8000):
        path = folder / "tree" / str(n % 40) / f"file{n}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{n}\n" * (n % 300 + 1))
    (folder / "src").mkdir()
    for n in range(1, 41):
        (folder / "src" / f"m{n}.c").write_text("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n" + "".join(
            f"int f{n}_{k}(int a) {{ for (int i = 0; i < a; i++) a ^= i * {k}; return a; }}\n" for k in range(60))
            + ("int main(void) { puts(\"built\"); return 0; }\n" if n == 1 else ""))
    (folder / "set").mkdir()
    for n in range(200):
        (folder / "set" / f"f{n}").write_text("".join(f"{k * 7919 % 10007} {n * k % 9973}\n" for k in range(20_000)))
    with open(folder / "data", "wb") as file:
        for n in range(600):
            file.write(b"".join(b"%d line %d\n" % (k * 7919 % 10007, n) for k in range(8000))[:100_000])


def trace_only(command: str, told: str) -> None:
    """Run a command under the engine as a recording does, and keep no file; tell how long it ran."""
    from rex.cli import main, record_run   # noqa: F401: reading the command line is no part of keeping files
    from rex.recorder import find_program
    from rex.tracer import Plan, choose
    from rex.tracer.plan import RECORD
    with tempfile.TemporaryDirectory() as work:
        plan = Plan(RECORD, f"{work}/log", os.fsencode(find_program("sh")), [b"sh", b"-c", command.encode()],
                    [k + b"=" + v for k, v in os.environb.items()], report=f"{work}/report")
        report = choose()[1](plan)
    Path(told).write_text(str(report.duration_ns / 1e9))


def run(folder: Path, *arguments: str) -> tuple[float, float]:
    """Wall-clock and processor seconds of a Python process and all below it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": ""}   # as Rex is when it is installed
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=environment)
    # Not with a timeout of subprocess's own, which looks only every 50 ms.
    limit = threading.Timer(600, process.kill)
    limit.start()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    limit.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    return wall, used.ru_utime + used.ru_stime


def clean(folder: Path, pristine: Path) -> None:
    """Remove what a run wrote."""
    for path in folder.iterdir():
        if not (pristine / path.name).exists():
            path.unlink()
    if (pristine / "data").stat().st_mtime_ns != (folder / "data").stat().st_mtime_ns:
        subprocess.run(["cp", "-p", pristine / "data", folder / "data"], check=True)


def measure(name: str, repeat: int, top: Path) -> dict[str, Any]:
    """One row of the table, with the inputs in a folder's work and pristine."""
    from rex.archive import Archive
    command = WORKLOADS[name][1]
    rounds: list[dict[str, float]] = []
    folder, pristine, archive, told = top / "work", top / "pristine", top / "A", top / "told"
    trace = (__file__, "--traced", command, str(told))
    record = ("-m", "rex.cli.main", "record", "-q", "-l", str(archive), "--", "sh", "-c", command)
    for _ in range(repeat):
        shutil.rmtree(archive, ignore_errors=True)
        found: dict[str, float] = {}
        for way in WAYS:
            clean(folder, pristine)
            found[way], found["cpu_" + way] = run(folder, *(trace if way == "traced" else record))
        found["run_traced"] = float(told.read_text())
        for way, experiment in (("first", "exp0"), ("again", "exp1")):
            found["run_" + way] = Archive.open(archive).experiment(experiment).manifest.duration_s
        rounds.append(found)
    return row(name, rounds)


def row(name: str, rounds: list[dict[str, float]]) -> dict[str, Any]:
    """Medians, of ratios and differences within each round."""
    def median(value: Any) -> float:
        return round(statistics.median(value(r) for r in rounds), 4)

    found: dict[str, Any] = {"workload": name, "rounds": rounds}
    for way in WAYS:
        found[way + "_s"] = median(lambda r: r[way])
        found[way + "_%"] = 100 * median(lambda r: r[way] / r["traced"] - 1)
        found[f"cpu_{way}_%"] = 100 * median(lambda r: r["cpu_" + way] / r["cpu_traced"] - 1)
        found[f"run_{way}_%"] = 100 * median(lambda r: (r["run_" + way] - r["run_traced"]) / r["traced"])
        found[f"wait_{way}_s"] = median(lambda r: r[way] - r["run_" + way] - (r["traced"] - r["run_traced"]))
    found["start_s"] = median(lambda r: r["traced"] - r["run_traced"])
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(WORKLOADS))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--traced", metavar=("COMMAND", "FILE"), nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.traced:
        return trace_only(*given.traced)
    sys.path.insert(0, str(ROOT / "bench"))
    from archive import machine
    print(machine())
    print(f"{'workload':10}" + "".join(f"{name:>13}" for name in COLUMNS))
    rows = []
    with tempfile.TemporaryDirectory(prefix="rex-bench-") as made:
        Path(made, "pristine").mkdir()
        make_inputs(Path(made, "pristine"))
        subprocess.run(["cp", "-a", f"{made}/pristine", f"{made}/work"], check=True)
        time.sleep(_SETTLED_S)
        for name in given.names or WORKLOADS:
            rows.append(measure(name, given.repeat, Path(made)))
            print(f"{name:10}" + "".join(f"{rows[-1][column]:>13.2f}" for column in COLUMNS), flush=True)
    if given.json:
        Path(given.json).write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
