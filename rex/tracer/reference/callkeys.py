"""What a call is answered by, and whether it may change a file: from its declaration and arguments alone."""

from __future__ import annotations

import os

from rex.log.records import Args
from rex.syscalls import Call, Key

CallKey = tuple[int, object]


def key_of(call: Call, path: bytes | None, stream: int, args: Args | tuple[int, ...]) -> CallKey:
    """What must be equal for a call of a replay to be answered by a call of the log.

    An empty path stands for the descriptor beside it.
    """
    if call.key is Key.PATH and path is not None:
        return call.nr, (path, 0 if path else args[0])
    if call.key is Key.STREAM:
        return call.nr, stream
    if call.key is Key.ARG:
        return call.nr, args[call.key_arg] & 0xFFFFFFFF
    return call.nr, None


def is_writing(flags: int) -> bool:
    """Whether an open with these flags may change a file."""
    return bool(flags & (os.O_CREAT | os.O_TRUNC)) or flags & os.O_ACCMODE != os.O_RDONLY
