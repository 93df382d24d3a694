"""Standard streams that whoever started Rex has closed (`<&-`)."""

from __future__ import annotations

import os


def hold_closed() -> None:
    """Put /dev/null, closed by an exec, where 0, 1 or 2 is closed: else files of ours take their numbers, and the program has them."""
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)     # gets this number, the lowest one


def is_closed(fd: int) -> bool:
    """Whether a program that we start lacks this standard stream."""
    try:
        return fd <= 2 and not os.get_inheritable(fd)
    except OSError:
        return True
