"""A confined twin finds what code would do outside of its process, and does none of it."""

from __future__ import annotations

import ctypes
import os
import socket
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Callable

import pytest

pytest.importorskip("cloudpickle")

from rex.state import rehearsal  # noqa: E402
from rex.state.rehearsal import rehearse  # noqa: E402


def swallowed(function: Callable[[], Any]) -> None:
    """As cells do that expect errors."""
    try:
        function()
    except BaseException:
        pass


def in_thread(function: Callable[[], Any]) -> None:
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


def c_write(path: Path) -> None:
    """Open a file for writing without Python's knowledge."""
    libc = ctypes.CDLL(None)
    libc.fopen(str(path).encode(), b"w")


EFFECTS: dict[str, Callable[[Path], Any]] = {
    "a file": lambda path: path.write_text("changed"),
    "a file that C opens": c_write,
    "a file that C opens in a thread": lambda path: in_thread(lambda: c_write(path)),
    "a file that a thread opens": lambda path: in_thread(lambda: path.write_text("changed")),
    "a name": lambda path: path.rename(path.with_name("gone")),
    "a removed file": lambda path: path.unlink(),
    "rights": lambda path: path.chmod(0),
    "a database": lambda path: sqlite3.connect(path.with_name("base")).execute("create table t(x)"),
    "a program": lambda path: subprocess.run(["true"]),
    "a fork": lambda path: os.fork(),
    "a connection": lambda path: socket.socket().connect(("127.0.0.1", 9)),
    "a name in the file system": lambda path: socket.socket(socket.AF_UNIX).bind(str(path.with_name("socket"))),
    "a signal": lambda path: os.kill(os.getppid(), 0)}


@pytest.mark.parametrize("what", EFFECTS)
def test_effects_are_found_and_not_done(tmp_path: Path, what: str) -> None:
    path = tmp_path / "kept"
    path.write_text("precious")
    for run in (lambda: EFFECTS[what](path), lambda: swallowed(lambda: EFFECTS[what](path))):
        assert "running the cell again would" in rehearse(run)
        assert [each.name for each in tmp_path.iterdir()] == ["kept"] and path.read_text() == "precious"


@pytest.mark.parametrize("write", [lambda fd: os.write(fd, b"changed"), lambda fd: os.write(os.dup(fd), b"changed"),
                                   lambda fd: os.ftruncate(fd, 0), lambda fd: os.pwrite(fd, b"changed", 0),
                                   lambda fd: in_thread(lambda: os.writev(fd, [b"changed"]))])
def test_descriptors_that_are_open_already_are_not_written(tmp_path: Path, write: Callable[[int], Any]) -> None:
    path = tmp_path / "kept"
    fd = os.open(path, os.O_RDWR | os.O_CREAT)
    os.write(fd, b"precious")
    assert "running the cell again would" in rehearse(lambda: swallowed(lambda: write(fd)))
    assert path.read_bytes() == b"precious"
    os.close(fd)


def test_positions_and_pipes_are_left_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("one\ntwo\n")
    with open(path) as file:
        assert rehearse(lambda: (file.read(), None)[1]) == ""
        assert file.readline() == "one\n"
    read, write = os.pipe()
    os.write(write, b"message")
    assert "would change" in rehearse(lambda: swallowed(lambda: os.read(read, 7)))
    assert os.read(read, 7) == b"message"


def _compute() -> None:
    import asyncio
    import json
    import tomllib
    assert json.loads("[1]") and tomllib
    in_thread(lambda: sum(range(1000)))
    asyncio.run(asyncio.sleep(0))
    threading.RLock().acquire()
    sqlite3.connect(":memory:").execute("create table t(x)")
    with open(__file__) as file:
        assert file.read(1)


def test_what_changes_nothing_outside_passes() -> None:
    done: list[int] = []
    assert rehearse(lambda: (_compute(), done.append(1), None)[2]) == ""
    assert not done     # the twin did it


def test_numpy_and_torch_compute_in_a_twin() -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    grid = numpy.ones((600, 600))
    grid @ grid
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.ones(600, 600) @ torch.ones(600, 600)
    assert rehearse(lambda: (grid @ grid, torch is None or torch.ones(600, 600) @ torch.ones(600, 600), None)[2]) == ""


def test_exceptions_endless_runs_and_threads_that_run_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rehearse(lambda: {}["key"]) == "KeyError: 'key'"
    assert rehearse(lambda: os._exit(0)) == "running the cell again ends the process"
    assert rehearse(lambda: sys.exit(3)) == "SystemExit: 3"
    started = threading.Event()
    assert "threads that the cell starts run on" == rehearse(
        lambda: threading.Thread(target=started.wait, daemon=True).start())
    monkeypatch.setattr(rehearsal, "LIMIT_S", 0.2)
    assert "did not end within" in rehearse(started.wait)


def test_where_nothing_confines_a_process_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "vax")
    assert "not confined on vax" in rehearse(lambda: None)
