"""Events that keep a place in the log (rex/native/log): they come before what was written since."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from engine_rules import ROOT

from rex.log.reader import LogReader

LARGE = 100          # and more: an event of 64 KiB, of which four fill the buffer


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    program = tmp_path_factory.mktemp("places") / "writer"
    native = ROOT / "rex" / "native"
    sources = [*(native / "log").glob("*.c"), *(path for path in (native / "base").glob("*.c") if path.name != "plan.c")]
    subprocess.run(["gcc", "-std=c11", "-O0", "-I", str(native), str(Path(__file__).with_name("log_places.c")),
                    *map(str, sources), "-o", str(program)], check=True)
    return program


@pytest.mark.parametrize(("lines", "tasks"), [
    ("keep 0, put 1, put 2, end 3 0, put 4", [3, 1, 2, 4]),
    ("keep 0, end 1 0, put 2", [1, 2]),
    ("put 1, keep 0, put 2, keep 1, put 3, end 4 0, end 5 1", [1, 4, 2, 5, 3]),
    ("put 1, keep 0, put 2, keep 1, put 3, end 5 1, end 4 0", [1, 4, 2, 5, 3]),
    ("keep 0, put 1, drop 0, end 2 0", [1, 2]),
    ("keep 0, put 1, keep 0, put 2, end 3 0", [1, 3, 2]),
    ("end 1 0, put 2", [1, 2]),
    ("put 100, put 101, put 102, keep 0, put 1, put 103, end 2 0", [100, 101, 102, 2, 1, 103]),
    ("put 1, keep 0, put 2, put 100, put 101, put 102, put 103, put 104, end 3 0", [1, 2, 100, 101, 102, 3, 103, 104]),
    ("put 100, put 101, put 102, keep 0, put 1, end 103 0", [100, 101, 102, 103, 1]),
])
def test_event_is_where_its_place_was_kept(writer: Path, tmp_path: Path, lines: str, tasks: list[int]) -> None:
    """The place of the first event still in the buffer stands in for one that is written already."""
    log = tmp_path / "log"
    subprocess.run([writer, log], input=lines.replace(",", "\n"), text=True, check=True)
    events = list(LogReader(log))
    assert [event.task for event in events] == tasks
    times = [event.time_ns for event in events]
    assert times == sorted(times), "time goes back in the log"
