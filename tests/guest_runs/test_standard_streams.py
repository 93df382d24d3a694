"""The standard streams that a recording had are those of its replay: closed, read-only, appended to, or the same file."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest
from harness import GUESTS, Run, Trial
from test_guests import ENGINES, program_of   # noqa: F401 (a fixture)

STREAMS = ("<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-", ">new.txt 2>&1", ">>in.txt 2>&1", "<in.txt >data/a.txt 2>data/a.txt",
           "1<in.txt", "0>new.txt", "0>>in.txt", "<>in.txt >&0 2>&0", "1<>in.txt", "2>&- >/dev/full")
SHARED_POSITIONS = ("<in.txt 5<&0", "<in.txt 1<&0")      # for the native engine only


@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("redirections", STREAMS + SHARED_POSITIONS)
def test_replay_has_the_streams_of_the_recording(redirections: str, engine: str, tmp_path: Path,
                                                 program_of: Callable[[str], Path]) -> None:   # noqa: F811
    if engine != "native" and redirections in SHARED_POSITIONS:
        pytest.skip("the reference engine does not see which descriptors share a position")
    name = "record/standard_state.c"
    trial = Trial(GUESTS / name, engine, program_of(name), Run(redirections=redirections, has_token=False), tmp_path, tmp_path)
    trial.record()
    target = ("-l", str(trial.archive), "-e", trial.name, "-o", "out")
    again = trial.rex({}, tmp_path, "replay", *target, redirections="</dev/null >/dev/null")
    state = tmp_path / "out" / str(trial.directory / "state").lstrip("/")
    assert again.status == 0, again.stderr
    assert state.read_text() == (tmp_path / "away" / "state").read_text()


@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("engine", ENGINES)
def test_replay_with_closed_streams(engine: str, tmp_path: Path, program_of: Callable[[str], Path]) -> None:   # noqa: F811
    name = "record/standard_state.c"
    trial = Trial(GUESTS / name, engine, program_of(name), Run(has_token=False), tmp_path, tmp_path)
    trial.record()
    target = ("-l", str(trial.archive), "-e", trial.name, "-o", "out")
    again = trial.rex({}, tmp_path, "replay", *target, redirections="<&- >&- 2>&-")
    state = tmp_path / "out" / str(trial.directory / "state").lstrip("/")
    assert again.status == 0
    assert state.read_text() == (tmp_path / "away" / "state").read_text()
