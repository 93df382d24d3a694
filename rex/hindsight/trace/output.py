"""The script's standard streams, seen by us piece by piece."""

from __future__ import annotations

import io
import os
import sys
from typing import Callable

_BEFORE, _SHOWN = 40, 160   # characters before a difference, and in all
Sink = Callable[[int, bytes], None]


class _Tee(io.RawIOBase):
    def __init__(self, fd: int, sink: Sink, passes: bool) -> None:
        self._fd, self._sink, self._passes, self._pid = fd, sink, passes, os.getpid()
        self.name, self.mode = fd, "wb"

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._fd

    def isatty(self) -> bool:
        return os.isatty(self._fd)

    def write(self, data: bytes) -> int:   # type: ignore[override]
        size = os.write(self._fd, data) if self._passes else len(data)
        if os.getpid() == self._pid:
            self._sink(self._fd, bytes(data[:size]))
        return size


class _Direct(io.BufferedWriter):
    """Keeps nothing back."""

    def write(self, data: bytes) -> int:   # type: ignore[override]
        return self.raw.write(data)   # type: ignore[return-value]


def tee(sink: Sink, passes: Callable[[int], bool], is_direct: bool = False) -> None:
    """Give the sink what goes to standard output and error.

    Args:
        passes: whether a stream is still written; else the sink is the only reader.
        is_direct: at once, without `flush`.
    """
    for name, fd in (("stdout", 1), ("stderr", 2)):
        old = getattr(sys, name)
        if old is None:
            continue
        kind = _Direct if is_direct else io.BufferedWriter
        new = io.TextIOWrapper(kind(_Tee(fd, sink, passes(fd))), encoding=old.encoding,   # type: ignore[type-var]
                               errors=old.errors, line_buffering=old.line_buffering or name == "stderr",
                               write_through=is_direct)
        new.mode = "w"   # type: ignore[misc]
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def flush() -> None:
    """Let the sink see everything written so far."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, ValueError, OSError):
            pass


def first_lines_apart(one: str, other: str) -> tuple[str, str]:
    """The first line in which two texts differ, of each; without what is equal far before the difference."""
    theirs, mine = one.splitlines(True), other.splitlines(True)
    place = next((n for n, (a, b) in enumerate(zip(theirs, mine)) if a != b), min(len(theirs), len(mine)))
    a, b = ("".join(lines[place:place + 1]) for lines in (theirs, mine))
    at = next((n for n, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    begin = max(0, at - _BEFORE) if at > 2 * _BEFORE else 0
    cut = "..." if begin else ""
    return cut + a[begin:begin + _SHOWN], cut + b[begin:begin + _SHOWN]
