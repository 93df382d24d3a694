"""Only plain files in plain directories are opened."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Callable

import pytest

from rex.archive.folder import Folder
from rex.archive.locks import FileLock, is_locked
from rex.errors import Damaged


def link(path: Path) -> None:
    path.symlink_to(path.parent / "target")


def dangling(path: Path) -> None:
    path.symlink_to("/nowhere/at/all")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listener(path: Path) -> None:
    os.chdir(path.parent)
    socket.socket(socket.AF_UNIX).bind(path.name)


def device(path: Path) -> None:
    try:
        os.mknod(path, 0o20666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")


STRANGE = [link, dangling, pipe, listener, device, Path.mkdir]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "root" / "in").mkdir(parents=True)
    (tmp_path / "root" / "in" / "target").write_bytes(b"secret")
    return Folder(str(tmp_path / "root"), "in")


@pytest.mark.parametrize("make", STRANGE)
def test_what_is_no_plain_file(folder: Folder, make: Callable[[Path], None]) -> None:
    path = Path(folder.path, "f")
    make(path)
    assert folder.has("f")
    for open_it in (lambda: folder.read("f", 10), lambda: folder.open("f"), lambda: is_locked(str(path)),
                    lambda: FileLock(str(path)), lambda: FileLock(str(path), is_made=False)):
        with pytest.raises(Damaged, match="/f is a"):
            open_it()


@pytest.mark.parametrize("make", [link, dangling, pipe])
def test_what_is_no_plain_directory(folder: Folder, make: Callable[[Path], None]) -> None:
    path = Path(folder.path, "d")
    Path(folder.path, "target").unlink()
    Path(folder.path, "target").mkdir()
    Path(folder.path, "target", "f").write_bytes(b"secret")
    make(path)
    below = folder.below("d")
    for look in (below.names, below.size_bytes, lambda: below.has("f"), lambda: below.open("f"), lambda: below.below("e").names()):
        with pytest.raises(Damaged, match="/d is a"):
            look()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_named(folder: Folder) -> None:
    path = Path(folder.path)
    (path / "target").chmod(0)
    with pytest.raises(PermissionError) as caught:
        folder.open("target")
    assert caught.value.filename == str(path / "target")
    path.chmod(0)
    for look in (folder.names, folder.below("x").names):
        with pytest.raises(PermissionError) as caught:
            look()
        assert str(caught.value.filename).startswith(str(path))
    path.chmod(0o755)


def test_sizes_are_limits(folder: Folder) -> None:
    assert folder.read("target", 6) == b"secret" and folder.size_bytes() == 6 and folder.names() == ["target"]
    with pytest.raises(Damaged, match="more than 5"):
        folder.read("target", 5)


def test_the_root_may_be_a_link(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("root")
    assert Folder(str(tmp_path / "link"), "in").read("target", 6) == b"secret"
    with pytest.raises(FileNotFoundError):
        Folder(str(tmp_path / "none"), "in").names()
    with pytest.raises(FileNotFoundError):
        folder.below("none").names()
    assert not folder.has("none")
