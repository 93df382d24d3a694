"""The gate of a replay: answers, in a thread of its own, which steps run."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rex.tracer.plan import STEP_BORN, STEP_QUESTION, STEP_RUN, STEP_SKIP, STEP_STOP


class Asked:
    """A socket on which the tracer asks; a thread of its own answers.

    Attributes:
        theirs: the descriptor for the tracer.
    """

    def __init__(self) -> None:
        self._ours, self._other = socket.socketpair()
        self._other.set_inheritable(True)
        self.theirs = self._other.fileno()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._other.close()
        self._thread.join()
        self._ours.close()

    def _serve(self) -> None:
        """Answer until the tracer's end is closed."""
        raise NotImplementedError


class Gate(Asked):
    """Asks `born` (the step's process in the log, its process now) whether a step runs, and
    `ended` whether there is more to do. What they raise stops the replay.
    """

    def __init__(self, born: Callable[[int, int], bool], ended: Callable[[int], bool]) -> None:
        super().__init__()
        self._born, self._end = born, ended
        self._failure: BaseException | None = None

    def reraise(self) -> None:
        """Raise what stopped the replay, if something did."""
        if self._failure:
            raise self._failure

    def _serve(self) -> None:
        while question := self._receive():
            what, task, pid = STEP_QUESTION.unpack(question)
            try:
                if what == STEP_BORN:
                    answer = STEP_RUN if self._born(task, pid) else STEP_SKIP
                else:
                    answer = STEP_RUN if self._end(task) else STEP_STOP
            except BaseException as error:   # it is raised where somebody can see it
                self._failure = error
                answer = STEP_STOP
            self._ours.sendall(answer)

    def _receive(self) -> bytes:
        data = b""
        while len(data) < STEP_QUESTION.size:
            part = self._ours.recv(STEP_QUESTION.size - len(data))
            if not part:
                return b""
            data += part
        return data
