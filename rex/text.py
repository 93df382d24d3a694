"""What archives hold, told to people: archives come from strangers, and nothing they name may steer a terminal."""

from __future__ import annotations

import shlex
import time
from typing import Iterable


def clean(text: str) -> str:
    """The text with control characters and undecodable bytes escaped.

    Archives come from strangers: what they name must not steer a terminal.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else
                   f"\\x{ord(c) - 0xDC00:02x}" if 0xDC80 <= ord(c) <= 0xDCFF else
                   c.encode("unicode_escape").decode() for c in text)


def command_text(command: Iterable[str]) -> str:
    """An argument vector as one would type it."""
    return clean(shlex.join(command))


def date_text(start_ns: int) -> str:
    """Local date and time; a dash for none."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(start_ns // 10**9)) if start_ns else "-"
    except (OverflowError, ValueError, OSError):
        return "-"


def status_text(status: int | None) -> str:
    """An exit status for people; the signal's name where one ended the program."""
    if status is None:
        return "-"
    if status >= 0:
        return str(status)
    import signal
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
