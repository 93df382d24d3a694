"""Signals are due when their senders have sent them, and delivered with their recorded facts."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Callable

import pytest

from rex.log import Event, LogWriter
from rex.log.records import EXIT, NO_ARG, NO_TASK, OUT, SIGNAL, TASK
from rex.tracer.reference import kernel
from rex.tracer.reference.replay_signals import Signals
from rex.tracer.reference.script import Log
from rex.tracer.reference.tasks import Task

MakeTask = Callable[..., Task]
USR1, CHLD, SEGV, PIPE = 10, 17, 11, 13
BY_USER, CLD_EXITED = 0, 1


def info(number: int, code: int, pid: int) -> bytes:
    return struct.pack("<4i", number, 0, code, pid).ljust(128, b"\0")


@pytest.fixture
def delivered(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Siginfos that tracees were given; nothing is really sent."""
    given: list[bytes] = []
    monkeypatch.setattr(kernel, "set_signal_info", lambda _tid, data: given.append(data))
    monkeypatch.setattr(kernel, "send_signal", lambda *_: True)
    monkeypatch.setattr(kernel, "signal_info", lambda _tid: info(0, 0, 0))
    return given


def load(tmp_path: Path, make_task: MakeTask, number: int, code: int) -> tuple[Log, Task]:
    """Process 100 gets a signal from, or for, process 101."""
    with LogWriter(tmp_path / "log") as writer:
        for task in (0, 1):
            parent = NO_TASK if task == 0 else 0
            writer.append(Event(TASK, task, args=(parent, 0, 0, 100 + task, 100 + task, task)))
        writer.append(Event(SIGNAL, 0, args=(number, 0, 1, 0, 0, 0), fields=((NO_ARG, OUT, info(number, code, 101)),)))
        writer.append(Event(EXIT, 1))
    log, task = Log(str(tmp_path / "log")), make_task()
    task.script = log.script(0)
    return log, task


def test_a_signal_waits_for_its_sender(tmp_path: Path, make_task: MakeTask, delivered: list[bytes]) -> None:
    log, task = load(tmp_path, make_task, USR1, BY_USER)
    signals, sender = Signals(log), make_task("kill", 100, USR1)
    assert signals.is_due(task, True) is None
    signals.note_sent(sender)
    entry = signals.is_due(task, True)
    assert entry and not signals.take(task, USR1)      # not before we send it
    signals.send(task, entry)
    assert not signals.is_sent_to(task, USR1)
    assert signals.take(task, USR1) and entry.is_done and delivered == [entry.info]


def test_the_end_of_a_child(tmp_path: Path, make_task: MakeTask, delivered: list[bytes]) -> None:
    log, task = load(tmp_path, make_task, CHLD, CLD_EXITED)
    signals, ending = Signals(log), log.script(1).exit
    assert ending and not signals.take(task, CHLD)
    ending.is_done = True
    assert signals.take(task, CHLD) and len(delivered) == 1


def test_a_blocked_signal_is_owed(tmp_path: Path, make_task: MakeTask, delivered: list[bytes]) -> None:
    log, task = load(tmp_path, make_task, USR1, BY_USER)
    signals, entry = Signals(log), log.script(0).entries[0]
    task.injected = entry
    assert not signals.send_before(task, None)         # a call begins, and it has not come
    assert task.injected is None and entry.is_done
    assert signals.take(task, USR1) and delivered == [entry.info]
    assert not signals.take(task, USR1)


def test_what_the_task_itself_causes(tmp_path: Path, make_task: MakeTask, delivered: list[bytes],
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    log, task = load(tmp_path, make_task, PIPE, BY_USER)
    signals = Signals(log)
    assert not signals.take(task, SEGV)                # sent by somebody: the log says when
    assert signals.take(task, PIPE) and log.script(0).entries[0].is_done
    monkeypatch.setattr(kernel, "signal_info", lambda _tid: info(SEGV, 1, 0))
    assert signals.take(task, SEGV)
