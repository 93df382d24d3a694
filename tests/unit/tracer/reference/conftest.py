"""What the tests of the reference engine share: a task that is this very process."""

from __future__ import annotations

import os
from typing import Callable

import pytest

from rex.syscalls import BY_NAME
from rex.tracer.reference.tasks import Descriptors, Space, Task


@pytest.fixture
def make_task() -> Callable[..., Task]:
    """make_task("openat", dirfd, address): a task in that call, whose memory is ours."""
    def make(name: str = "getpid", *args: int) -> Task:
        task = Task(os.getpid(), 0, Descriptors(), Space())
        task.nr = BY_NAME[name].nr
        task.args = (*(arg & 2**64 - 1 for arg in args), *(0,) * (6 - len(args)))
        return task
    return make
