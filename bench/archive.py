"""What archives weigh, beside reprozip's, and how fast they travel: python bench/archive.py [NAME...] [--json FILE].

Each workload is recorded twice into a fresh archive, exported, imported, pushed to a folder and pulled; `reprozip trace`
and `reprozip pack` do the same run where reprozip is installed. Sizes are bytes of files; seconds are wall clock,
of one run, start of the interpreter included.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
REX = [sys.executable, "-m", "rex.cli.main"]
COLUMNS = ("first", "second_percent", "export", "reprozip", "ratio", "export_s", "import_s", "push_s", "pull_s")

# name: what it stresses, command run by sh
WORKLOADS = {
    "echo": ("a shell", "echo hello"),
    "text": ("pipes and one input", "sort data.txt | uniq -c | sort -rn | head -20; gzip -c data.txt | wc -c"),
    "files": ("two thousand small files", "find tree -type f | sort | xargs cat | wc -c"),
    "outputs": ("files that it makes itself", "for i in 1 2 3 4 5 6 7 8; do head -c 3000000 data.txt > out$i; done; "
                "cat out* | gzip -c > all.gz"),
    "python": ("an interpreter and its modules", f"{sys.executable} -c 'import json, email, asyncio, sqlite3; print(1)'"),
    "numpy": ("large libraries", f"{sys.executable} -c 'import numpy; print(numpy.arange(9).sum())'"),
}


def machine() -> str:
    """Processor, kernel, Python: numbers mean nothing without them."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "?")
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}, Python {platform.python_version()}"


def make_inputs(folder: Path) -> None:
    """data.txt of 4 MB and tree/ of 2,000 files."""
    (folder / "data.txt").write_text("".join(f"{n * 7919 % 10007} line {n % 13}\n" for n in range(300_000)))
    for n in range(2000):
        path = folder / "tree" / str(n % 40) / f"file{n}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{n}\n" * (n % 300 + 1))


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files below a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())


def run(folder: Path, *command: str) -> float:
    """Seconds that a command takes; it must succeed."""
    begin = time.perf_counter()
    subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=600, check=True)
    return time.perf_counter() - begin


def reprozip_bytes(folder: Path, command: str) -> int | None:
    """Size of what `reprozip pack` makes of the run; None without reprozip."""
    program = shutil.which("reprozip", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if not program:
        return None
    try:
        run(folder, program, "trace", "--dont-identify-packages", "-d", "traced", "sh", "-c",
            command)
        run(folder, program, "pack", "-d", "traced", "packed.rpz")
        return size_of(folder / "packed.rpz")
    except (subprocess.SubprocessError, OSError):
        return None


def measure(name: str) -> dict[str, Any]:
    """One row of the table."""
    _, command = WORKLOADS[name]
    with tempfile.TemporaryDirectory(prefix="rex-bench-") as made:
        folder = Path(made)
        make_inputs(folder)
        record = [*REX, "record", "-q", "-l", "A", "--", "sh", "-c", command]
        run(folder, *record)
        first = size_of(folder / "A")
        for path in [*folder.glob("out*"), folder / "all.gz"]:
            path.unlink(missing_ok=True)
        run(folder, *record)
        second = size_of(folder / "A") - first
        row: dict[str, Any] = {
            "workload": name, "first": first, "second_percent": round(100 * second / first, 2),
            "export_s": run(folder, *REX, "export", "A", "-o", "a.rex", "-e", "exp0"),
            "import_s": run(folder, *REX, "import", "a.rex", "-l", "B"),
            "push_s": run(folder, *REX, "push", "A", "R", "-e", "exp0"),
            "pull_s": run(folder, *REX, "pull", "R", "-l", "P"), "export": size_of(folder / "a.rex")}
        for path in [*folder.glob("out*"), folder / "all.gz"]:
            path.unlink(missing_ok=True)
        row["reprozip"] = reprozip_bytes(folder, command)
        row["ratio"] = round(first / row["reprozip"], 2) if row["reprozip"] else None
        return row


def text(value: Any) -> str:
    """A cell of the table."""
    return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else f"{value:,}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(WORKLOADS))
    parser.add_argument("--json", metavar="FILE", help="also write machine and rows there")
    given = parser.parse_args()
    print(machine())
    print(f"{'workload':10}" + "".join(f"{name:>15}" for name in COLUMNS))
    rows = []
    for name in given.names or WORKLOADS:
        rows.append(measure(name))
        print(f"{name:10}" + "".join(f"{text(rows[-1][column]):>15}" for column in COLUMNS), flush=True)
    if given.json:
        Path(given.json).write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
