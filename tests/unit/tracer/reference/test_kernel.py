"""Calls that Python has no words for."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from rex.tracer.reference import kernel


def test_the_counter_goes_on() -> None:
    counter = kernel.TimeStampCounter()
    first, auxiliary = counter.read()
    assert first < counter.read()[0] < 2**64 and 0 <= auxiliary < 2**32


def test_filesystem_types(tmp_path: Path) -> None:
    assert kernel.filesystem_type(b"/proc") == 0x9FA0
    assert kernel.filesystem_type(os.fsencode(tmp_path)) != 0x9FA0
    assert kernel.filesystem_type(b"/no/such") is None


def test_links_and_renames(tmp_path: Path) -> None:
    file, link, new = (os.fsencode(tmp_path / name) for name in ("file", "link", "new"))
    (tmp_path / "file").write_bytes(b"x")
    os.symlink(file, link)
    kernel.link(link, new, True)
    assert os.path.samefile(file, new) and not os.path.islink(new)
    kernel.rename(link, new, True)
    assert os.path.islink(new)
    with pytest.raises(FileNotFoundError):
        kernel.rename(b"/no/such", new, False)


def test_signals_to_threads() -> None:
    assert kernel.send_signal(os.getpid(), os.getpid(), 0)
    assert not kernel.send_signal(os.getpid(), 1, signal.SIGCONT)


def test_who_is_not_traced_answers_nothing() -> None:
    assert kernel.registers(os.getppid()).rip == 0
    assert kernel.is_exit_stop(os.getppid()) is None
    assert kernel.seize(2**22 + 1) != 0
