"""Seconds and memory of `rex expdiff -d 3` by the length of the logs.

    python bench/expdiff.py [CALLS ...]

Two logs are made per length: one process that opens, asks and reads, with
an edit now and then; then the same where a tenth of one log, in one piece, is
missing from the other, and where nothing agrees. Every measurement is a process
of its own, so that its peak of memory is its own: of the larger of the two processes that read.
"""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parents[1]))

from rex.expdiff.calls import compare_calls  # noqa: E402
from rex.expdiff.processes import match_tasks  # noqa: E402
from rex.expdiff.reading import read_both  # noqa: E402
from rex.log import Event, LogWriter  # noqa: E402
from rex.log.records import IN, OUT, RESOLVED, STAT, TASK  # noqa: E402
from rex.syscalls import BY_NAME  # noqa: E402

_LENGTHS = (10_000, 100_000, 1_000_000)
_KINDS = ("edits", "block", "disjoint")


def make_calls(number: int, path: bytes) -> list[Event]:
    """What a program does with one file."""
    name = path + b"/%d" % (number % 5000)
    address = 0x7F0000000000 + number * 4096
    stat = bytes(24) + b"\xa4\x81\x00\x00" + bytes(116)
    return [
        Event(BY_NAME["openat"].nr, result=3, args=(2**64 - 100, address, 0, 0, 0, 0),
              fields=((1, IN, name), (1, RESOLVED, name), (1, STAT, stat))),
        Event(BY_NAME["newfstatat"].nr, args=(3, address, address, 4096, 0, 0),
              fields=((1, IN, b""), (2, OUT, stat))),
        Event(BY_NAME["read"].nr, result=64, args=(0, address, 64, 0, 0, 0), stream=1,
              fields=((1, OUT, b"%064d" % number),)),
        Event(BY_NAME["access"].nr, args=(address, 4, 0, 0, 0, 0), fields=((0, IN, name),)),
        Event(BY_NAME["readlink"].nr, result=-22, args=(address, address, 99, 0, 0, 0), fields=((0, IN, name),))]


def write_log(path: str, count: int, kind: str, is_right: bool) -> None:
    """A log of count calls."""
    per_file = len(make_calls(0, b""))
    files = count // per_file
    with LogWriter(path, start_ns=1) as log:
        log.append(Event(TASK, args=(2**32 - 1, 0, 0, 9, 9, 0)))
        for number in range(files):
            if kind == "edits" and number % 97 == (13 if is_right else 0):
                continue
            if kind == "block" and is_right and files // 3 <= number < files // 3 + files // 10:
                continue
            for event in make_calls(number, b"/right" if kind == "disjoint" and is_right else b"/left"):
                log.append(event)


def as_experiment(path: str) -> SimpleNamespace:
    """What reading asks of an experiment."""
    facts = SimpleNamespace(cwd="/w", log=SimpleNamespace(size=os.path.getsize(path)))
    return SimpleNamespace(manifest=facts, open_log=lambda: open(path, "rb"))


def measure(left: str, right: str) -> None:
    """Print seconds for reading, seconds for comparing, CPU seconds of both, differences and MB at the peak."""
    started = time.perf_counter()
    one, two = read_both(*(as_experiment(path) for path in (left, right)))   # type: ignore[arg-type]
    read_s = time.perf_counter() - started
    calls = compare_calls(one, two, match_tasks(one, two))
    skipped = sum(each.skipped_left + each.skipped_right + each.changed for each in calls.processes)
    cpu = sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, (
        resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1000
    print(f"{read_s:.2f} | {time.perf_counter() - started - read_s:.2f} | {cpu:.2f} | {calls.in_step} | {skipped} | {peak:.0f}")


def main(lengths: list[int]) -> None:
    """The table."""
    print(f"{platform.machine()}, {os.cpu_count()} CPUs, Linux {platform.release()}, Python {platform.python_version()}")
    print("\n| calls per log | kind | read both s | compare s | CPU s | in step | differ | peak MB |\n" + "|---" * 8 + "|")
    for count in lengths:
        for kind in _KINDS:
            with tempfile.TemporaryDirectory() as folder:
                paths = [os.path.join(folder, name) for name in ("left", "right")]
                for is_right, path in enumerate(paths):
                    write_log(path, count, kind, bool(is_right))
                done = subprocess.run([sys.executable, __file__, "--measure", *paths], check=True,
                                      capture_output=True, text=True)
            print(f"| {count} | {kind} | {done.stdout.strip()} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(*sys.argv[2:4])
    else:
        main([int(each) for each in sys.argv[1:]] or list(_LENGTHS))
