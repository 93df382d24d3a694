"""What archives weigh, beside reprozip's: python bench/archive.py [--suite RUN] [--travel] [--json FILE] [NAME...].

Each workload is recorded twice into a fresh archive, and `reprozip trace` and `reprozip pack` do the same run where
reprozip is installed. Columns, in bytes of files: `first` recording; what the `second` one adds, in percent of it;
`dense`, the first after `rex gc --recompress`; `reprozip`; and the ratios of first and dense to reprozip's.
`outputs` are bytes of the first that reprozip does not keep: what the run wrote, and the log; `inputs_ratio` is
without them. `xz` is what
reprozip's own files would take in xz -6 with its filter for x86, the best that a common tool does.

RUN is a script that lays workloads out: `RUN make NAME DIR` prints, last, the command to run in DIR. --travel times
export, import, push and pull instead. Seconds are wall clock, of one run, start of the interpreter included.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
REX = [sys.executable, "-m", "rex.cli.main"]
COLUMNS = ("first", "second_percent", "dense", "outputs", "reprozip", "xz", "ratio", "inputs_ratio", "dense_ratio")
TRAVEL = ("first", "export", "export_s", "import_s", "push_s", "pull_s")

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
                   env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=900, check=True)
    return time.perf_counter() - begin


def reprozip_bytes(folder: Path, command: str) -> tuple[int | None, int | None]:
    """Size of what `reprozip pack` makes of the run, and of the same files in xz; None without reprozip."""
    program = shutil.which("reprozip", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if not program:
        return None, None
    try:
        with tempfile.TemporaryDirectory(prefix="rex-bench-") as made:
            run(folder, program, "trace", "--overwrite", "--dont-identify-packages", "-d", f"{made}/t", "sh", "-c", command)
            run(folder, program, "pack", "-d", f"{made}/t", f"{made}/packed.rpz")
            return size_of(Path(made, "packed.rpz")), xz_bytes(Path(made, "packed.rpz"))
    except (subprocess.SubprocessError, OSError):
        return None, None


def xz_bytes(packed: Path) -> int:
    """What the files of a reprozip pack take in xz, all in one stream."""
    packer = lzma.LZMACompressor(lzma.FORMAT_XZ, filters=[{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 6}])
    size = 0
    with tarfile.open(packed) as outer:
        data = outer.extractfile("DATA.tar.gz")
        assert data
        with tarfile.open(fileobj=data) as inner:
            for member in inner:
                file = inner.extractfile(member) if member.isreg() else None
                while file and (block := file.read(1 << 20)):
                    size += len(packer.compress(block))
    return size + len(packer.flush())


class Place:
    """A workload laid out, and the same again for every run."""

    def __init__(self, name: str, top: Path, suite: str | None) -> None:
        self.folder, self._pristine = top / "work", top / "pristine"
        if name in WORKLOADS:
            self.command = WORKLOADS[name][1]
            self.folder.mkdir()
            make_inputs(self.folder)
        else:
            told = subprocess.run([*shlex.split(suite or ""), "make", name, str(self.folder)], check=True, text=True,
                                  capture_output=True).stdout
            self.command = told.splitlines()[-1]
        subprocess.run(["cp", "-a", self.folder, self._pristine], check=True)

    def fresh(self) -> Path:
        """The folder as it was laid out; what did not change is the same file still."""
        for path in sorted(self.folder.rglob("*"), reverse=True):
            old = self._pristine / path.relative_to(self.folder)
            if not old.is_symlink() and not old.exists() or old.is_dir() != path.is_dir():
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        for old in sorted(self._pristine.rglob("*")):
            path = self.folder / old.relative_to(self._pristine)
            one, two = old.lstat(), path.lstat() if path.is_symlink() or path.exists() else None
            if not two or (one.st_mtime_ns, one.st_size) != (two.st_mtime_ns, two.st_size) and not old.is_dir():
                subprocess.run(["cp", "-a", old, path.parent], check=True)
        return self.folder


def record(place: Place, archive: Path) -> int:
    """Record once more; what the archive weighs then."""
    run(place.fresh(), *REX, "record", "-q", "-l", str(archive), "--", "sh", "-c", place.command)
    return size_of(archive)


def extra_bytes(archive: Path) -> int:
    """About what the first experiment stores that reprozip does not: contents of outputs, and the log."""
    from rex.archive import Archive
    opened = Archive.open(archive)
    experiment = opened.experiment("exp0")
    files = experiment.manifest.files.values()
    inputs = {c.sha256 for e in files if e.initial and e.initial.content for c in [e.initial.content]}
    own = [e.final.content for e in files if e.final and e.final.content and e.final.content.sha256 not in inputs]
    own += experiment.manifest.log.contents() if experiment.manifest.log else []
    share = {digest: place.length * pack.frames[place.frame][1] / max(1, pack.frames[place.frame][2])
             for pack in opened.store.packs() for digest, place in pack.places.items()}
    return experiment.folder_bytes() + round(sum(share[d] for c in own for d in opened.store.reach(c)))


def measure(name: str, suite: str | None) -> dict[str, Any]:
    """One row of the table."""
    with tempfile.TemporaryDirectory(prefix="rex-bench-") as made:
        top = Path(made)
        place, archive = Place(name, top, suite), top / "A"
        first = record(place, archive)
        outputs = extra_bytes(archive)
        row: dict[str, Any] = {"workload": name, "first": first, "outputs": outputs,
                               "second_percent": round(100 * (record(place, archive) - first) / first, 2)}
        run(top, *REX, "rm", "A:exp1")
        run(top, *REX, "gc", "--recompress", "A")
        row["dense"] = size_of(archive)
        row["reprozip"], row["xz"] = reprozip_bytes(place.fresh(), place.command)
        for column, part in (("ratio", "first"), ("dense_ratio", "dense")):
            row[column] = round(row[part] / row["reprozip"], 2) if row["reprozip"] else None
        row["inputs_ratio"] = round((first - outputs) / row["reprozip"], 2) if row["reprozip"] else None
        return row


def travel(name: str, suite: str | None) -> dict[str, Any]:
    """Seconds of every way to another place."""
    with tempfile.TemporaryDirectory(prefix="rex-bench-") as made:
        top = Path(made)
        first = record(Place(name, top, suite), top / "A")
        return {"workload": name, "first": first,
                "export_s": run(top, *REX, "export", "A", "-o", "a.rex"), "import_s": run(top, *REX, "import", "a.rex", "-l", "B"),
                "push_s": run(top, *REX, "push", "A", "R"), "pull_s": run(top, *REX, "pull", "R", "-l", "P"),
                "export": size_of(top / "a.rex")}


def text(value: Any) -> str:
    """A cell of the table."""
    return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else f"{value:,}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(WORKLOADS))
    parser.add_argument("--suite", metavar="RUN", help="a script that lays other workloads out")
    parser.add_argument("--travel", action="store_true", help="time the ways to another place")
    parser.add_argument("--json", metavar="FILE", help="also write machine and rows there")
    given = parser.parse_args()
    columns = TRAVEL if given.travel else COLUMNS
    print(machine())
    print(f"{'workload':14}" + "".join(f"{name:>15}" for name in columns))
    rows = []
    for name in given.names or WORKLOADS:
        try:
            rows.append((travel if given.travel else measure)(name, given.suite))
        except subprocess.SubprocessError as error:
            print(f"{name:14} failed: {str(error)[:90]}", flush=True)
            continue
        print(f"{name:14}" + "".join(f"{text(rows[-1][column]):>15}" for column in columns), flush=True)
    if given.json:
        Path(given.json).write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
