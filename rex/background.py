"""Work in a thread of its own, beside a run."""

from __future__ import annotations

import os
import threading

from rex.hints import Any, Callable, Generic, Sequence, TypeVar

S, T = TypeVar("S"), TypeVar("T")
_NICENESS = 5


def be_nice() -> None:
    """Let the experiment go first: a thread of Linux has a niceness of its own."""
    try:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
    except OSError:
        pass


class BackgroundCall(Generic[T]):
    """A call that has begun; it gives way to the experiment."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._found: list[T] = []
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        be_nice()
        try:
            self._found.append(self._work())
        except BaseException as error:
            self._failure = error

    def wait(self) -> None:
        """Until it has ended, however."""
        self._thread.join()

    def result(self) -> T:
        """What the call returned, once it has; raises what it raised."""
        self._thread.join()
        if self._failure:
            raise self._failure
        return self._found[0]


def map_beside(work: Callable[[S], T], items: Sequence[S]) -> list[T]:
    """What a call returns for each, in order; made in two threads."""
    found: list[Any] = [None] * len(items)
    left = iter(enumerate(items))    # of a sequence: threads may share it

    def go() -> None:
        for at, item in left:
            found[at] = work(item)

    other = BackgroundCall(go) if len(items) > 1 else None
    go()
    if other:
        other.result()
    return found
