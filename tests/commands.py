"""Rex's commands, run as a user runs them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
REX = [sys.executable, "-m", "rex.cli.main"]


def environment(**changes: str) -> dict[str, str]:
    """Ours, with this tree's Rex, and these changes."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **changes}


def put_on_path(folder: Path) -> str:
    """A PATH on which `rex` and `python` are this tree's, by scripts in a new folder."""
    folder.mkdir()
    for name, words in (("rex", REX), ("python", REX[:1])):
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def run_rex(*args: str, cwd: Path, code: int | None = 0, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run rex without input, with these changes of the environment; it must end with this code, where one is given."""
    done = subprocess.run([*REX, *args], cwd=cwd, env=environment(**changes), capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=120, check=False)
    assert code in (None, done.returncode), done.stderr + done.stdout
    assert "Traceback" not in done.stderr, done.stderr
    return done


def rex(*args: str, cwd: Path, code: int = 0, **changes: str) -> str:
    """Run rex; its standard output."""
    return run_rex(*args, cwd=cwd, code=code, **changes).stdout


def contents(top: Path) -> dict[str, Any]:
    """Files and links below a directory: mode and content."""
    found: dict[str, Any] = {}
    for base, dirs, files in os.walk(top):
        for name in dirs + files:
            path = Path(base, name)
            mode = path.lstat().st_mode
            found[str(path.relative_to(top))] = (mode, os.readlink(path) if path.is_symlink() else
                                                 path.read_bytes() if path.is_file() else None)
    return found


def kept_times(top: Path, began_ns: int) -> dict[str, int]:
    """Of files and links below a directory: the times that were set, or kept, by a run that began then; not those of its writes."""
    found = {str(path.relative_to(top)): path.lstat().st_mtime_ns for path in top.rglob("*") if path.is_symlink() or path.is_file()}
    return {name: ns for name, ns in found.items() if not began_ns - 10**7 <= ns <= time.time_ns()}


@contextmanager
def dask_cluster(place: Path, **changes: str) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a Dask scheduler, and its two workers; skips the test where Dask is not installed."""
    pytest.importorskip("distributed", reason="Dask is not installed")
    file = place / "scheduler.json"
    start = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--scheduler-file", str(file), "--port", "0",
             "--no-dashboard", "--host", "127.0.0.1"]
    work = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file), "--nthreads", "1",
            "--no-nanny", "--no-dashboard"]
    running = [subprocess.Popen(command, env=environment(**changes), cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
               for command in (start, work, work)]
    try:
        for _ in range(300):
            if file.exists() and file.stat().st_size:
                break
            time.sleep(0.1)
        yield json.loads(file.read_text())["address"], running[1:]
    finally:
        for process in running:
            process.kill()
            process.wait()
