"""What of each system call counts when two logs are compared; made from the table of calls."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from rex.syscalls import CALLS, Call, Dir, Hook

TIME, RANDOM, SCHEDULE, LOAD = "clock and timers", "random numbers", "scheduling", "load of the machine"
READ, WRITE = "read", "write"

# Values that say what was asked for. Sizes, offsets and addresses do not: they follow from
# how a program buffers and where its memory lies.
_ASKED = frozenset("int uint flags uid gid dev sig whence prot mapflags oflags access atflags rmflags fdflags mode "
                   "cloneflags waitopts idtype sighow family socktype msgflags level shuthow ioctl fcntl resource "
                   "renameflags fallocmode lockop".split())
# Memory that is time, order of scheduling, or somebody's port number.
_NATURAL_MEMORY = frozenset("timespec timeval timezone itimerspec itimerval rusage sysinfo tms siginfo sigset pollfd "
                            "fdset epollevent sockaddr cloneargs".split())
_LOAD_CALLS = frozenset(("sysinfo", "getcpu", "sched_getscheduler", "getpriority", "cachestat"))
_MESSAGE_DATA = 0x20    # mark of a message's data in the argument of its field


@dataclass(frozen=True, slots=True)
class Shape:
    """What counts of one call.

    Attributes:
        nature: why its outcome differs between any two runs; "" if it should not.
        moves: READ or WRITE if it moves bytes of a stream, else "".
        data_args: the arguments of fields that hold these bytes.
        fds, pids: arguments that are descriptors, process ids.
        values: arguments whose values are part of what was asked for.
        ins, outs: words of the memory that the program passes, the kernel stores.
    """

    name: str
    nature: str
    moves: str
    data_args: frozenset[int]
    fds: tuple[int, ...]
    pids: tuple[int, ...]
    values: tuple[int, ...]
    ins: dict[int, str]
    outs: dict[int, str]
    result: str
    hook: Hook


def _nature(call: Call) -> str:
    if call.name == "getrandom":
        return RANDOM
    if "time" in call.marks:
        return TIME
    if "event" in call.marks or call.hook is Hook.IPC:   # their numbers are the machine's
        return SCHEDULE
    return LOAD if call.name in _LOAD_CALLS else ""


def _moves(call: Call) -> tuple[str, frozenset[int]]:
    """Whether a call moves bytes of a stream, and in fields of which arguments they are."""
    if "fd" not in [arg.word for arg in call.args] or call.ret not in ("len", "int"):
        return "", frozenset()
    for index, arg in enumerate(call.args):
        is_message = arg.word in ("msghdr", "mmsghdr")
        if is_message or arg.word in ("buf", "iov") and ("desc" in call.marks or "net" in call.marks):
            places = frozenset((_MESSAGE_DATA | index,) if is_message else (index,))
            if call.name.endswith(("getsockopt", "xattr")):
                return "", frozenset()
            return (READ if arg.dir is Dir.OUT else WRITE), places
    return "", frozenset()


def _shape(call: Call) -> Shape:
    words = list(enumerate(arg.word for arg in call.args))
    moves, places = _moves(call)
    is_open = call.hook is Hook.OPEN   # its mode is a stray register where nothing is created
    memory = [(i, arg) for i, arg in enumerate(call.args) if arg.dir is not Dir.VALUE]
    return Shape(
        call.name, _nature(call), moves, places,
        tuple(i for i, word in words if word == "fd"),
        tuple(i for i, word in words if word == "pid"),
        tuple(i for i, word in words if word in _ASKED and not (is_open and word == "mode")),
        {i: arg.word for i, arg in memory if arg.dir is not Dir.OUT and arg.word not in _NATURAL_MEMORY},
        {i: arg.word for i, arg in memory if arg.dir is not Dir.IN and arg.word not in _NATURAL_MEMORY},
        call.ret, call.hook)


SHAPES: dict[int, Shape] = {nr: _shape(call) for nr, call in CALLS.items()}


def stable_part(word: str, data: bytes) -> bytes:
    """What of memory that the kernel stored should be the same in another run."""
    if word == "stat" and len(data) >= 56:   # mode, owner, and the size of plain files
        return data[24:36] + (data[48:56] if data[25] & 0xF0 == 0x80 else b"")
    if word == "statx" and len(data) >= 48:
        return data[20:30] + (data[40:48] if data[29] & 0xF0 == 0x80 else b"")
    if word in ("dirent", "dirent64"):
        return b"\0".join(sorted(_entry_names(data, 19 if word == "dirent64" else 18)))
    return data[:16] if word == "statfs" else data


def _entry_names(data: bytes, name_at: int) -> list[bytes]:
    names, at = [], 0
    while at + name_at <= len(data):
        size, = struct.unpack_from("<H", data, at + 16)
        if size < name_at:
            break
        names.append(data[at + name_at:at + size].split(b"\0")[0])
        at += size
    return names
