"""One line that tells how far long work is, in terminals and notebooks alike."""

from __future__ import annotations

import sys
import time

_FIRST_S, _AGAIN_S = 1.0, 0.2


class Progress:
    """Silent for the first second; then a line on standard error, which goes in the end."""

    def __init__(self) -> None:
        self._next_s = time.monotonic() + _FIRST_S
        self._shown = 0

    def __enter__(self) -> "Progress":
        return self

    def tell(self, text: str, part: float) -> None:
        """What is being done, and which part of all is done."""
        if time.monotonic() < self._next_s:
            return
        self._next_s = time.monotonic() + _AGAIN_S
        line = f"rex: {text} ({part:.0%} done)"
        sys.stderr.write("\r" + line.ljust(self._shown))
        sys.stderr.flush()
        self._shown = max(self._shown, len(line))

    def __exit__(self, *_: object) -> None:
        if self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            sys.stderr.flush()
