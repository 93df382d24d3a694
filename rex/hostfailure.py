"""Failures of the machine: no room, a quota, a limit, a disk that cannot be read or written."""

from __future__ import annotations

import errno
import os

_ADVICE = {
    errno.ENOSPC: "free some space", errno.EDQUOT: "free some of your quota",
    errno.EROFS: "choose another place",
    errno.EFBIG: "allow larger files: ulimit -f unlimited", errno.EIO: "look at the disk: dmesg",
    errno.EACCES: "choose a place where you may write", errno.EPERM: "choose a place where you may write",
}


def advice(number: int | None) -> str:
    """What to do about an error of the operating system; nothing where it is not the machine's."""
    return _ADVICE.get(number or 0, "")


def told_by(text: str) -> int | None:
    """The error of the machine that an engine's message ends with; None if it is of another kind."""
    return next((number for number in _ADVICE if text.endswith(os.strerror(number))), None)


def no_room(directory: str) -> int | None:
    """Why a directory takes no further block, as an error number; None if it does."""
    number = refusal(directory, [1])
    return number if number not in (errno.EACCES, errno.EPERM) else None


def refusal(directory: str, sizes: list[int]) -> int | None:
    """Why the machine does not take files of these sizes in bytes together, as an error number; None if it takes them."""
    if not sizes:
        return None
    import tempfile   # few ask
    for size in {max(sizes), sum(sizes)}:
        try:
            with tempfile.TemporaryFile(dir=directory, buffering=0) as file:
                os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            if error.errno in _ADVICE and (error.errno != errno.EFBIG or size == max(sizes)):
                return error.errno
    return None
