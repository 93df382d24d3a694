"""What the reference engine has no part of ends a run by name."""

from __future__ import annotations

from typing import Callable

import pytest

from rex.errors import Unsupported
from rex.tracer.reference.kernel import CLONE_THREAD, CLONE_VFORK, CLONE_VM
from rex.tracer.reference.limits import NOT_FOLLOWED, REFUSED, refuse
from rex.tracer.reference.tasks import Task

MakeTask = Callable[..., Task]


@pytest.mark.parametrize("call, args, name", [("clone", (CLONE_VM | CLONE_THREAD,), "threads"), ("shmget", (0, 4096, 0), "System V IPC")])
def test_refused_by_name(make_task: MakeTask, call: str, args: tuple[int, ...], name: str) -> None:
    with pytest.raises(Unsupported, match=name) as refused:
        refuse(make_task(call, *args))
    assert refused.value.code == 21 and REFUSED[name] in str(refused.value)


@pytest.mark.parametrize("call, args", [("clone", (CLONE_VM | CLONE_VFORK,)), ("fork", ()), ("vfork", ()), ("read", (0, 0, CLONE_THREAD))])
def test_others_go_on(make_task: MakeTask, call: str, args: tuple[int, ...]) -> None:
    refuse(make_task(call, *args))


def test_each_limit_has_one_name() -> None:
    assert not REFUSED.keys() & NOT_FOLLOWED.keys()
