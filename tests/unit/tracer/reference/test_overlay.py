"""Archived files are read where they lie, and changed only below the output directory."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Callable

import pytest

from rex.log.records import IN, RESOLVED, Event
from rex.tracer.plan import REPLAY, Plan, Report
from rex.tracer.reference.overlay import Overlay
from rex.tracer.reference.paths import name_args
from rex.tracer.reference.tasks import Task

MakeTask = Callable[..., Task]


class Files:
    """An overlay over /data/{a,sub/b}, /data/link and the directories."""

    def __init__(self, root: Path) -> None:
        self.out = root / "out"
        self.out.mkdir()
        (root / "object").write_bytes(b"archived")
        self.object = os.fsencode(root / "object")
        original = (0o640, 10**18 + 5, self.object)
        self.report = Report()
        self.plan = Plan(REPLAY, "", b"", [], [], "", outdir=os.fsencode(self.out), work=os.fsencode(root),
                         files={b"/data/a": original, b"/data/sub/b": original},
                         links={b"/data/link": b"a"}, dirs={b"/data": 0o755, b"/data/sub": 0o750},
                         programs={b"/bin/tool": b"/prepared/tool"})
        self.overlay = Overlay(self.plan, self.report)

    def above(self, path: str) -> Path:
        return self.out / path.lstrip("/")

    def change(self, task: Task, *names: bytes, given: bytes = b"") -> None:
        at = name_args(task.nr)
        fields = [(arg, RESOLVED, name) for arg, name in zip((at.path, at.path2), names)]
        self.overlay.change(task, Event(task.nr, 0, 0, task.args, (*fields, (at.path, IN, given or names[0]))))
        assert self.report.problems == []


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_reading_needs_no_copy(files: Files) -> None:
    assert files.overlay.read(b"/data/a") == files.object
    assert files.overlay.read(b"/data/none") is None
    assert list(files.out.iterdir()) == []


def test_writing_copies_once(files: Files) -> None:
    path = files.overlay.write(b"/data/a", False)
    found = os.stat(path)
    assert (found.st_mode & 0o7777, found.st_mtime_ns) == (0o640, 10**18 + 5)
    Path(os.fsdecode(path)).write_bytes(b"new")
    assert files.overlay.write(b"/data/a", False) == files.overlay.read(b"/data/a") == path
    assert Path(os.fsdecode(path)).read_bytes() == b"new"
    assert Path(os.fsdecode(files.object)).read_bytes() == b"archived"
    assert os.path.getsize(files.overlay.write(b"/data/sub/b", True)) == 0


def test_removed_is_gone(files: Files, make_task: MakeTask) -> None:
    files.change(make_task("unlink"), b"/data/a")
    assert files.overlay.read(b"/data/a") is None
    assert not files.above("/data/a").exists()
    files.change(make_task("unlinkat", -100, 0, 0x200), b"/data/sub")
    assert files.overlay.read(b"/data/sub/b") is None


def test_a_directory_moves_with_all_in_it(files: Files, make_task: MakeTask) -> None:
    files.change(make_task("rename"), b"/data", b"/moved")
    assert files.above("/moved/sub/b").read_bytes() == b"archived"
    assert os.readlink(files.above("/moved/link")) == "a"
    assert files.overlay.read(b"/data/sub/b") is None
    assert files.overlay.read(b"/moved/a") == os.fsencode(files.above("/moved/a"))


def test_exchange(files: Files, make_task: MakeTask) -> None:
    files.above("/data").mkdir()
    files.above("/data/new").write_bytes(b"new")
    files.change(make_task("renameat2", -100, 0, -100, 0, 2), b"/data/a", b"/data/new")
    assert files.above("/data/a").read_bytes() == b"new"
    assert files.above("/data/new").read_bytes() == b"archived"


def test_making(files: Files, make_task: MakeTask) -> None:
    target = ctypes.create_string_buffer(b"to/where")
    files.change(make_task("mkdir", 0, 0o711), b"/new/dir")
    files.change(make_task("mknod", 0, 0o010600), b"/new/fifo")
    files.change(make_task("symlink", ctypes.addressof(target)), b"/new/link")
    assert files.above("/new/dir").is_dir() and files.above("/new/fifo").is_fifo()
    assert os.readlink(files.above("/new/link")) == "to/where"


def test_a_hard_link_shares_its_file(files: Files, make_task: MakeTask) -> None:
    files.change(make_task("link"), b"/data/a", b"/data/second")
    assert files.above("/data/a").samefile(files.above("/data/second"))


def test_an_unnamed_file_gets_a_name(files: Files, make_task: MakeTask) -> None:
    fd = os.open(files.out, os.O_TMPFILE | os.O_RDWR, 0o600)
    try:
        os.write(fd, b"unnamed")
        given = b"/proc/self/fd/%d" % fd
        files.change(make_task("linkat", -100, 0, -100, 0, 0x400), b"/tmp/#1 (deleted)", b"/named", given=given)
    finally:
        os.close(fd)
    assert files.above("/named").read_bytes() == b"unnamed"


def test_modes_sizes_and_times(files: Files, make_task: MakeTask) -> None:
    files.change(make_task("chmod", 0, 0o600), b"/data/a")
    files.change(make_task("truncate", 0, 4), b"/data/a")
    times = (ctypes.c_int64 * 4)(7, 5, 9, 6)
    files.change(make_task("utimes", 0, ctypes.addressof(times)), b"/data/a")
    found = files.above("/data/a").stat()
    assert (found.st_mode & 0o7777, found.st_size) == (0o600, 4)
    assert (found.st_atime_ns, found.st_mtime_ns) == (7_000_005_000, 9_000_006_000)


def test_programs(files: Files) -> None:
    assert files.overlay.program(b"/bin/tool", None, None) == b"/prepared/tool"
    assert files.overlay.program(b"/bin/none", None, None) is None
    assert files.overlay.program(b"/memfd:tool (deleted)", None, b"/held") == b"/held"
    files.above("/bin").mkdir()
    files.above("/bin/made").write_bytes(b"#!/bin/sh\n")
    assert files.overlay.program(b"/bin/made", None, b"/held") == os.fsencode(files.above("/bin/made"))


def test_a_problem_is_told(files: Files, make_task: MakeTask) -> None:
    files.overlay.change(make_task("rename"), Event(
        make_task("rename").nr, fields=((0, RESOLVED, b"/none"), (1, RESOLVED, b"/other"))))
    assert files.report.problems[0].startswith("change_failed: ")
