"""Failures of the machine are told from those of an experiment."""

from __future__ import annotations

import errno
import os
import resource
from pathlib import Path

import pytest
from rex.hostfailure import advice, refusal, told_by


def test_what_fits_is_not_refused(tmp_path: Path) -> None:
    assert refusal(str(tmp_path), [1, 100_000]) is None and refusal(str(tmp_path), []) is None
    assert not os.listdir(tmp_path)


def test_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_fd: int, _offset: int, size: int) -> None:
        if size > 1000:
            raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "posix_fallocate", full)
    assert refusal(str(tmp_path), [600, 600]) == errno.ENOSPC and refusal(str(tmp_path), [600]) is None


def test_limit_is_of_one_file(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        assert refusal(str(tmp_path), [6000, 6000]) is None and refusal(str(tmp_path), [11_000]) == errno.EFBIG
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_missing_directory_is_no_failure_of_the_machine(tmp_path: Path) -> None:
    assert refusal(str(tmp_path / "none"), [1]) is None


def test_messages_of_an_engine() -> None:
    assert told_by(f"copy_failed: /a/b: {os.strerror(errno.EDQUOT)}") == errno.EDQUOT
    assert told_by(f"change_failed: /a/b: {os.strerror(errno.ENOENT)}") is None
    assert advice(errno.ENOSPC) and not advice(errno.ENOENT) and not advice(None)
