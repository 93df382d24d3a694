"""How the words that are plain numbers print: one formatter per word."""

from __future__ import annotations

import os
from collections.abc import Callable

from rex.syscalls import names
from rex.syscalls.ioctls import ioctl

AT_FDCWD = -100


def signed(value: int, bits: int = 32) -> int:
    """The low bits of a register as a signed number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def format_address(value: int) -> str:
    """NULL or hexadecimal."""
    return hex(value) if value else "NULL"


def format_mode(value: int) -> str:
    """S_IFREG|0644, or 0644 when the type is absent."""
    kind = names.FILE_TYPE.get(value & 0o170000)
    bits = f"0{value & (0o7777 if kind else 0xFFFF):03o}"
    return f"{kind}|{bits}" if kind else bits


def format_descriptor_base(value: int) -> str:
    """AT_FDCWD or the descriptor that a path starts from."""
    number = signed(value)
    return "AT_FDCWD" if number == AT_FDCWD else str(number)


def format_device(value: int) -> str:
    """makedev(major, minor)."""
    return f"makedev({os.major(value):#x}, {os.minor(value):#x})"


def format_clock(value: int) -> str:
    """CLOCK_MONOTONIC; the clocks of other tasks are negative numbers."""
    return names.CLOCK(signed(value))


def _decimal32(value: int) -> str:
    return str(signed(value))


def _unsigned32(value: int) -> str:
    return str(value & 0xFFFFFFFF)


def _id(value: int) -> str:
    return "-1" if value & 0xFFFFFFFF == 0xFFFFFFFF else _unsigned32(value)


def _low32(function: Callable[[int], str]) -> Callable[[int], str]:
    return lambda value: function(value & 0xFFFFFFFF)


def _clone(value: int) -> str:
    """Flags, then the signal that the parent gets when the child ends (the low byte)."""
    flags, ending = value & ~0xFF | value & 0x80, value & 0x7F
    parts = [names.CLONE(flags)] if flags else []
    return "|".join(parts + ([names.signal_name(ending)] if ending else [])) or "0"


VALUES: dict[str, Callable[[int], str]] = {
    "int": _decimal32, "ms": _decimal32,
    "uint": _unsigned32,
    "size": str,
    "off": lambda value: str(signed(value, 64)),
    "fd": _decimal32,
    "dirfd": format_descriptor_base,
    "addr": format_address,
    "flags": lambda value: hex(value) if value else "0",
    "mode": format_mode,
    "pid": _decimal32,
    "uid": _id,
    "gid": _id,
    "dev": format_device,
    "sig": _low32(names.signal_name),
    "clock": format_clock,
    "whence": _low32(names.WHENCE),
    "prot": _low32(names.PROT),
    "mapflags": _low32(names.MAP),
    "oflags": _low32(names.OPEN),
    "access": _low32(names.ACCESS),
    "atflags": _low32(names.AT),
    "rmflags": _low32(names.RM),
    "fdflags": _low32(names.FD),
    "cloneflags": _clone,
    "waitopts": _low32(names.WAIT),
    "idtype": _low32(names.IDTYPE),
    "sighow": _low32(names.SIGHOW),
    "family": _low32(names.FAMILY),
    "socktype": lambda value: (names.SOCKTYPE if value & 15 else names.ACCEPT)(value & 0xFFFFFFFF),
    "msgflags": _low32(names.MSG),
    "level": lambda value: names.LEVEL(signed(value)),
    "shuthow": _low32(names.SHUTDOWN),
    "ioctl": lambda value: ioctl(value).name,
    "fcntl": _low32(names.FCNTL),
    "itimer": _low32(names.ITIMER),
    "resource": _low32(names.RESOURCE),
    "futexop": _low32(names.FUTEX),
    "epollop": _low32(names.EPOLL_OP),
    "advice": _low32(names.MADVICE),
    "fallocmode": _low32(names.FALLOCATE),
    "renameflags": _low32(names.RENAME),
    "lockop": _low32(names.LOCK),
    "randflags": _low32(names.RANDOM),
}


RESULTS: dict[str, Callable[[int], str]] = {
    "err": str, "int": str, "len": str, "fd": str, "pid": str, "uid": str, "gid": str, "off": str,
    "seconds": str,
    "addr": lambda value: hex(value & 0xFFFFFFFFFFFFFFFF),
    "mode": format_mode,
    "none": lambda value: "?",
}
