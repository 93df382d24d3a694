"""What is kept, what is left out, and what is waited for."""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path
from typing import Iterator

import pytest

from rex.archive import Archive, Content, FileEntry, FileState, Manifest
from rex.archive.identities import SETTLED_NS, Identities, settled_devices
from rex.keeping import CaptureService, Keeper, matches


@pytest.mark.parametrize("path, pattern, expected", [
    ("/home/a/x.pem", "*.pem", True), ("/home/a.pem/x", "*.pem", True), ("/home/a/x.pem", "/home/*", True),
    ("/home/a/x", "/home/a", True), ("/home/ab/x", "/home/a", False), ("/home/a/x", "a", True),
    ("/home/a/x", "b", False), ("/home/a/x", "a/", True), ("/home/a/x", "*/a/x", True), ("/x", "[x]", True)])
def test_patterns(path: str, pattern: str, expected: bool) -> None:
    assert matches(path, [pattern]) is expected


def test_excluded_files_have_no_bytes(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("secret", "open"):
        (tmp_path / "in" / name).write_text(name)
    with Archive.create(tmp_path / "archive").begin() as recording:
        keeper = Keeper(recording, ["in/secret"], cwd=str(tmp_path))
        states = {name: keeper.capture(f"{tmp_path}/in/{name}") for name in ("secret", "open")}
        assert keeper.set_aside(f"{tmp_path}/in/secret", 1 << 20) is None
    assert states["secret"].content is None and states["secret"].size == 6
    assert states["open"].content and keeper.excluded == {f"{tmp_path}/in/secret"}


ALL_BELOW = 1 << 30      # a bit of a request's length


def ask(service: CaptureService, path: Path, mark: int = 0) -> None:
    name = bytes(path)
    end = socket.socket(fileno=os.dup(service.theirs))
    with end:
        end.sendall(struct.pack("<I", len(name) | mark) + name)
        assert end.recv(1) == b"k"


def hint(service: CaptureService, path: Path) -> None:
    os.write(service.hints, struct.pack("<I", len(bytes(path))) + bytes(path))


@pytest.mark.parametrize("size", [0, 5, 200_000, 9 << 20])
@pytest.mark.parametrize("is_hinted", [False, True])
def test_what_is_about_to_change_is_kept_as_it_was(tmp_path: Path, size: int, is_hinted: bool) -> None:
    path = tmp_path / "file"
    before = os.urandom(size)
    path.write_bytes(before)
    archive = Archive.create(tmp_path / "archive")
    with archive.begin() as recording:
        with CaptureService(Keeper(recording)) as service:
            if is_hinted:
                hint(service, path)
            ask(service, path)
            path.write_bytes(b"other")
            ask(service, path)           # its first state counts
            ask(service, tmp_path / "none")
        state = service.captured[str(path)]
        assert list(service.captured) == [str(path)] and service.failure is None
        recording.finish(Manifest(("x",), files={str(path): FileEntry(state, None, True)}))
    assert state.content and archive.read(state.content) == before


@pytest.mark.parametrize("answers_read", [0, 1])
def test_a_tracer_that_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers_read: int) -> None:
    failures: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    path = bytes(tmp_path / "file")
    with Archive.create(tmp_path / "archive").begin() as recording:
        with CaptureService(Keeper(recording)) as service:
            end = socket.socket(fileno=os.dup(service.theirs))
            with end:
                end.sendall((struct.pack("<I", len(path)) + path) * 2000)
                assert len(end.recv(1)) == 1 and (not answers_read or end.recv(answers_read))
    assert not failures


def test_hints_are_followed_beside_the_run(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"f{number}").write_text(f"{number}")
    with Archive.create(tmp_path / "archive").begin() as recording:
        with CaptureService(Keeper(recording)) as service:
            for number in range(20):
                hint(service, tmp_path / f"f{number}")
            ask(service, tmp_path / "f19")
            while len(service.seen) < 19:
                time.sleep(0.01)
        seen = service.seen
        assert sorted([*seen, *service.captured]) == sorted(str(tmp_path / f"f{n}") for n in range(20))


@pytest.fixture(params=["shared blocks", "a copy"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder; for shared blocks on a file system of its own, which only root can mount."""
    if request.param == "a copy":
        yield tmp_path
        return
    (tmp_path / "xfs").mkdir()
    with open(tmp_path / "image", "wb") as image:
        image.truncate(400 << 20)
    for command in (["mkfs.xfs", "-q", "-m", "reflink=1", tmp_path / "image"],
                    ["mount", "-o", "loop", tmp_path / "image", tmp_path / "xfs"]):
        if not shutil.which(command[0]) or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("cannot make a file system with shared blocks here")
    yield tmp_path / "xfs"
    subprocess.run(["umount", "-l", tmp_path / "xfs"], check=True)


def test_large_files_are_set_aside(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rex.keeping._WAITING_BYTES", 1 << 20)   # no room in memory
    before = os.urandom(5 << 20)
    (place / "large").write_bytes(before)
    archive = Archive.create(place / "archive")
    may_store = threading.Event()
    with archive.begin() as recording:
        add = recording._packer.add_blocks
        monkeypatch.setattr(recording._packer, "add_blocks", lambda blocks: (may_store.wait(20), add(blocks))[1])
        with CaptureService(Keeper(recording)) as service:
            ask(service, place / "large")          # answered though nothing is stored
            with open(place / "large", "r+b") as file:
                file.write(b"changed in place")
            (place / "large").unlink()
            may_store.set()
        state = service.captured[str(place / "large")]
        recording.finish(Manifest(("x",), files={"/large": FileEntry(state, None, True)}))
    assert state.content and archive.read(state.content) == before
    assert not [name for name in os.listdir(archive.experiment().directory) if name.startswith(".tmp")]


def test_a_directory_is_kept_with_all_below(tmp_path: Path) -> None:
    (tmp_path / "d" / "e").mkdir(parents=True)
    (tmp_path / "d" / "e" / "f").write_text("x")
    with Archive.create(tmp_path / "archive").begin() as recording:
        with CaptureService(Keeper(recording)) as service:
            ask(service, tmp_path / "d", ALL_BELOW)
        assert set(service.captured) == {str(tmp_path / p) for p in ("d", "d/e", "d/e/f")}


def test_the_tracee_does_not_wait_for_the_storing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("before")
    may_store = threading.Event()
    with Archive.create(tmp_path / "archive").begin() as recording:
        add = recording._packer.add_bytes
        monkeypatch.setattr(recording._packer, "add_bytes", lambda data: (may_store.wait(20), add(data))[1])
        with CaptureService(Keeper(recording)) as service:
            ask(service, tmp_path / "file")     # answered though nothing is stored
            (tmp_path / "file").write_text("after")
            may_store.set()
        state = service.captured[str(tmp_path / "file")]
        assert state.content and state.size == 6


def test_known_files_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data"
    path.write_bytes(os.urandom(300_000))
    archive = Archive.create(tmp_path / "archive")
    later = os.stat(path).st_ctime_ns + SETTLED_NS + 1

    def record(now_ns: int) -> tuple[FileState, int]:
        from rex.archive import capture
        read: list[int] = []
        real = capture.add_file
        monkeypatch.setattr(capture, "add_file", lambda *args: (read.append(1), real(*args))[1])
        identities = Identities(str(tmp_path / "cache"), now_ns)
        with archive.begin() as recording:
            state = Keeper(recording, (), identities).capture(str(path))
            recording.finish(Manifest(("x",), files={str(path): FileEntry(state, state)}))
        identities.close()
        monkeypatch.setattr(capture, "add_file", real)
        return state, len(read)

    if os.stat(path).st_dev not in settled_devices():
        pytest.skip("this file system's times are not relied upon")
    first = record(later - 2)
    assert first[1] == 1 and record(later)[1] == 1      # it had changed a short while ago: nothing was learnt
    assert record(later) == (first[0], 0)
    os.utime(path, ns=(0, first[0].mtime_ns))            # the same content, mtime and size; ctime tells
    assert record(later)[1] == 1
    for name in ("exp0", "exp1", "exp2", "exp3"):
        archive.remove(name)
    from rex.archive.gc import collect
    collect(archive, may_be_none=True)
    again = record(later + SETTLED_NS)                   # what the archive lost is read again
    assert again[1] == 1 and again[0].content and len(archive.read(again[0].content)) == 300_000


def test_a_damaged_cache_is_passed_over(tmp_path: Path) -> None:
    path, content = tmp_path / "data", Content("ab" * 32, 300_000)
    path.write_bytes(bytes(300_000))
    info = os.stat(path)
    if info.st_dev not in settled_devices():
        pytest.skip("this file system's times are not relied upon")
    identities = Identities(str(tmp_path / "cache"), info.st_ctime_ns + SETTLED_NS + 1)
    assert identities.find(info) is None
    assert identities.learn(info, content) and identities.find(info) == content
    table = tmp_path / "cache" / "identities-2"
    whole = table.read_bytes()
    table.write_bytes(whole.replace(b"\xab" * 32, b"\xab" * 31 + b"\xaa"))
    assert identities.find(info) is None
    table.write_bytes(whole)
    assert identities.find(info) == content
    table.write_bytes(b"no table" * 100)
    assert identities.find(info) is None
    identities.close()
    nowhere = Identities("/proc/nowhere")
    assert nowhere.find(info) is None and not nowhere.learn(info, content)
    nowhere.close()
