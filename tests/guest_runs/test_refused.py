"""What the reference engine refuses it refuses as it is recorded, by name; and a log of it, too."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Callable

import pytest
from harness import command_of, prepare
from rex.tracer import native
from rex.tracer.reference.limits import REFUSED
from test_guests import ALL, program_of, shared_of, trial_of

__all__ = ["program_of", "shared_of"]     # fixtures

pytestmark = pytest.mark.usefixtures("tracing")

FIRST = {"threads": "tasks/work_queue.c", "System V IPC": "ipc/sysv_memory.c"}
UNSUPPORTED, OWN_FAILURE = 21, 125
CASES = [pytest.param(name, marks=[] if name in FIRST.values() else [pytest.mark.stress]) for name, guest in ALL.items()
         if guest.native_reason in FIRST and not guest.run.outside]


@pytest.mark.parametrize("name", CASES)
def test_recording_is_refused(name: str, tmp_path: Path, program_of: Callable[[str], Path], shared_of: Callable[[str], Path]) -> None:
    trial = trial_of(name, "reference", tmp_path, program_of, shared_of("refused"))
    prepare(trial.directory)
    command = command_of(trial.guest, trial.directory, trial.program, trial.run)
    done = trial.rex({"PATH": "/usr/bin:/bin"}, trial.directory, "record", "-l", str(trial.archive), "-e", trial.name, "--", *command,
                     stdin=subprocess.DEVNULL)
    assert done.status == OWN_FAILURE and message(ALL[name].native_reason) in done.stderr


@pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")
def test_replay_of_threads_is_refused(tmp_path: Path, program_of: Callable[[str], Path], shared_of: Callable[[str], Path]) -> None:
    trial = trial_of(FIRST["threads"], "native", tmp_path, program_of, shared_of("refused"))
    trial.record()
    trial.engine = "reference"
    done = trial.rex({}, tmp_path, "replay", "-l", str(trial.archive), "-e", trial.name, "--check", stdin=subprocess.DEVNULL)
    assert done.status == UNSUPPORTED and message("threads") in done.stderr


def message(name: str) -> bytes:
    return b"rex: the reference engine runs no program that uses %s: %s; " % (name.encode(), REFUSED[name].encode())
