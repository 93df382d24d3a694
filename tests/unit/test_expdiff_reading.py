"""Two logs read at the same time."""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO

import pytest

from cli.builders import Bench, a_log, write
from rex.errors import Damaged, NotFound
from rex.expdiff import reading
from rex.expdiff.trace import Trace


def told(trace: Trace) -> tuple[object, ...]:
    """Everything that two traces of one log share."""
    return (trace.reads, trace.writes, trace.tasks, trace.failed, trace.events, trace.nature, trace.chance,
            {key: (flow.sha256, flow.head, flow.size) for key, flow in trace.flows.items()},
            {task: list(trace.entries.entries(task)) for task in trace.tasks}, trace.logical("/w/x"))


def test_a_second_process_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path / "A")
    one, two = (bench.record(events=a_log([write(2, data)])) for data in (b"one", b"two"))
    alone = reading.read_both(one, two)
    monkeypatch.setattr(reading, "_LONG_BYTES", 0)
    monkeypatch.setattr(reading.threading, "active_count", lambda: 1)
    both = reading.read_both(one, two)
    assert [told(trace) for trace in alone] == [told(trace) for trace in both]
    for trace in (*alone, *both):
        trace.close()


def test_errors_of_either_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path / "A")
    good, bad = bench.record(), bench.record()
    monkeypatch.setattr(bad, "open_log", lambda: io.BytesIO(b"no log"))
    monkeypatch.setattr(reading, "_LONG_BYTES", 0)
    monkeypatch.setattr(reading.threading, "active_count", lambda: 1)
    for sides in ((good, bad), (bad, good)):
        with pytest.raises(Damaged, match="not a log|a log is damaged"):
            reading.read_both(*sides)

    def none() -> BinaryIO:
        raise NotFound("no log")
    monkeypatch.setattr(bad, "open_log", none)
    assert reading.read_both(good, bad)[1].events == 0 and reading.read_both(bad, good)[0].events == 0


def test_a_child_that_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path / "A")
    one = bench.record()
    monkeypatch.setattr(reading, "_LONG_BYTES", 0)
    monkeypatch.setattr(reading.threading, "active_count", lambda: 1)
    monkeypatch.setattr(reading, "_read_and_send", lambda experiment, spool, sender: None)
    assert reading.read_both(one, one)[0].events > 0
