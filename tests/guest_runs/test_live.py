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
from guests import GUESTS
from harness import TOKEN, Result, Trial, entries, tail
from rex.tracer import native
from test_guests import ALL, program_of, shared_of, trial_of

__all__ = ["program_of", "shared_of"]     # fixtures

pytestmark = [pytest.mark.usefixtures("tracing"),
              pytest.mark.skipif(not native.is_built(), reason="only the native engine runs live")]

# All are run as new experiments; in each test run only those about names, programs and descriptors.
LIVE = [pytest.param(name, marks=[] if guest.is_live else [pytest.mark.stress]) for name, guest in ALL.items()
        if not guest.not_live and not guest.run.is_serialized]


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
    free = ALL[trial.guest.relative_to(GUESTS).as_posix()].differs
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


@pytest.mark.parametrize("name", LIVE)
def test_guest_runs_live(name: str, tmp_path: Path, program_of: Callable[[str], Path],
                         shared_of: Callable[[str], Path]) -> None:
    trial = trial_of(name, "native", tmp_path, program_of, shared_of("live"))
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
    if trial.run.is_racing:
        return
    again = trial.rex({}, elsewhere, "replay", "-q", "-l", str(trial.archive), "-e", str(report["experiment"]),
                      "-o", "again", "--check", "--json", stdin=subprocess.DEVNULL)
    assert again.status == 0, f"the new experiment does not replay: {tail(again.stdout)}{tail(again.stderr)}"
