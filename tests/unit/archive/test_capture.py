"""Files as they are: types, modes, times, holes, names."""

from __future__ import annotations

import base64
import os
import socket
from pathlib import Path

import pytest

from rex.archive import Archive, FileEntry, Manifest
from rex.archive.capture import read_blocks


def test_every_type_of_file(archive: Archive, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"hello")
    os.chmod(tmp_path / "file", 0o4751)
    os.utime(tmp_path / "file", ns=(1, 1_234_567_890_123_456_789))
    (tmp_path / "dir").mkdir()
    (tmp_path / "link").symlink_to("no/where")
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(tmp_path / "socket"))
    with archive.begin() as recording:
        got = {n: recording.capture(str(tmp_path / n))
               for n in ("file", "dir", "link", "fifo", "socket")}
        bare = recording.capture(str(tmp_path / "file"), content=False)
        with pytest.raises(OSError):
            recording.capture(str(tmp_path / "none"))
        with pytest.raises(OSError):
            recording.add_file(str(tmp_path / "fifo"))
    assert [state.type for state in got.values()] == ["file", "dir", "symlink", "fifo", "other"]
    assert got["file"].mode == 0o4751
    assert got["file"].mtime_ns == 1_234_567_890_123_456_789
    assert (got["file"].uid, got["file"].gid, got["file"].size) == (os.getuid(), os.getgid(), 5)
    assert got["link"].target == "no/where"
    assert bare.content is None and bare.size == 5


def test_names_and_targets_that_are_not_utf8(archive: Archive, tmp_path: Path) -> None:
    name = bytes(tmp_path) + b"/\xff\xfe"
    Path(os.fsdecode(name)).write_bytes(b"x")
    os.symlink(b"\x80", bytes(tmp_path) + b"/link")
    with archive.begin() as recording:
        by_bytes = recording.capture(name)
        by_text = recording.capture(name.decode("utf-8", "surrogateescape"))
        link = recording.capture(bytes(tmp_path) + b"/link")
    assert by_bytes == by_text and link.target == "\udc80"


def test_a_descriptor_keeps_its_offset_and_may_be_deleted(archive: Archive,
                                                          tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    with open(path, "rb") as file, archive.begin() as recording:
        file.seek(4)
        path.unlink()
        content = recording.add_file(file.fileno())
        assert file.tell() == 4
        recording.finish(Manifest(("x",)))
    assert archive.read(content) == b"0123456789"


def test_holes_stay_holes(archive: Archive, tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with open(path, "wb") as file:
        file.seek(8 << 20)
        file.write(b"middle")
        file.truncate(300 << 20)
    with archive.begin() as recording:
        content = recording.add_file(path)
        recording.finish(Manifest(("x",)))
    if os.stat(path).st_blocks * 512 > 1 << 20:
        pytest.skip("no holes on this file system")
    archive.extract(content, tmp_path / "copy")
    copied = os.stat(tmp_path / "copy")
    assert copied.st_size == 300 << 20 and copied.st_blocks * 512 < 1 << 20
    with open(tmp_path / "copy", "rb") as file:
        assert os.pread(file.fileno(), 8, (8 << 20) - 1) == b"\0middle\0"
        assert list(map(type, read_blocks(file.fileno()))) == [int, bytes, int]


def test_files_of_proc_have_bytes_without_a_size(archive: Archive) -> None:
    with archive.begin() as recording:
        content = recording.add_file("/proc/version")
        recording.finish(Manifest(("x",)))
    assert archive.read(content) == Path("/proc/version").read_bytes()


def test_attributes_that_users_gave(archive: Archive, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"hello")
    try:
        os.setxattr(path, "user.origin", b"\0\xff microscope")
        os.setxattr(tmp_path, "user.empty", b"")
    except OSError:
        pytest.skip("no attributes on this file system")
    with archive.begin() as recording:
        kept = recording.capture(str(path))
        aside = recording.set_aside(str(path), 1 << 20)
        place = recording.capture(str(tmp_path))
        assert aside and aside[0]() == kept
        recording.finish(Manifest(("x",), files={"/f": FileEntry(kept, kept), "/d": FileEntry(place, place)}))
    assert kept.xattrs == {"user.origin": base64.b64encode(b"\0\xff microscope").decode()}
    assert place.xattrs == {"user.empty": ""}
    files = Archive.open(archive.path).experiment("exp0").manifest.files
    assert (files["/f"].initial, files["/d"].initial) == (kept, place)
