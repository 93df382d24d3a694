"""Store what is in memory before somebody ends the process (a scheduler that wants the machine)."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any, Callable

import _signal

_ENDINGS, _ENDING_S = (signal.SIGTERM, signal.SIGHUP), 10.0


def store_before_end(store: Callable[[], None]) -> None:
    """Call this at signals that end the process by default, in this process only.

    The script sees the default in place of our handler. Lightning keeps what handled signals before, and acts otherwise if there was something.
    """
    pid = os.getpid()

    def end(number: int, frame: Any) -> None:
        signal.signal(number, signal.SIG_DFL)
        if os.getpid() == pid:
            # By a thread, not for ever: this one may hold what the writer needs.
            closing = threading.Thread(target=store, name="rex-hindsight-end", daemon=True)
            closing.start()
            closing.join(_ENDING_S)
        os.kill(os.getpid(), number)

    for number in _ENDINGS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, end)
    for name in ("getsignal", "signal"):     # the functions of `signal` call these
        setattr(_signal, name, _hiding(getattr(_signal, name), end))


def _hiding(function: Callable[..., Any], ours: Any) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        handler = function(*arguments)
        return int(signal.SIG_DFL) if handler is ours else handler

    return call
