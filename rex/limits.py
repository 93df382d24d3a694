"""What one command may take because of what an archive says: archives come from strangers.

Memory is limited by `--max-memory`, or REX_MAX_MEMORY: a quarter of the machine's by default. Time is limited by `--max-read`, or
REX_MAX_READ: bytes that are hashed or decompressed, and a constant for each step. What is stored adds a thousand times its size.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from rex.errors import TooLarge, UsageError
from rex.hints import Iterator

MEMORY_VARIABLE, READ_VARIABLE = "REX_MAX_MEMORY", "REX_MAX_READ"
_PART, _LEAST_BYTES = 4, 256 << 20
_JSON_COST = 24        # bytes of memory that a byte of JSON text may take: `[],[],...`
# A command reads so much by default, and so many times what the packs take that it opens.
WORK_BYTES, _WORK_FACTOR = 64 << 30, 1000
_STEP_BYTES = 4 << 10  # what a step takes besides: as long as hashing so many

_given: int | None = None
_given_work: int | None = None
_work_left: int | None = None   # None: nobody counts


def memory_bytes() -> int:
    """The memory that a command may take for archives.

    Raises:
        UsageError: the variable is no size.
    """
    if _given is not None:
        return _given
    if text := os.environ.get(MEMORY_VARIABLE):
        from rex.types import parse_size
        try:
            return parse_size(text)
        except ValueError as error:
            raise UsageError(f"{MEMORY_VARIABLE} is wrong", str(error)) from None
    return max(_LEAST_BYTES, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _PART)


def set_memory(size_bytes: int | None) -> None:
    """Set what `memory_bytes` answers; None: the variable, or the default."""
    global _given
    _given = size_bytes


def set_work(size_bytes: int | None) -> None:
    """Set what `counting` lets a command read; None: the variable, or the default."""
    global _given_work
    _given_work = size_bytes


def too_much_memory(what: str) -> TooLarge:
    """The error for what does not fit."""
    return TooLarge(f"{what} needs more memory than is allowed", f"the limit is {memory_bytes() >> 20} MiB",
                    "if you trust the archive: rex --max-memory SIZE ...")


def check_memory(size_bytes: int, what: str) -> None:
    """Make sure that so many bytes may be held in memory.

    Raises:
        TooLarge: they may not.
    """
    if size_bytes > memory_bytes():
        raise too_much_memory(what)


def check_json(size_bytes: int, what: str) -> None:
    """Make sure that a JSON text of so many bytes may be read; raises as `check_memory`."""
    check_memory(size_bytes * _JSON_COST, what)


def grant(stored_bytes: int) -> None:
    """Let the command do more work, for a file of this size that it opened."""
    global _work_left
    if _work_left is not None:
        _work_left += stored_bytes * _WORK_FACTOR


def spend(size_bytes: int) -> None:
    """Count a step of work: so many bytes read or decompressed.

    Raises:
        TooLarge: that is more than what is stored can be worth.
    """
    global _work_left
    if _work_left is not None:
        _work_left -= size_bytes + _STEP_BYTES
        if _work_left < 0:
            raise TooLarge("the archive stands for much more than it stores", "reading it would take too long",
                           "if you trust it: rex --max-read SIZE ...")


@contextmanager
def counting() -> Iterator[None]:
    """Count the work of this process meanwhile, without a limit of memory: for a command that runs programs."""
    global _work_left
    from rex.types import parse_size
    before, _work_left = _work_left, parse_size(os.environ.get(READ_VARIABLE, f"{WORK_BYTES}")) if _given_work is None else _given_work
    try:
        yield
    finally:
        _work_left = before


@contextmanager
def reading(work_bytes: int | None = None) -> Iterator[None]:
    """Limit the memory of this process, and count its work: for a command that only reads archives.

    Args:
        work_bytes: what it may read; None: WORK_BYTES.
    """
    global _work_left
    import resource   # not for commands that run programs, which would inherit the limit
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = memory_bytes() if hard == resource.RLIM_INFINITY else min(memory_bytes(), hard)
    before, _work_left = _work_left, WORK_BYTES if work_bytes is None else work_bytes
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
        _work_left = before
