"""Confine a process for good: a call that would change anything outside of it ends it with SIGSYS.

The kernel checks each call (seccomp, x86-64), whatever library or thread makes it. Allowed are reads, memory, threads
and pipes of the process's own. Files are not opened for writing, not even `/dev/null`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import struct
from typing import Iterable, Iterator

from rex.syscalls.numbers import NUMBERS

_FORBIDDEN = """
    creat openat2 unlink unlinkat rename renameat renameat2 rmdir mkdir mkdirat link linkat symlink symlinkat mknod mknodat
    truncate chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes utimensat futimesat setxattr lsetxattr
    fsetxattr removexattr lremovexattr fremovexattr setxattrat removexattrat open_by_handle_at quotactl
    connect bind listen sendmmsg fork vfork execve execveat kill tkill pidfd_send_signal rt_sigqueueinfo rt_tgsigqueueinfo
    pidfd_open pidfd_getfd ptrace process_vm_writev shmget shmat shmctl msgget msgsnd msgctl semget semop semtimedop semctl
    mq_open mq_unlink mq_timedsend io_setup io_submit io_uring_setup io_uring_enter io_uring_register
    mount umount2 pivot_root chroot fsopen move_mount open_tree sethostname setdomainname settimeofday clock_settime
    reboot swapon swapoff acct add_key request_key keyctl bpf init_module finit_module delete_module kexec_load""".split()
# Calls that move bytes, with the argument that is the descriptor.
_WRITES = {"write": 0, "pwrite64": 0, "writev": 0, "pwritev": 0, "pwritev2": 0, "sendmsg": 0, "ftruncate": 0,
           "fallocate": 0, "sendfile": 0, "vmsplice": 0, "splice": 2, "copy_file_range": 2, "dup": 0, "dup2": 0, "dup3": 0}
_READS = {"read": 0, "readv": 0, "preadv2": 0, "recvfrom": 0, "recvmsg": 0, "recvmmsg": 0}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_CLONE_THREAD, _MAP_SHARED, _PROT_WRITE, _F_DUPFD, _F_DUPFD_CLOEXEC = 0x10000, 1, 2, 0, 1030

_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _GO, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x05, 0x06     # of classic BPF
_ERROR = 0x00050000
_NUMBER, _ARCHITECTURE, _X86_64, _X32 = 0, 4, 0xC000003E, 0x40000000
_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _MODE_FILTER = 4, 22, 38, 2

_Step = tuple[int, int, int, int]     # code, steps to skip if true, if false, operand
_ALLOWED: _Step = (_RETURN, 0, 0, 0x7FFF0000)
_KILLED: _Step = (_RETURN, 0, 0, 0x80000000)


def confine(unwritable: Iterable[int], unreadable: Iterable[int]) -> str:
    """Confine this process, all that it forks and its threads to come; why that cannot be done, or "".

    Args:
        unwritable: open descriptors that must not be written.
        unreadable: those that must not be read, as others share what is in them.
    """
    if platform.machine() != "x86_64":
        return f"processes are not confined on {platform.machine()}"
    steps = list(_filter(sorted(unwritable), sorted(unreadable)))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))     # SIGSYS would leave all of its memory in a file
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    if prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0):
        return f"this system cannot confine a process: {os.strerror(ctypes.get_errno())}"
    return ""


def _filter(unwritable: list[int], unreadable: list[int]) -> Iterator[_Step]:
    yield from ((_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, _X86_64), _KILLED,
                (_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _X32), _KILLED)
    for name in _FORBIDDEN:
        yield from _call(name, _KILLED)
    yield from _call("clone3", (_RETURN, 0, 0, _ERROR | errno.ENOSYS))     # its flags lie in memory: libraries use clone then
    yield from _call("clone", _argument(0), (_ANY_BIT, 1, 0, _CLONE_THREAD), _KILLED, _ALLOWED)
    yield from _call("open", _argument(1), (_ANY_BIT, 0, 1, _WRITING), _KILLED, _ALLOWED)
    yield from _call("openat", _argument(2), (_ANY_BIT, 0, 1, _WRITING), _KILLED, _ALLOWED)
    yield from _call("tgkill", _argument(0), (_EQUAL, 1, 0, os.getpid()), _KILLED, _ALLOWED)
    written = list(_none_of(unwritable))
    yield from _call("mmap", _argument(3), (_ANY_BIT, 1, 0, _MAP_SHARED), _ALLOWED,
                     _argument(2), (_ANY_BIT, 1, 0, _PROT_WRITE), _ALLOWED, _argument(4), *written)
    yield from _call("fcntl", _argument(1), (_EQUAL, 2, 0, _F_DUPFD), (_EQUAL, 1, 0, _F_DUPFD_CLOEXEC), _ALLOWED,
                     _argument(0), *written)
    yield from _call("sendto", _argument(4), (_EQUAL, 1, 0, 0), _KILLED, _argument(0), *written)
    for name, place in _WRITES.items():
        yield from _call(name, _argument(place), *written)
    read = list(_none_of(unreadable))
    for name, place in _READS.items():
        yield from _call(name, _argument(place), *read)
    yield _ALLOWED


def _call(name: str, *block: _Step) -> Iterator[_Step]:
    """Steps for one call alone, which end in a verdict."""
    yield _EQUAL, 1, 0, NUMBERS[name]
    yield _GO, 0, 0, len(block)
    yield from block


def _argument(place: int) -> _Step:
    return _LOAD, 0, 0, 16 + 8 * place     # its lower half


def _none_of(fds: list[int]) -> Iterator[_Step]:
    """The verdict on a descriptor that was loaded."""
    for first, last in _ranges(fds):
        yield from ((_AT_LEAST, 0, 2, first), (_AT_LEAST, 1, 0, last + 1), _KILLED)
    yield _ALLOWED


def _ranges(numbers: list[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return found
