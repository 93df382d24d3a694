"""What recording and replaying cost: fixed workloads, run bare, recorded and replayed in turn.

    python bench/run.py [--runs 5] [--json FILE] [NAME...]

Ratios are medians of paired runs; processor time counts Rex's own. The machine is named first.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REX = [sys.executable, "-m", "rex.cli.main"]

# name: what it stresses, command (run by sh in a folder with tree/ and data.txt)
WORKLOADS = {
    "nothing": ("start-up", "true"),
    "compute": ("processor only", "awk 'BEGIN { for (i = 0; i < 12000000; i++) s += i % 7; print s }'"),
    "text": ("plain files and pipes", "sort data.txt | uniq -c | sort -rn | head -20; gzip -c data.txt | wc -c"),
    "files": ("many small files", "find tree -type f | sort | xargs cat | wc -c; grep -rl 7 tree | wc -l"),
    "processes": ("fork and exec", "i=0; while [ $i -lt 100 ]; do /bin/echo $i; i=$((i+1)); done | tail -1"),
    "python": ("an interpreter's start", f"{sys.executable} -c 'import json, email, asyncio, sqlite3; print(1)'"),
    "threads": ("threads of an interpreter", f"{sys.executable} -c \"import threading as t\n"
                "w=[t.Thread(target=lambda: sum(range(600000))) for _ in range(8)]\n"
                "[x.start() for x in w]; [x.join() for x in w]; print(8)\""),
    "waits": ("threads that sleep and wait with limits", f"{sys.executable} -c \"import threading as t, time\ne=t.Event(); n=[]\n"
             "def tick():\n while not e.wait(.25): n.append(1)\n"
             "w=t.Thread(target=tick); w.start(); time.sleep(1.1); e.set(); w.join(); print(len(n))\""),
    "clock": ("one recorded call a step", f"{sys.executable} -c \"import time\nfor i in range(20000): time.time()\nprint(1)\""),
}


@dataclass
class Cost:
    """One run: wall-clock and processor seconds."""

    wall_s: float
    cpu_s: float


@dataclass
class Row:
    """One workload, medians over the runs."""

    name: str
    bare_s: float
    record_wall: float
    record_cpu: float
    replay_wall: float
    replay_cpu: float
    spread: float
    events: int
    log_bytes_per_event: float


def timed(command: list[str], cwd: str, limit_s: float | None = None) -> Cost:
    """What a run costs; after the limit it is killed with its children, and TimeoutExpired is raised."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=limit_s is not None,
                               env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH")]))})
    try:
        status = process.wait(limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    if status:
        raise subprocess.CalledProcessError(status, command)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def prepare(folder: str) -> None:
    """Input files, the same on every machine."""
    with open(os.path.join(folder, "data.txt"), "w", encoding="ascii") as file:
        file.writelines(f"line {i * 7919 % 10007} of {i}\n" for i in range(150000))
    for i in range(2000):
        path = os.path.join(folder, "tree", str(i % 40), f"{i}.txt")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"{i} " * 50)


def measure(name: str, runs: int, top: str) -> Row:
    """Bare, recorded and replayed, in turn, each time into a fresh archive."""
    shell = ["sh", "-c", WORKLOADS[name][1]]
    folder, archive = os.path.join(top, "work"), os.path.join(top, name)
    subprocess.run([*REX, "record", "-q", "-l", archive, "--", *shell], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": ROOT})
    ratios: list[tuple[float, float, float, float]] = []
    bare_s = []
    for run in range(runs):
        out = os.path.join(top, f"out-{name}-{run}")
        bare = timed(shell, folder)
        record = timed([*REX, "record", "-q", "-l", archive, "--", *shell], folder)
        replay = timed([*REX, "replay", "-q", "-l", archive, "-o", out], top)
        shutil.rmtree(out)
        bare_s.append(bare.wall_s)
        ratios.append((record.wall_s / bare.wall_s, record.cpu_s / max(bare.cpu_s, 1e-3),
                       replay.wall_s / bare.wall_s, replay.cpu_s / max(bare.cpu_s, 1e-3)))
    medians = [statistics.median(column) for column in zip(*ratios)]
    walls = sorted(row[0] for row in ratios)
    events, log_bytes = log_of(archive)
    return Row(name, statistics.median(bare_s), *medians, walls[-1] / walls[0] - 1, events, log_bytes / max(events, 1))


def log_of(archive: str) -> tuple[int, int]:
    """Events of an archive's newest log, and its bytes as stored."""
    sys.path.insert(0, ROOT)
    from rex.archive import Archive
    opened = Archive.open(archive)
    manifest, packs = opened.experiment().manifest, {pack.name: pack for pack in opened.store.packs()}
    places = [opened.store.place(digest) for digest, _ in opened.store.needs(manifest.log.content)]
    frames = {(place.pack, place.frame) for place in places}     # a log has frames of its own
    return manifest.counts["events"], sum(packs[pack].frames[frame][1] for pack, frame in frames)


def machine() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "?")
    return f"{platform.release()}, {os.cpu_count()} x {model}, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(WORKLOADS))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", help="also write the rows to this file")
    args = parser.parse_args()
    print(machine())
    print(f"{'workload':<11}{'bare':>8}  {'record':>13}  {'replay':>13}  {'spread':>6}  {'events':>7}  {'B/event':>7}   stresses")
    print(f"{'':<11}{'s':>8}  {'wall':>6} {'cpu':>6}  {'wall':>6} {'cpu':>6}")
    rows = []
    with tempfile.TemporaryDirectory(prefix="rex-bench-") as top:
        os.mkdir(os.path.join(top, "work"))
        prepare(os.path.join(top, "work"))
        for name in [n for n in WORKLOADS if not args.names or n in args.names]:
            row = measure(name, args.runs, top)
            rows.append(asdict(row))
            print(f"{row.name:<11}{row.bare_s:>8.3f}  {row.record_wall:>5.2f}x {row.record_cpu:>5.2f}x  {row.replay_wall:>5.2f}x "
                  f"{row.replay_cpu:>5.2f}x  {row.spread:>5.0%}  {row.events:>7}  {row.log_bytes_per_event:>7.1f}   {WORKLOADS[name][0]}", flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine(), "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
