"""Resource limits: the program's are those that Rex inherited; Rex itself works outside them.

The soft limits of this process are raised while it works; the tracer gives the program the inherited ones, just before its exec.
"""

from __future__ import annotations

import contextlib
import resource

from rex.errors import UsageError
from rex.hints import Iterator, Mapping

Limits = dict[str, tuple[int, int]]     # name, as of RLIMIT_NAME -> soft and hard limit; -1: none

_NUMBERS: dict[str, int] = {name[7:].lower(): getattr(resource, name)
                            for name in sorted(dir(resource)) if name.startswith("RLIMIT_") and name != "RLIMIT_OFILE"}
# A large stack changes where the kernel places the mappings of what is executed next.
_KEPT = ("stack", "core", "nice", "rtprio", "rttime", "sigpending", "msgqueue", "memlock")
# What a replay enforces again. The log answers for the others: signals of processor time, processes that cannot be made.
_REPLAYED = {"as": "memory (ulimit -v)", "data": "data (ulimit -d)", "fsize": "file size (ulimit -f)",
             "nofile": "open files (ulimit -n)", "stack": "stack (ulimit -s)", "memlock": "locked memory (ulimit -l)"}
_RUN = {**_REPLAYED, "cpu": "processor time (ulimit -t)"}

# These limits also count Rex's own memory in the program, and so much it may be. The engine raises them by it, where it may.
_COUNTS_OURS, _OURS = ("as", "data"), 64 << 20

# What Rex itself cannot do without.
_NEEDED = {"nofile": 32, "fsize": 16 << 20}

_ARENA_MAX = -8                # M_ARENA_MAX of malloc.h: areas of memory that threads have of their own
_STACK_BYTES = 1 << 20         # of a thread

_inherited: Limits | None = None       # while they are lifted


def inherited() -> Limits:
    """The limits that this process was started with."""
    return _inherited or {name: resource.getrlimit(number) for name, number in _NUMBERS.items()}


def by_number(limits: Limits) -> dict[int, tuple[int, int]]:
    """The same limits by the kernel's numbers."""
    return {_NUMBERS[name]: pair for name, pair in limits.items() if name in _NUMBERS}


def _lift(number: int, hard: int) -> None:
    for wanted in (resource.RLIM_INFINITY, hard):     # the first needs a privilege
        try:
            resource.setrlimit(number, (wanted, wanted))
            return
        except (OSError, ValueError):
            pass


@contextlib.contextmanager
def lifted() -> Iterator[Limits]:
    """Raise the limits of this process as far as it may; gives the inherited ones, which hold again afterwards."""
    global _inherited
    if _inherited:
        yield _inherited
        return
    _inherited = before = inherited()
    try:
        for name, (soft, hard) in before.items():
            if name not in _KEPT and soft != resource.RLIM_INFINITY:
                _lift(_NUMBERS[name], hard)
        yield before
    finally:
        _inherited = None
        for name, pair in before.items():
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(_NUMBERS[name], pair)


def for_replay(recorded: Mapping[str, tuple[int, ...]]) -> tuple[Limits, list[str]]:
    """The limits of a replay's program, and a line for each that this machine cannot give. Call it while limits are lifted.

    Args:
        recorded: limits by name, as a manifest has them; those that are missing are not given.
    """
    return _given(recorded, _REPLAYED)


def for_run(recorded: Mapping[str, tuple[int, ...]]) -> tuple[Limits, list[str]]:
    """The limits of a new experiment: as recorded; those that concern other programs of the machine are the inherited ones.

    Args, returns: as `for_replay`.
    """
    given, refused = _given(recorded, _RUN)
    return {**inherited(), **given}, refused


def _given(recorded: Mapping[str, tuple[int, ...]], what: dict[str, str]) -> tuple[Limits, list[str]]:
    given: Limits = {}
    refused = []
    for name, words in what.items():
        if name not in recorded:
            continue
        soft, hard = recorded[name][:2]
        here = resource.getrlimit(_NUMBERS[name])[1]
        given[name] = next(pair for pair in ((soft, hard), (soft, here), (here, here)) if _may_have(_NUMBERS[name], pair))
        if given[name][0] != soft:
            refused.append(f"the recorded limit of {words} is {_shown(soft)}, this machine's hard limit {_shown(here)}: "
                           "it may fail where the recording did not; raise the hard limit")
        elif name in _COUNTS_OURS and soft != resource.RLIM_INFINITY and _size(here) < soft + _OURS:
            refused.append(f"this machine's hard limit of {words} is {here}, which leaves too little for Rex itself: "
                           "the program may get less than when it was recorded; raise the hard limit")
    return given, refused


def _shown(value: int) -> str:
    return "unlimited" if value == resource.RLIM_INFINITY else str(value)


def _size(value: int) -> float:
    return float("inf") if value == resource.RLIM_INFINITY else value


def _may_have(number: int, pair: tuple[int, int]) -> bool:
    """Whether a child of this process may; a hard limit that is lowered may be for good."""
    soft, hard = pair
    former = resource.getrlimit(number)
    if _size(soft) <= _size(hard) <= _size(former[1]):
        return True
    try:
        resource.setrlimit(number, (former[0], hard))
    except (OSError, ValueError):
        return False
    resource.setrlimit(number, former)
    return _size(soft) <= _size(hard)


def spare_space() -> None:
    """Where this process may take only so much address space, let its threads reserve little of it.

    The C library reserves 64 MiB for the memory of each thread, and a stack as large as the limit says.
    """
    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        return
    import ctypes
    import threading
    with contextlib.suppress(OSError, AttributeError):       # another C library may do otherwise
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)
    threading.stack_size(_STACK_BYTES)


def check_room() -> None:
    """Raise UsageError where the hard limits leave Rex itself too little to record. Call it while limits are lifted."""
    for name, needed in _NEEDED.items():
        here = resource.getrlimit(_NUMBERS[name])[0]
        if _size(here) < needed:
            words = _REPLAYED[name]
            raise UsageError(f"cannot record: the hard limit of {words} is {here}", f"Rex itself needs {needed}",
                             "set the soft limit only, as with ulimit -S, and leave the hard one")
