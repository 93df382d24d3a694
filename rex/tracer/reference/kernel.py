"""The kernel as a tracer needs it: ptrace by python-ptrace's binding, the rest by ctypes.

The only importer of python-ptrace, and of its binding layer alone: its debugger
polls, sleeps, and knows neither PTRACE_SEIZE nor seccomp-stops. What the binding
has no name for goes through its generic ptrace() by number.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct

from ptrace import PtraceError
from ptrace.binding import ptrace_registers_t as Registers
from ptrace.binding.func import (
    PTRACE_CONT, PTRACE_EVENT_CLONE, PTRACE_EVENT_EXEC, PTRACE_EVENT_FORK, PTRACE_EVENT_VFORK,
    PTRACE_GETEVENTMSG, PTRACE_GETREGS, PTRACE_GETSIGINFO, PTRACE_O_TRACECLONE,
    PTRACE_O_TRACEEXEC, PTRACE_O_TRACEFORK, PTRACE_O_TRACESYSGOOD, PTRACE_O_TRACEVFORK,
    PTRACE_SETREGS, PTRACE_SETSIGINFO, PTRACE_SINGLESTEP, PTRACE_SYSCALL, ptrace)

__all__ = ["EVENT_BIRTHS", "PTRACE_EVENT_EXEC", "PTRACE_EVENT_SECCOMP", "PTRACE_EVENT_STOP", "Registers"]

PTRACE_SEIZE, PTRACE_LISTEN, PTRACE_GET_SYSCALL_INFO = 0x4206, 0x4208, 0x420E
PTRACE_O_TRACESECCOMP, PTRACE_O_EXITKILL = 1 << 7, 1 << 20
PTRACE_EVENT_SECCOMP, PTRACE_EVENT_STOP = 7, 128
EVENT_BIRTHS = frozenset((PTRACE_EVENT_FORK, PTRACE_EVENT_VFORK, PTRACE_EVENT_CLONE))
_OPTIONS = (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK
            | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL)
_SYSCALL_INFO_BYTES, _SYSCALL_INFO_EXIT = 88, 2

SIGINFO_BYTES = 128
AT_FDCWD = -100
CLONE_VM, CLONE_FILES, CLONE_VFORK, CLONE_THREAD, CLONE_UNTRACED = 0x100, 0x400, 0x4000, 0x10000, 0x800000
_AT_SYMLINK_FOLLOW, _RENAME_EXCHANGE = 0x400, 2
TIMES = struct.Struct("<4q")          # two struct timespec: accessed, modified
UTIME_NOW, UTIME_OMIT = (1 << 30) - 1, (1 << 30) - 2
_ADDR_NO_RANDOMIZE = 0x0040000
_PR_SET_TSC, _PR_TSC_SIGSEGV, _PR_SET_NO_NEW_PRIVS = 26, 2, 38
_NR_TGKILL, _NR_SECCOMP, _SECCOMP_SET_MODE_FILTER = 234, 317, 1

# These calls never block, so they keep the GIL.
_libc = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def signed32(value: int) -> int:
    """The low half of a register as C's int."""
    return ctypes.c_int32(value).value


# ------------------------------------------------------------------ ptrace

def _done(request: int, tid: int, address: int = 0, data: int = 0) -> bool:
    """Whether it succeeded: not where the tracee has just been killed."""
    try:
        ptrace(request, tid, address, data)
    except PtraceError:
        return False
    return True


def seize(tid: int) -> int:
    """Become the tracer; 0, or the errno why not."""
    try:
        ptrace(PTRACE_SEIZE, tid, 0, _OPTIONS)
    except PtraceError as error:
        return error.errno or 1
    return 0


def resume(tid: int, signal: int, to_next_call: bool) -> None:
    """Let it run: to the next stop that its filter or a signal causes, or to any syscall-stop."""
    _done(PTRACE_SYSCALL if to_next_call else PTRACE_CONT, tid, 0, signal)


def step(tid: int, signal: int) -> None:
    """Let it run one instruction, or into the handler of the signal."""
    _done(PTRACE_SINGLESTEP, tid, 0, signal)


def listen(tid: int) -> None:
    """Leave it in its group-stop until SIGCONT."""
    _done(PTRACE_LISTEN, tid)


def registers(tid: int) -> Registers:
    """Its registers; all zero where it was killed."""
    found = Registers()
    _done(PTRACE_GETREGS, tid, 0, ctypes.addressof(found))
    return found


def set_registers(tid: int, values: Registers) -> None:
    """Give it these registers."""
    _done(PTRACE_SETREGS, tid, 0, ctypes.addressof(values))


def event_message(tid: int) -> int:
    """What the event-stop is about: a new tid, or the one before exec."""
    message = ctypes.c_ulong()
    _done(PTRACE_GETEVENTMSG, tid, 0, ctypes.addressof(message))
    return message.value


def is_exit_stop(tid: int) -> bool | None:
    """Whether this syscall-stop ends a call; None where the kernel cannot tell."""
    info = ctypes.create_string_buffer(_SYSCALL_INFO_BYTES)
    if not _done(PTRACE_GET_SYSCALL_INFO, tid, len(info), ctypes.addressof(info)):
        return None
    return info.raw[0] == _SYSCALL_INFO_EXIT


def signal_info(tid: int) -> bytes:
    """The siginfo of the signal at a signal-delivery-stop."""
    info = ctypes.create_string_buffer(SIGINFO_BYTES)
    _done(PTRACE_GETSIGINFO, tid, 0, ctypes.addressof(info))
    return info.raw


def set_signal_info(tid: int, info: bytes) -> None:
    """Let the signal be delivered with this siginfo."""
    buffer = ctypes.create_string_buffer(info, SIGINFO_BYTES)
    _done(PTRACE_SETSIGINFO, tid, 0, ctypes.addressof(buffer))


def send_signal(process: int, tid: int, signal: int) -> bool:
    """Send it to one thread; False if there is no such thread."""
    return not _syscall(_NR_TGKILL, process, tid, signal)


# ------------------------------------------------------------------ in the tracee, before its exec

def make_predictable() -> None:
    """Addresses as in every other run; rdtsc stops from here on.

    The vDSO's clocks use rdtsc too: nothing may ask for the time after this.
    """
    _libc.personality(ctypes.c_ulong(_ADDR_NO_RANDOMIZE))
    _prctl(_PR_SET_TSC, _PR_TSC_SIGSEGV)


def install_filter(program: ctypes.Array[ctypes.c_char]) -> bool:
    """Install a seccomp filter (struct sock_fprog).

    Root needs no promise to gain no privileges, and its setuid programs keep theirs.
    """
    at = ctypes.addressof(program)
    if not _syscall(_NR_SECCOMP, _SECCOMP_SET_MODE_FILTER, 0, at):
        return True
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    return not _syscall(_NR_SECCOMP, _SECCOMP_SET_MODE_FILTER, 0, at)


def string_array(strings: list[bytes]) -> ctypes.Array[ctypes.c_char_p]:
    """An argv or envp."""
    return (ctypes.c_char_p * (len(strings) + 1))(*strings, None)


def execute(program: bytes, args: ctypes.Array[ctypes.c_char_p],
            env: ctypes.Array[ctypes.c_char_p]) -> int:
    """Become the program; the errno if that fails."""
    _libc.execve(program, args, env)
    return ctypes.get_errno()


def _prctl(option: int, value: int) -> None:
    _libc.prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0)))


def _syscall(*arguments: int) -> int:
    return int(_libc.syscall(*map(ctypes.c_long, arguments)))


# ------------------------------------------------------------------ files

def filesystem_type(path: bytes) -> int | None:
    """The magic number of the file system that holds the path, None if there is no such path."""
    buffer = ctypes.create_string_buffer(256)
    if _libc.statfs(path, buffer):
        return None
    return int.from_bytes(buffer.raw[:8], "little")


def set_times(path: bytes, times: bytes, flags: int = 0) -> None:
    """utimensat with its two timespecs as they are, UTIME_OMIT and UTIME_NOW included."""
    _libc.utimensat(AT_FDCWD, path, ctypes.c_char_p(times), flags)


def rename(old: bytes, new: bytes, exchange: bool) -> None:
    """Rename, or exchange the two.

    Raises:
        OSError: as the kernel says.
    """
    flags = _RENAME_EXCHANGE if exchange else 0
    _checked(_libc.renameat2(AT_FDCWD, old, AT_FDCWD, new, flags))


def link(old: bytes, new: bytes, follow: bool) -> None:
    """Make a hard link, of what a symbolic link points to if asked (os.link cannot on Linux).

    Raises:
        OSError: as the kernel says.
    """
    _checked(_libc.linkat(AT_FDCWD, old, AT_FDCWD, new, _AT_SYMLINK_FOLLOW if follow else 0))


def _checked(result: int) -> None:
    if result:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


# ------------------------------------------------------------------ the time stamp counter

#   rdtscp; mov %ecx,(%rdi); shl $32,%rdx; or %rdx,%rax; ret
_RDTSCP = bytes.fromhex("0f01f9 890f 48c1e220 4809d0 c3")


class TimeStampCounter:
    """Reads the counter, which Python has no word for, with a few bytes of machine code."""

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self._page.write(_RDTSCP)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self._page))
        self._read = ctypes.PYFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)(address)

    def read(self) -> tuple[int, int]:
        """The counter, and what rdtscp stores in ecx."""
        auxiliary = ctypes.c_uint32()
        return self._read(ctypes.addressof(auxiliary)), auxiliary.value
