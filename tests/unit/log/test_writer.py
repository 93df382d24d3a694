"""Writing logs, and leaving them unfinished."""

from __future__ import annotations

from pathlib import Path

import pytest

from rex.log import Event, LogReader, LogWriter, records
from rex.log.records import FINISHED, HEADER, PLAIN


def test_a_finished_log_says_so(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with LogWriter(path, start_ns=5) as writer:
        writer.append(Event(1))
    assert HEADER.unpack(path.read_bytes()[:32]) == (b"REXLOG\r\n", 1, 1, 5, 1)


def test_a_plain_log_says_so_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with LogWriter(path, is_plain=True) as writer:
        writer.flush()
        assert HEADER.unpack(path.read_bytes()[:32])[2] == PLAIN
    assert HEADER.unpack(path.read_bytes()[:32])[2] == PLAIN | FINISHED


def test_an_exception_leaves_it_unfinished(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with pytest.raises(KeyError), LogWriter(path) as writer:
        writer.append(Event(1))
        raise KeyError
    with LogReader(path) as reader:
        assert not reader.is_finished and len(list(reader)) == 1


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"x")
    with pytest.raises(FileExistsError):
        LogWriter(tmp_path / "log")


def test_a_record_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_RECORD_BYTES", 100)
    with LogWriter(tmp_path / "log") as writer:
        with pytest.raises(ValueError, match="too large"):
            writer.append(Event(1, fields=((0, 1, bytes(20)),)))
        writer.append(Event(2))
    with LogReader(tmp_path / "log") as reader:
        assert [event.call for event in reader] == [2]
