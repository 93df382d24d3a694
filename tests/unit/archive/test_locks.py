"""Locks that end with their holder, and writes that happen or do not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rex.archive.locks import (FileLock, is_locked, remove_if_there, sync_file_system,
                               write_atomically)
from rex.errors import Locked


def test_shared_and_exclusive(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    one, two = FileLock(path), FileLock(path)
    with pytest.raises(Locked):
        FileLock(path, exclusive=True, wait=False)
    assert not is_locked(path)
    one.release()
    one.release()
    two.release()
    three = FileLock(path, exclusive=True, wait=False)
    assert is_locked(path)
    three.release()
    assert not is_locked(path) and not is_locked(path + "x")


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    code = ("import sys,time; from rex.archive.locks import FileLock;"
            "lock=FileLock(sys.argv[1], True); print(1, flush=True); time.sleep(60)")
    with subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"1\n"
        assert is_locked(path)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert not is_locked(path)


def test_atomic_writes_replace_or_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "file")
    write_atomically(path, b"one")
    write_atomically(path, b"two")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError):
        write_atomically(path, b"three")
    assert os.listdir(tmp_path) == ["file"] and Path(path).read_bytes() == b"two"
    remove_if_there(path)
    remove_if_there(path)
    sync_file_system(str(tmp_path))
