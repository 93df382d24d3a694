"""Remote archives, behind every kind of URL that a test can reach alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rex.archive import Archive
from rex.archive.locks import FileLock
from rex.errors import Damaged, Locked, NotFound, RexError, TooNew, UsageError
from rex.transfer.pushpull import push
from rex.transfer.remote import Remote, RemoteArchive

from .conftest import Record

pytest.importorskip("fsspec")


def put(remote: Remote, data: bytes, *names: str) -> None:
    assert remote.create(data, *names)


def test_files(remote: Remote, tmp_path: Path) -> None:
    assert remote.names() == [] and remote.names("a", "b") == []
    put(remote, b"0123456789", "a", "b")
    assert not remote.create(b"other", "a", "b")
    assert remote.names("a") == ["b"] and remote.size("a", "b") == 10
    assert remote.read_range(2, 3, "a", "b") == b"234" and remote.read_range(8, 9, "a", "b") == b"89"
    assert remote.read(10, "a", "b") == b"0123456789"
    with pytest.raises(Damaged, match="too large"):
        remote.read(9, "a", "b")
    with pytest.raises(FileNotFoundError):
        remote.read(9, "a", "c")
    (tmp_path / "f").write_bytes(b"new")
    remote.put(str(tmp_path / "f"), "a", "b")
    remote.put(str(tmp_path / "f"), "x", "y")
    assert remote.read(10, "a", "b") == b"new" and remote.names() == ["a", "x"] and remote.names("x") == ["y"]


def test_an_archive_is_made_once(remote: Remote) -> None:
    with pytest.raises(NotFound, match="no archive"):
        RemoteArchive.open(remote)
    RemoteArchive.create(remote)
    there = RemoteArchive.create(remote)
    assert there.experiments() == [] and there.default() is None and there.store.packs() == []
    with pytest.raises(NotFound):
        there.root("exp0")
    assert there.begun("exp0") == b"" and not there.is_complete("exp0")


def test_something_else_is_left_alone(remote: Remote) -> None:
    put(remote, b"x", "thesis.tex")
    with pytest.raises(UsageError, match="not an archive"):
        RemoteArchive.create(remote)
    assert remote.names() == ["thesis.tex"]


@pytest.mark.parametrize("first, error", [
    ({"format": 99}, TooNew), ({"format": 0}, Damaged), ({}, Damaged), ([], Damaged), ({"format": "1"}, Damaged)])
def test_first_files(remote: Remote, first: object, error: type[RexError]) -> None:
    put(remote, json.dumps(first).encode(), "rex-archive.json")
    with pytest.raises(error):
        RemoteArchive.open(remote)


def test_hostile_names_are_passed_over(remote: Remote) -> None:
    there = RemoteArchive.create(remote)
    put(remote, b"x", "experiments", "..evil name", "identity")
    put(remote, b"no pack", "packs", "x.pack")
    assert there.experiments() == [] and there.store.packs() == [] and len(there.store.damaged) == 1
    put(remote, b"../../etc\n", "default")
    with pytest.raises(Damaged, match="default"):
        there.default()


def test_gc_is_kept_away(tmp_path: Path) -> None:
    there = RemoteArchive.create(Remote(str(tmp_path / "r")))
    with there.kept():
        with pytest.raises(Locked):
            FileLock(str(tmp_path / "r/lock"), exclusive=True, wait=False)
    lock = FileLock(str(tmp_path / "r/lock"), exclusive=True)
    with pytest.raises(Locked):
        with there.kept():
            pass
    lock.release()


def test_urls_that_nobody_knows() -> None:
    with pytest.raises(RexError, match="nope"):
        Remote("nope://x/y")


def test_passwords_are_not_shown() -> None:
    pytest.importorskip("paramiko")
    with pytest.raises(RexError) as caught:
        Remote("ssh://me:hidden@127.0.0.1:1/x")
    assert "hidden" not in str(caught.value) and "ssh://me@127.0.0.1:1/x" in str(caught.value)


def test_errors_of_backends_are_one_line(remote: Remote) -> None:
    with pytest.raises(RexError, match="cannot use .*two lines; check"):
        with remote.explained():
            raise ArithmeticError("two\nlines")


def ignore_conditions(remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the last writer win, as servers do that do not know If-None-Match."""
    real = remote._fs.pipe_file
    monkeypatch.setattr(remote._fs, "pipe_file", lambda path, data, mode="overwrite": real(path, data))


@pytest.mark.parametrize("remote", ["memory"], indirect=True)
def test_a_server_that_ignores_conditions_is_found_out(remote: Remote, archive: Archive, record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    record({"/in": b"x"})
    there = RemoteArchive.create(remote)
    ignore_conditions(remote, monkeypatch)
    with pytest.raises(UsageError, match="ignores conditional writes.*rex push --alone"):
        push(archive, there)
    assert there.experiments() == [] and remote.names() == ["rex-archive.json"], "nothing was pushed, and no probe is left"
    assert [each.name for each in push(archive, there, is_alone=True).experiments] == ["exp0"]
    push(archive, there)        # nothing to add: nothing to lose


@pytest.mark.parametrize("remote", ["memory"], indirect=True)
@pytest.mark.parametrize("answer", [FileExistsError("there"), OSError("PreconditionFailed"), RuntimeError("409")])
def test_a_server_may_refuse_in_its_own_way(remote: Remote, monkeypatch: pytest.MonkeyPatch, answer: Exception) -> None:
    real = remote._fs.pipe_file

    def refuse(path: str, data: bytes, mode: str = "overwrite") -> None:
        if remote._fs.exists(path):
            raise answer
        real(path, data)

    monkeypatch.setattr(remote._fs, "pipe_file", refuse)
    remote.check_exclusive()
    assert remote.names() == []


@pytest.mark.parametrize("remote", ["memory"], indirect=True)
@pytest.mark.parametrize("answer", [FileExistsError("there"), OSError("PreconditionFailed")])
def test_the_late_answer_to_a_repeated_request_is_no_verdict(remote: Remote, monkeypatch: pytest.MonkeyPatch, answer: Exception) -> None:
    real, calls = remote._fs.pipe_file, []

    def late(path: str, data: bytes, mode: str = "overwrite") -> None:
        is_there = remote._fs.exists(path)
        calls.append(path)
        if not is_there:
            real(path, data)
        if is_there or len(calls) == 1:
            raise answer

    monkeypatch.setattr(remote._fs, "pipe_file", late)
    remote.check_exclusive()
    assert len(calls) == 3 and remote.names() == []


@pytest.mark.parametrize("remote", ["memory"], indirect=True)
def test_a_conflict_with_another_client_is_no_failure(remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    real, paths = remote._fs.pipe_file, []

    def conflict(path: str, data: bytes, mode: str = "overwrite") -> None:
        paths.append(path)
        if paths.count(path) == 1:
            raise OSError("ConditionalRequestConflict")
        real(path, data, mode=mode)

    monkeypatch.setattr(remote, "is_local", False)
    monkeypatch.setattr(remote._fs, "pipe_file", conflict)
    assert remote.create(b"mine", "name") and remote.read(9, "name") == b"mine"
    assert not remote.create(b"other", "name")


def test_a_server_that_cannot_be_written_is_not_blamed_for_conditions(remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    if remote.is_local:
        remote.check_exclusive()
        return

    def fail(path: str, data: bytes, mode: str = "overwrite") -> None:
        raise OSError("AccessDenied")

    monkeypatch.setattr(remote._fs, "pipe_file", fail)
    with pytest.raises(RexError, match="AccessDenied.*credentials"):
        remote.check_exclusive()
