"""The table of descriptors follows the calls that arrange them."""

from __future__ import annotations

import fcntl
import os
from typing import Callable

import pytest

from rex.tracer.reference.descriptors import closes_pipe, is_descriptor_call, note_closing, note_duplicate
from rex.tracer.reference.tasks import Task

MakeTask = Callable[..., Task]


@pytest.mark.parametrize(("call", "args", "result", "left"), [
    ("dup", (7,), 9, {7: 4, 9: 4}),
    ("dup2", (7, 0), 0, {7: 4, 0: 4}),
    ("dup2", (3, 7), 7, {}),
    ("dup2", (7, 9), -9, {7: 4}),
    ("fcntl", (7, fcntl.F_DUPFD_CLOEXEC, 10), 10, {7: 4, 10: 4}),
    ("fcntl", (7, fcntl.F_GETFD), 1, {7: 4}),
    ("close", (7,), 0, {}),
    ("close", (8,), 0, {7: 4}),
    ("close_range", (3, 2**32 - 1, 0), 0, {}),
    ("close_range", (3, 2**32 - 1, 4), 0, {7: 4}),
    ("close_range", (8, 9, 0), 0, {7: 4}),
])
def test_arrangements(make_task: MakeTask, call: str, args: tuple[int, ...], result: int, left: dict[int, int]) -> None:
    task = make_task(call, *args)
    task.files.set(7, 4)
    assert is_descriptor_call(task)
    note_closing(task)
    note_duplicate(task, result)
    assert {fd: task.files.stream(fd) for fd in task.files} == left


def test_others_are_none(make_task: MakeTask) -> None:
    assert not is_descriptor_call(make_task("read", 7))
    assert not is_descriptor_call(make_task("fcntl", 7, fcntl.F_SETFL))


def test_closing_a_standard_pipe(make_task: MakeTask) -> None:
    kind = os.fstat(0).st_mode
    assert closes_pipe(make_task("close", 0)) == (kind & 0o170000 == 0o010000)
    assert not closes_pipe(make_task("close", 5)) and not closes_pipe(make_task("read", 0))
