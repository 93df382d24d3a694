"""Paths mean to a tracee what they mean to the kernel."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable

import pytest

from rex.syscalls import BY_NAME
from rex.tracer.reference import paths
from rex.tracer.reference.callkeys import is_writing
from rex.tracer.reference.kernel import AT_FDCWD
from rex.tracer.reference.tasks import Task

MakeTask = Callable[..., Task]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """dir/file, link -> dir, loop -> loop; the working directory is there."""
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "file").touch()
    (tmp_path / "link").symlink_to("dir")
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.chdir(tmp_path)
    return os.fsencode(os.path.realpath(tmp_path))


@pytest.mark.parametrize(("given", "follow", "meant"), [
    (b"dir/file", True, b"/dir/file"),
    (b"link/file", False, b"/dir/file"),
    (b"link", False, b"/link"),
    (b"link", True, b"/dir"),
    (b"link/", False, b"/link"),
    (b"link/..", False, b""),
    (b"dir/new", True, b"/dir/new"),
    (b"./dir/./new", False, b"/dir/new"),
    (b"missing/new", True, None),
    (b"loop/new", False, None),
    (b"loop", True, b"/loop"),
])
def test_resolve(tree: bytes, make_task: MakeTask, given: bytes, follow: bool, meant: bytes | None) -> None:
    wanted = None if meant is None else tree + meant
    assert paths.resolve(make_task(), AT_FDCWD, given, follow) == wanted


def test_resolve_from_descriptors(tree: bytes, make_task: MakeTask) -> None:
    fd = os.open("dir", os.O_RDONLY)
    pipe, end = os.pipe()
    try:
        assert paths.resolve(make_task(), fd, b"file", False) == tree + b"/dir/file"
        assert paths.resolve(make_task(), fd, b"", False) == tree + b"/dir"
        assert paths.resolve(make_task(), pipe, b"", False) is None
        assert paths.resolve(make_task(), 9999, b"file", False) is None
    finally:
        for one in (fd, pipe, end):
            os.close(one)


def test_proc_self_is_the_tracee(make_task: MakeTask) -> None:
    task = make_task()
    task.tid = os.getppid()
    wanted = b"/proc/%d/comm" % os.getppid()
    assert paths.resolve(task, AT_FDCWD, b"/proc/self/comm", False) == wanted


def test_where_names_are() -> None:
    assert paths.name_args(BY_NAME["renameat2"].nr) == (0, 1, 2, 3)
    assert paths.name_args(BY_NAME["rename"].nr) == (-1, 0, -1, 1)
    assert paths.name_args(BY_NAME["symlinkat"].nr) == (1, 2, -1, -1)
    assert paths.name_args(BY_NAME["getpid"].nr) == (-1, -1, -1, -1)
    assert paths.name_args(99999) == (-1, -1, -1, -1)


def test_open_flags(make_task: MakeTask) -> None:
    assert paths.open_flags(make_task("open", 0, os.O_RDWR)) == os.O_RDWR
    assert paths.open_flags(make_task("openat", 0, 0, os.O_APPEND)) == os.O_APPEND
    assert is_writing(paths.open_flags(make_task("creat")))
