"""Which calls are equal for a replay, and which opens may change a file."""

from __future__ import annotations

import os

from rex.syscalls import BY_NAME
from rex.tracer.reference.callkeys import is_writing, key_of


def test_keys() -> None:
    openat, read, clock = BY_NAME["openat"], BY_NAME["read"], BY_NAME["clock_gettime"]
    assert key_of(openat, b"a", 0, (1,) * 6) == key_of(openat, b"a", 0, (2,) * 6)
    assert key_of(openat, b"a", 0, (1,) * 6) != key_of(openat, b"b", 0, (1,) * 6)
    assert key_of(openat, b"", 0, (1,) * 6) != key_of(openat, b"", 0, (2,) * 6)
    assert key_of(read, None, 1, (0,) * 6) != key_of(read, None, 4, (0,) * 6)
    assert key_of(clock, None, 0, (1,) * 6) != key_of(clock, None, 0, (0,) * 6)


def test_opens_that_may_write() -> None:
    assert is_writing(os.O_CREAT) and is_writing(os.O_WRONLY) and is_writing(os.O_TRUNC)
    assert not is_writing(os.O_CLOEXEC)
