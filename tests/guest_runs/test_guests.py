"""Every guest replays exactly, under each engine, with its directory gone.

To add a guest, put a file into a folder of tests/guests; guests.py tells what its first comment says. A failure
keeps the recording and prints the command that replays it.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

import pytest
from guests import all_guests
from harness import COMPILER, Trial
from rex.archive import Archive
from rex.log import LogReader
from rex.syscalls import BY_NAME, CALLS, Policy
from rex.tracer import native

REPEATS = 20
TRIES, MISSES = 3, 3     # of a racing guest, and of all of them together, in the short suite: a busy machine turns races

ENGINES = [pytest.param("native", marks=pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")),
           pytest.param("reference", marks=[pytest.mark.stress, pytest.mark.skipif(
               not importlib.util.find_spec("rex.tracer.reference"), reason="there is no reference engine")])]
ALL = all_guests()
PAIRS = [pytest.param(name, *engine.values, marks=[*engine.marks, *([pytest.mark.stress] if guest.run.is_long else [])])
         for name, guest in ALL.items() for engine in ENGINES if engine.values == ("native",) or not guest.native_reason]
RACING = [name for name, guest in ALL.items() if guest.run.is_racing]


@pytest.fixture(scope="session")
def program_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """What runs for a guest; C guests are compiled once."""
    built = tmp_path_factory.mktemp("programs")

    def program(name: str) -> Path:
        guest = ALL[name]
        source = guest.path
        if source.suffix != ".c":
            return source
        made = built / name.removesuffix(".c")
        if not made.exists():
            if not shutil.which(COMPILER[0]):
                pytest.skip(f"{COMPILER[0]} is not installed")
            made.parent.mkdir(exist_ok=True)
            subprocess.run([*COMPILER, *guest.run.flags, "-o", str(made), str(source)], check=True)
        return made
    return program


@pytest.fixture(scope="session")
def shared_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Archive and cache of an engine: programs and libraries are stored once."""
    top = tmp_path_factory.mktemp("shared")
    return lambda engine: top / engine


def trial_of(name: str, engine: str, place: Path, program_of: Callable[[str], Path], shared: Path, **run: Any) -> Trial:
    """The trial of a guest; `run` replaces what its first comment says."""
    shared.mkdir(exist_ok=True)
    guest = ALL[name]
    return Trial(guest.path, engine, program_of(name), replace(guest.run, **run), place, shared)


@pytest.fixture(scope="session")
def missed() -> list[str]:
    """Racing guests that did not replay in this run."""
    return []


@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("name, engine", PAIRS)
def test_guest_replays(name: str, engine: str, tmp_path: Path, program_of: Callable[[str], Path], shared_of: Callable[[str], Path],
                       missed: list[str]) -> None:
    is_racing = ALL[name].run.is_racing
    for number in range(TRIES if is_racing else 1):
        trial = trial_of(name, engine, tmp_path / f"{tmp_path.name}-{number}", program_of, shared_of(engine))
        try:
            recorded = trial.record()
            if not is_racing:                   # what a racing guest calls may depend on who is first
                assert not unlogged(trial, name)
            return trial.replay(recorded, is_alone=True)
        except AssertionError as error:
            failure = error
    if not is_racing or len(missed) == MISSES:
        raise failure
    missed.append(name)
    pytest.xfail(f"a race went another way {TRIES} times; the long suite lets none pass")


def unlogged(trial: Trial, name: str) -> set[str]:
    """Calls that a guest is to show and that its log lacks, of those that the log answers in a replay.

    restart_syscall is the kernel's own: the log has the call that it restarts.
    """
    answered = {BY_NAME[call].nr for call in ALL[name].shows if call in BY_NAME and BY_NAME[call].policy is Policy.EMULATE}
    answered -= {BY_NAME["restart_syscall"].nr}
    with LogReader(Archive.open(trial.archive).experiment(trial.name).open_log()) as log:
        return {CALLS[nr].name for nr in answered - {event.call for event in log.select(answered)}}


@pytest.mark.stress
@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("recorded_fast", ["0", "1"])
def test_guest_replays_where_all_calls_stop(name: str, recorded_fast: str, tmp_path: Path, request: pytest.FixtureRequest,
                                            program_of: Callable[[str], Path], shared_of: Callable[[str], Path]) -> None:
    if not native.is_built():
        pytest.skip("the native engine is not built")
    trial = trial_of(name, "native", tmp_path, program_of, shared_of(f"native{recorded_fast}"))
    trial.fast = recorded_fast
    recorded = trial.record()
    trial.fast = str(1 - int(recorded_fast))
    trial.replay(recorded)


@pytest.mark.stress
@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("name", ALL)
def test_guest_replays_one_thread_at_a_time(name: str, tmp_path: Path,
                                            program_of: Callable[[str], Path], shared_of: Callable[[str], Path]) -> None:
    if not native.is_built():
        pytest.skip("the native engine is not built")
    trial = trial_of(name, "native", tmp_path, program_of, shared_of("serialized"), is_serialized=True)
    trial.replay(trial.record())


@pytest.mark.stress
@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("name", RACING)
def test_racing_guest_replays_always(name: str, tmp_path: Path, program_of: Callable[[str], Path], shared_of: Callable[[str], Path]) -> None:
    if not native.is_built():
        pytest.skip("the native engine is not built")
    trial = trial_of(name, "native", tmp_path, program_of, shared_of("native"))
    recorded = trial.record()
    for repeat in range(REPEATS):
        trial.replay(recorded, f"out{repeat}")
