"""Which processes belong together."""

from __future__ import annotations

from rex.expdiff.processes import match_tasks
from rex.expdiff.trace import Exec, Task, Trace


def tree(*children: str, thread: bool = False) -> Trace:
    """A shell and its children: program and arguments, or "" for a fork."""
    made = Trace()
    made.tasks[0] = Task(0, execs=[Exec(1, "/bin/sh", ("sh",), ("/bin/sh", "sh"))])
    for number, command in enumerate(children, 1):
        words = tuple(command.split())
        execs = [Exec(number, words[0], words, (words[0], *words))] if words else []
        made.tasks[number] = Task(number, 0, number - 1, 0 if thread else number, execs=execs)
    return made


def test_the_same_tree() -> None:
    assert match_tasks(tree("a", "", "b x"), tree("a", "", "b x")) == {0: 0, 1: 1, 2: 2, 3: 3}


def test_one_more_child() -> None:
    assert match_tasks(tree("a", "b", "c"), tree("new", "a", "b", "c")) == {0: 0, 1: 2, 2: 3, 3: 4}
    assert match_tasks(tree("a", "b", "c"), tree("a", "c")) == {0: 0, 1: 1, 3: 2}


def test_other_arguments_then_another_program() -> None:
    assert match_tasks(tree("a", "b 1", "c"), tree("a", "b 2", "c")) == {0: 0, 1: 1, 2: 2, 3: 3}
    assert match_tasks(tree("a 1", "b 1"), tree("b 2", "a 2")) == {0: 0, 1: 2, 2: 1}
    assert match_tasks(tree("a", "blastn", "c"), tree("a", "blastp", "c")) == {0: 0, 1: 1, 2: 2, 3: 3}


def test_threads_only_match_threads() -> None:
    assert match_tasks(tree("", thread=True), tree("")) == {0: 0}


def test_parents_that_are_not_there() -> None:
    lost = Trace()
    lost.tasks[5] = Task(5, 99, 0, 5)
    assert match_tasks(lost, lost) == {5: 5} and match_tasks(Trace(), lost) == {}
