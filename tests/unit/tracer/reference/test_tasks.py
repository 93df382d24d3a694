"""Descriptors, address spaces and names follow clone's flags and exec."""

from __future__ import annotations

import os

from rex.tracer.reference.kernel import CLONE_FILES, CLONE_VM, signed32
from rex.tracer.reference.tasks import CallState, Descriptors, Tasks


def test_descriptors() -> None:
    files = Descriptors()
    files.set(1, 2)
    assert not files.is_watched
    files.set(7, 4)
    assert files.is_watched and files.stream(7) == 4 and files.stream(8) == 0
    copy = files.copy()
    copy.set(7, 0)
    assert files.stream(7) == 4 and list(copy) == [1]


def test_exec_keeps_what_is_open() -> None:
    files = Descriptors({0: 1, 999: 5})
    files.prune(os.getpid())
    assert list(files) == [0]


def test_fork_copies_and_clone_may_share() -> None:
    tasks = Tasks()
    first = tasks.add(100, None, 0)
    first.files.set(5, 9)
    first.space.scratch = 0x1000
    sharing = tasks.add(101, first, CLONE_VM | CLONE_FILES)
    child = tasks.add(102, first, 0)
    assert sharing.files is first.files and sharing.space is first.space
    assert child.files is not first.files and child.files.stream(5) == 9 and child.space.scratch == 0x1000
    assert [task.index for task in tasks] == [2, 1, 0]


def test_ended_tasks_keep_their_names() -> None:
    tasks = Tasks()
    first = tasks.add(100, None, 0)
    child = tasks.add(101, first, 0)
    tasks.end(child)
    assert tasks.get(101) is None and list(tasks.named()) == [first, child]


def test_registers_as_numbers() -> None:
    assert signed32(0xFFFFFF9C) == -100 and signed32(2**32 + 5) == 5
    assert Tasks().get(1) is None and CallState.NONE is not CallState.IGNORED
