"""Refuse, in this process, what Python reports before it happens: files written, programs started, networks used."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import Any, Callable, Iterator

from rex.errors import UsageError
from rex.state import audit

_EFFECTS = frozenset("""os.remove os.rename os.rmdir os.mkdir os.truncate os.link os.symlink
    os.chmod os.chown os.utime os.setxattr os.removexattr os.system os.exec os.fork os.forkpty os.posix_spawn os.spawn
    subprocess.Popen socket.connect socket.sendto socket.bind shutil.rmtree shutil.move shutil.copyfile os.kill
    signal.pthread_kill sqlite3.connect""".split())
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_IN_MEMORY = ("", ":memory:")     # databases

Refuse = Callable[[str], None]


def _raise(why: str) -> None:
    raise UsageError(f"it would {why}")


@contextlib.contextmanager
def forbid_effects(refuse: Refuse = _raise) -> Iterator[None]:
    """Within it such an event, in this thread or in one that begins within, is refused; by default it raises.

    Args:
        refuse: gets what the event would do.
    """
    others = sys._current_frames().keys() - {threading.get_ident()}     # they go on with their work

    def told(event: str, arguments: tuple[Any, ...]) -> None:
        if (event == "open" or event in _EFFECTS) and threading.get_ident() not in others:
            if what := _effect(event, arguments):
                refuse(what)

    audit.watch(told)
    try:
        yield
    finally:
        audit.unwatch(told)


def _effect(event: str, arguments: tuple[Any, ...]) -> str:
    """What an event would do; "" if nothing that lasts."""
    if event == "open":
        path, mode, flags = arguments[:3]
        writes = set(mode) & set("wax+") if isinstance(mode, str) else (flags or 0) & _WRITING
        return f"write {path}" if writes and path != os.devnull else ""
    if event == "sqlite3.connect":
        return "" if arguments[0] in _IN_MEMORY else f"open the database {arguments[0]}"
    return f"do {event}"


@contextlib.contextmanager
def no_bytecode_files() -> Iterator[None]:
    """Within it imports write no `__pycache__`."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before
