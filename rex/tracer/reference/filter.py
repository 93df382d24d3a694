"""The seccomp filter: which calls stop, decided by number and, for the standard
streams, by descriptor. Built from the table as a binary search over runs of
numbers that are treated alike."""

from __future__ import annotations

import ctypes
import errno
import struct

from rex.syscalls import BY_NAME, CALLS, Stop
from rex.tracer.reference.descriptors import TOLD_BYTES

CALL_COUNT = max(CALLS) + 1

_INSTRUCTION = struct.Struct("<HBBI")             # struct sock_filter
_PROGRAM = struct.Struct("<H6xQ")                 # struct sock_fprog
_LOAD, _RETURN = 0x20, 0x06                       # BPF_LD|BPF_W|BPF_ABS, BPF_RET|BPF_K
_JUMP, _IF_EQUAL, _IF_GREATER, _IF_AT_LEAST = 0x05, 0x15, 0x25, 0x35
_AT_NUMBER, _AT_ARCH, _AT_ARGS = 0, 4, 16         # in struct seccomp_data
_ALLOW, _TRACE, _ERRNO = 0x7FFF0000, 0x7FF00000, 0x00050000
_ARCH_X86_64, _X32 = 0xC000003E, 0x40000000
_TAKEN_AWAY = 0xFFFFFFFF                          # the number of a call that the tracer skips
_LAST_STANDARD = 2

_Treatment = tuple[Stop, int, int, tuple[int, ...]]   # stop, errno, descriptor arguments to look at, commands to stop


def _treatment(nr: int) -> _Treatment:
    call = CALLS.get(nr)
    if call is None:
        return Stop.ALWAYS, 0, 0, ()
    commands = tuple(TOLD_BYTES) if nr == BY_NAME["fcntl"].nr else ()
    return call.stop, call.errno, call.fd_args if call.stop is Stop.STD else 0, commands


class _Assembler:
    """Instructions, in order; jumps count from the one after."""

    def __init__(self) -> None:
        self.code: list[tuple[int, int, int, int]] = []

    def add(self, operation: int, value: int, yes: int = 0, no: int = 0) -> None:
        self.code.append((operation, yes, no, value))

    def leaf(self, treatment: _Treatment) -> None:
        stop, error, fd_args, commands = treatment
        if commands:
            self.add(_LOAD, _AT_ARGS + 8)
        for command in commands:
            self.add(_IF_EQUAL, command, no=1)
            self.add(_RETURN, _TRACE)
        if stop is Stop.STD:
            for i in range(6):
                if fd_args & 1 << i:
                    self.add(_LOAD, _AT_ARGS + 8 * i)
                    self.add(_IF_GREATER, _LAST_STANDARD, yes=1)
                    self.add(_RETURN, _TRACE)
        self.add(_RETURN, {Stop.ERRNO: _ERRNO | error, Stop.ALWAYS: _TRACE}.get(stop, _ALLOW))

    def span(self, low: int, high: int) -> None:
        """Calls low to high - 1; the accumulator holds the number."""
        kinds = [_treatment(nr) for nr in range(low, high)]
        borders = [low + i for i in range(1, len(kinds)) if kinds[i] != kinds[i - 1]]
        if not borders:
            self.leaf(kinds[0])
            return
        middle = next((b for b in borders if 2 * b >= low + high), borders[0])
        self.add(_IF_AT_LEAST, middle, no=1)
        jump = len(self.code)
        self.add(_JUMP, 0)                        # a conditional jump reaches only 255 far
        self.span(low, middle)
        self.code[jump] = (_JUMP, 0, 0, len(self.code) - jump - 1)
        self.span(middle, high)


def assemble() -> bytes:
    """The filter's instructions."""
    made = _Assembler()
    made.add(_LOAD, _AT_ARCH)
    made.add(_IF_EQUAL, _ARCH_X86_64, yes=1)
    made.add(_RETURN, _ERRNO | errno.ENOSYS)      # 32-bit calls
    made.add(_LOAD, _AT_NUMBER)
    made.add(_IF_EQUAL, _TAKEN_AWAY, no=1)
    made.add(_RETURN, _ALLOW)
    made.add(_IF_AT_LEAST, CALL_COUNT, no=3)
    made.add(_IF_AT_LEAST, _X32, no=1)
    made.add(_RETURN, _ERRNO | errno.ENOSYS)
    made.add(_RETURN, _TRACE)                     # newer than the table
    made.span(0, CALL_COUNT)
    return b"".join(_INSTRUCTION.pack(*one) for one in made.code)


class Filter:
    """The filter as the kernel takes it, made before the fork so that the tracee only hands it over."""

    def __init__(self) -> None:
        code = assemble()
        self._code = ctypes.create_string_buffer(code, len(code))
        head = _PROGRAM.pack(len(code) // _INSTRUCTION.size, ctypes.addressof(self._code))
        self.program = ctypes.create_string_buffer(head, len(head))
