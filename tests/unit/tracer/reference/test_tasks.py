"""Descriptors, address spaces and names follow clone's flags and exec."""

from __future__ import annotations

import os

from rex.tracer.reference.tasks import (CLONE_FILES, CLONE_THREAD, CLONE_VM, CallState, Descriptors, Tasks, signed32)


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


def test_fork_copies_and_threads_share() -> None:
    tasks = Tasks()
    first = tasks.add(100, None, 0)
    first.files.set(5, 9)
    first.space.scratch = 0x1000
    thread = tasks.add(101, first, CLONE_VM | CLONE_FILES | CLONE_THREAD)
    child = tasks.add(102, first, 0)
    assert thread.leader is first and thread.files is first.files and thread.space is first.space
    assert child.leader is child and child.files is not first.files and child.files.stream(5) == 9
    assert child.space.scratch == 0x1000 and not first.is_single and child.is_single
    assert [task.index for task in tasks] == [2, 1, 0]


def test_ended_processes_keep_their_names() -> None:
    tasks = Tasks()
    first = tasks.add(100, None, 0)
    thread = tasks.add(101, first, CLONE_THREAD)
    child = tasks.add(102, first, 0)
    tasks.end(thread)
    tasks.end(child)
    assert first.is_single and first.has_shared_work and tasks.get(102) is None
    assert list(tasks.named()) == [first, child]


def test_a_thread_that_executes_takes_the_leaders_name() -> None:
    tasks = Tasks()
    first = tasks.add(100, None, 0)
    thread = tasks.add(101, first, CLONE_THREAD | CLONE_FILES)
    caller = tasks.take_over(101, first)
    assert caller is thread and caller.tid == 100 and caller.leader is caller and caller.is_single
    assert tasks.get(100) is thread and tasks.get(101) is None and not first.alive
    tasks.execed(caller)
    assert caller.files is not first.files


def test_registers_as_numbers() -> None:
    assert signed32(0xFFFFFF9C) == -100 and signed32(2**32 + 5) == 5
    assert Tasks().get(1) is None and CallState.NONE is not CallState.IGNORED
