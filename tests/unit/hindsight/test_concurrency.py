"""What runs beside the main thread, and what child processes write."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from rex.hindsight.run import concurrency as module
from rex.hindsight.run.concurrency import ChildFiles, company


def test_threads_with_the_scripts_code_are_told() -> None:
    begun, over = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        over.wait()

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    assert company({__name__: None}) and not company({"another": None})
    over.set()
    thread.join()
    assert not company({__name__: None})


def test_what_children_write_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    (tmp_path / "old").write_text("1")
    (tmp_path / "gone").write_text("1")
    (tmp_path / ".git").mkdir()
    files = ChildFiles()
    files.begin()
    assert files.changed() == []
    (tmp_path / "old").write_text("12")
    (tmp_path / "gone").unlink()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "file").write_text("1")
    (tmp_path / ".git" / "file").write_text("1")
    os.symlink("nowhere", tmp_path / "link")
    assert files.changed() == [(str(tmp_path / name), was_there) for name, was_there in (
        ("gone", True), ("link", False), ("new", False), ("new/file", False), ("old", True))]
    assert files.changed() == [] and not files.is_lost
    monkeypatch.setattr(module, "_MOST_FILES", 2)
    assert files.changed() == [] and files.is_lost
