"""Every guest as a new experiment: its directory is gone, it runs live on the archive, and is recorded.

It must end as it did and leave the same files below OUTDIR, nothing else may change, and the new
experiment must replay.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Callable

import pytest
from harness import GUESTS, TOKEN, Result, Run, Trial, entries, tail
from rex.tracer import native
from test_guests import ALWAYS, NAMES, RUNS, SOMETIMES, program_of, shared_of

__all__ = ["program_of", "shared_of"]     # fixtures

pytestmark = [pytest.mark.usefixtures("tracing"),
              pytest.mark.skipif(not native.is_built(), reason="only the native engine runs live")]

# What a live run is about: names, programs, descriptors.  The others are run by mark.
CHOSEN = ("at_calls.c", "copies.c", "descriptors.c", "directory_written.c", "exec_ways.c", "failed_lookups.c",
          "file_names.c", "inodes.c", "inotify.c", "links.c", "make_rebuilds.sh", "mmap_files.c", "o_tmpfile.c", "openat2_statx.c",
          "proc_self.c", "python_usual.py", "readdir_order.c", "rename_games.c", "scripts.sh", "shell_files.sh",
          "shell_pipeline.sh", "socket_unix.c", "stdin_file.c", "thread_exec.c", "times_set.c", "unlinked_open.c")
SKIPPED = {
    "stdout_closed.c": "its reader leaves, which this test does not do",
    "stdout_closed_kills.c": "its reader leaves, which this test does not do",
    **{name: "its output depends on the interleaving" for name, run in RUNS.items() if run.is_serialized},
    **{name: "its output tells who was first" for name in ("locks_order.c", "locks_tried.c", "writers_shared.c", "writers_shell.sh")},
    "umask_modes.c": "it looks at a link without reading it, so that the archive has the link's size only",
}
# Files whose bytes hold the time of day, so that another run makes others.
BY_TIME = {"built_during_run.sh": {b"main"}, "loader_statistics.sh": {b"told"},
           "python_thread_jobs.py": {b"f%d" % number for number in range(0, 24, 3)}}
RACING = {name for name, _ in (*ALWAYS, *SOMETIMES)}


def run_live(trial: Trial, elsewhere: Path) -> tuple[Result, dict[str, object]]:
    """Run the recorded guest as a new experiment, recorded; the process and its report."""
    with trial.outside() as port:         # a live run meets those that are there now
        args = ("runnew", "-q", "-l", str(trial.archive), "-e", trial.name, "--headless", "-o", "out",
                f"--record={trial.name[-80:].lstrip('.-+')}.live", "--json", *(["--env", f"GUEST_PORT={port}"] if port else []))
        if trial.run.is_stdin_file:
            source = trial.place / "stdin"
            source.write_bytes(trial.run.stdin)
            with open(source, "rb") as file:
                done = trial.rex({}, elsewhere, *args, stdin=file)
        else:
            done = trial.rex({}, elsewhere, *args, text=trial.run.stdin)
    at = done.stdout.rfind(b'{"archive": ')
    assert at >= 0, f"no report\n{done.command}\n{tail(done.stdout)}\n{tail(done.stderr)}"
    report = json.loads(done.stdout[at:])
    return Result(done.status, done.stdout[:at], done.stderr, done.command), report


def compare_files(trial: Trial, outdir: Path, how: str) -> None:
    """Below OUTDIR is what the recorded run changed, and nothing else but the way there."""
    free = BY_TIME.get(trial.guest.name, set())
    inside = outdir / str(trial.directory).lstrip("/")
    there = entries(inside) if inside.exists() else {}
    for path, entry in trial.after.items():
        if trial.before.get(path) != entry and path not in free:
            assert there.get(path) == entry, f"{path!r} is {there.get(path)}, was {entry}{how}"
    for path, entry in there.items():
        assert path in free or trial.after.get(path) == entry, f"{path!r} is {entry}, was {trial.after.get(path)}{how}"
    prefix = os.fsencode(str(trial.directory).lstrip("/"))
    strays = [path for path, entry in entries(outdir).items() if not path.startswith(prefix) and entry[0] != "d"]
    assert not strays, f"written elsewhere in OUTDIR: {strays}{how}"


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name in CHOSEN else [pytest.mark.stress])
                                  for name in NAMES if name not in SKIPPED])
def test_guest_runs_live(name: str, tmp_path: Path, program_of: Callable[[str], Path],
                         shared_of: Callable[[str], Path]) -> None:
    shared_of("live").mkdir(exist_ok=True)
    trial = Trial(GUESTS / name, "native", program_of(name), RUNS.get(name, Run()), tmp_path, shared_of("live"))
    trial.record()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done, report = run_live(trial, elsewhere)
    how = f"\n{done.command}\n{tail(done.stdout)}\n{tail(done.stderr)}"
    assert done.status == trial.run.status, f"status {done.status}{how}"
    if trial.run.has_token:
        assert done.stdout.splitlines()[-1:] == [TOKEN], f"the guest did not finish{how}"
    compare_files(trial, elsewhere / "out", how)
    assert os.listdir(elsewhere) == ["out"], "written beside OUTDIR"
    assert not trial.directory.exists(), "the recorded directory is back"
    if name in RACING:
        return
    again = trial.rex({}, elsewhere, "replay", "-q", "-l", str(trial.archive), "-e", str(report["experiment"]),
                      "-o", "again", "--check", "--json", stdin=subprocess.DEVNULL)
    assert again.status == 0, f"the new experiment does not replay: {tail(again.stdout)}{tail(again.stderr)}"
