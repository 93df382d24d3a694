"""Used and changed paths, and the struct stat that Python took apart."""

from __future__ import annotations

import ctypes
import os
import socket
import stat
import threading
from pathlib import Path
from typing import Callable

from rex.tracer.plan import CAPTURED, CREATED, LINKED, READ, SAME, WRITTEN, Report
from rex.tracer.reference.record_files import Ledger, file_kind, pack_stat
from rex.tracer.reference.spawn import Standard
from rex.tracer.reference.tasks import Task

MakeTask = Callable[..., Task]
LEDGER = (-1, -1, Standard(None, None, None))


def test_stat_is_the_kernels(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path)
    kernels = ctypes.create_string_buffer(144)
    assert ctypes.CDLL(None).stat(path, kernels) == 0
    assert pack_stat(os.stat(path)) == kernels.raw
    assert file_kind(kernels.raw) == stat.S_IFDIR
    assert file_kind(None) == file_kind(b"short") == 0


def opened(ledger: Ledger, task: Task, path: Path, flags: int) -> None:
    task.args = (0, 0, flags, 0, 0, 0)
    task.path = os.fsencode(path)
    ledger.before_open(task)
    fd = os.open(path, flags, 0o600)
    fields, is_external, stream = ledger.opened(task, fd)
    os.close(fd)
    assert [kind for _, kind, _ in fields] == [3, 4] and not is_external and not stream


def test_the_service_is_asked_before_a_change(tmp_path: Path, make_task: MakeTask) -> None:
    ours, theirs = socket.socketpair()
    asked: list[bytes] = []

    def serve() -> None:
        while request := ours.recv(4096):
            asked.append(request[4:])
            ours.send(b"k")

    thread = threading.Thread(target=serve)
    thread.start()
    (tmp_path / "old").write_bytes(b"old")
    ledger, report = Ledger(theirs.fileno(), -1, LEDGER[2]), Report()
    for _ in range(2):
        opened(ledger, make_task("openat"), tmp_path / "old", os.O_WRONLY)
        opened(ledger, make_task("openat"), tmp_path / "new", os.O_WRONLY | os.O_CREAT)
    opened(ledger, make_task("openat"), tmp_path / "old", os.O_RDONLY)
    theirs.close()
    thread.join()
    ours.close()
    ledger.report(report)
    old, new = (os.fsencode(os.path.realpath(tmp_path / name)) for name in ("old", "new"))
    assert asked == [old]
    assert report.touched == {old: CAPTURED, new: CREATED}
    assert report.uses[old].how == READ | WRITTEN and report.uses[old].size == 3


def test_what_is_only_read_is_hinted_at(tmp_path: Path, make_task: MakeTask) -> None:
    told, hints = os.pipe()
    for name in ("one", "two", "linked"):
        (tmp_path / name).write_bytes(b"data")
    os.link(tmp_path / "linked", tmp_path / "other name")
    ledger, report = Ledger(-1, hints, LEDGER[2]), Report()
    for name in ("one", "two", "linked", "one"):
        opened(ledger, make_task("openat"), tmp_path / name, os.O_RDONLY)
    paths = [os.fsencode(os.path.realpath(tmp_path / name)) for name in ("one", "two", "linked")]
    assert os.read(told, 4096) == b"".join([len(path).to_bytes(4, "little") + path for path in paths])
    (tmp_path / "two").write_bytes(b"other data")
    ledger.report(report)
    assert [report.uses[path].how for path in paths] == [READ | SAME, READ, READ | SAME | LINKED]
    os.close(told)
    os.close(hints)


def test_names_through_links_are_aliases(tmp_path: Path, make_task: MakeTask) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    ledger, report = Ledger(*LEDGER), Report()
    opened(ledger, make_task("openat"), tmp_path / "file", os.O_RDONLY)
    opened(ledger, make_task("openat"), tmp_path / "link", os.O_RDONLY)
    ledger.report(report)
    assert report.aliases == [os.fsencode(tmp_path / "link")]


def test_what_is_external(make_task: MakeTask) -> None:
    for path, wanted in (("/dev/null", False), ("/dev/zero", False), ("/dev/urandom", True),
                         ("/proc/self/stat", True), ("/etc/passwd", False), ("/", False)):
        task = make_task("openat")
        task.path = os.fsencode(path)
        fd = os.open(path, os.O_RDONLY)
        assert Ledger(*LEDGER).opened(task, fd)[1] is wanted, path
        os.close(fd)
