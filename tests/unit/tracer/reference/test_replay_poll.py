"""What the log has as ready is waited for where it is the experiment's own."""

from __future__ import annotations

import ctypes
import struct
from types import SimpleNamespace
from typing import Any, Callable

import pytest

from rex.log.records import OUT, Event
from rex.syscalls import BY_NAME
from rex.tracer.reference import replay_poll
from rex.tracer.reference.script import Entry, Script
from rex.tracer.reference.tasks import Task

MakeTask = Callable[..., Task]
IN, EXTERNAL = 1, 7                   # POLLIN; a descriptor from outside


def polled(*items: tuple[int, int]) -> bytes:
    return b"".join(struct.pack("<ihH", fd, IN, ready) for fd, ready in items)


class Scene:
    """One poll of a task, and what becomes of it."""

    def __init__(self, task: Task, logged: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        self.task, self.ran, self.emulated = task, [], []
        task.files.set(EXTERNAL, 4)
        monkeypatch.setattr(Task, "substitute", lambda _task, nr, **given: self.ran.append((nr, given)))
        self.state: Any = SimpleNamespace(emulate=lambda _task, entry: self.emulated.append(entry), watched={},
                                             signals=SimpleNamespace(send_after=lambda *_: False))
        self.script = task.script = Script()
        self.entry = self.add(logged)

    def add(self, logged: bytes) -> Entry:
        entry = Entry(Event(self.task.nr, 0, 1, fields=((self.task.nr == BY_NAME["epoll_wait"].nr, OUT, logged),)), 0)
        self.script.add(entry, (self.task.nr, None))
        return entry

    def perform(self) -> None:
        replay_poll.perform_poll(self.state, self.task, self.entry)


def test_outside_is_answered_at_once(make_task: MakeTask, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = ctypes.create_string_buffer(polled((5, 0), (EXTERNAL, 0)))
    scene = Scene(make_task("poll", ctypes.addressof(memory), 2, 0), polled((5, 0), (EXTERNAL, IN)), monkeypatch)
    scene.perform()
    assert scene.emulated == [scene.entry] and not scene.ran


def test_inside_is_waited_for(make_task: MakeTask, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = ctypes.create_string_buffer(polled((5, 0), (EXTERNAL, 0), (6, 0)))
    scene = Scene(make_task("poll", ctypes.addressof(memory), 3, 0), polled((5, IN), (EXTERNAL, IN), (6, 0)),
                  monkeypatch)
    scene.perform()
    assert scene.ran == [(BY_NAME["poll"].nr, {"rdx": -1})]
    assert memory.raw[:24] == polled((5, 0), (-1, 0), (-1, 0))


def epolled(*words: int) -> bytes:
    return b"".join(struct.pack("<IQ", IN, word) for word in words)


def test_an_epoll_descriptor_is_another_after_a_close(make_task: MakeTask, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(make_task("epoll_wait", 7, 0, 1, 1), epolled(0), monkeypatch)
    event = ctypes.create_string_buffer(epolled(0))
    adding = make_task("epoll_ctl", 7, 1, EXTERNAL, ctypes.addressof(event))
    adding.files.set(EXTERNAL, 4)
    replay_poll.perform_epoll_ctl(scene.state, adding, scene.entry)
    scene.perform()
    assert scene.emulated == [scene.entry, scene.entry]
    replay_poll.forget_epoll(scene.state, make_task("close", 7))
    scene.perform()
    assert len(scene.emulated) == 2 and scene.ran == [(BY_NAME["epoll_wait"].nr, {"r10": -1})]


def test_select(make_task: MakeTask, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = ctypes.create_string_buffer((1 << 5 | 1 << EXTERNAL).to_bytes(8, "little"))
    task = make_task("select", 8, ctypes.addressof(memory), 0, 0, 0)
    scene = Scene(task, b"", monkeypatch)
    scene.entry = Entry(Event(task.nr, 0, 2, fields=((1, OUT, (1 << 5 | 1 << EXTERNAL).to_bytes(8, "little")),)), 0)
    scene.perform()
    assert scene.ran == [(BY_NAME["select"].nr, {"r8": 0})]
    assert memory.raw[:8] == (1 << 5).to_bytes(8, "little")
