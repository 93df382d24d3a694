"""Runs a program in namespaces of its own: it sees some directories, and nothing else of this machine.

Three processes: the first makes the namespaces and waits; the second is their process 1, makes the file
system, gives up every capability and waits too; the third is the program. All end with the first.

The root is an empty file system in memory, read-only. In it lie the directories that were asked for, at their
own paths, /proc of these processes alone, harmless devices, and the program with its libraries. There is no
network but an own loopback. No capability can be had again, so that no mount can be changed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import json
import os
import signal
import socket
import struct
import sys
from dataclasses import asdict, dataclass, field
from typing import Any

# linux/sched.h, sys/mount.h, linux/prctl.h, which Python does not carry.
_NEWNS, _NEWUTS, NEWIPC, NEWUSER, _NEWPID, _NEWNET = (
    0x00020000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
_DETACH, _PIVOT_ROOT = 2, 155
_SET_PDEATHSIG, _CAPBSET_READ, _CAPBSET_DROP, _SET_NO_NEW_PRIVS, _CAP_AMBIENT, _AMBIENT_CLEAR = 1, 23, 24, 38, 47, 4
_CAPABILITY_VERSION_3 = 0x20080522
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _UP = 0x8913, 0x8914, 1
# statvfs flags of a mount that a remount in a user namespace must keep, as mount flags.
_KEPT_FLAGS = {os.ST_NOSUID: _NOSUID, os.ST_NODEV: _NODEV, os.ST_NOEXEC: _NOEXEC, os.ST_RDONLY: _RDONLY,
               os.ST_NOATIME: 1 << 10, os.ST_NODIRATIME: 1 << 11, os.ST_RELATIME: 1 << 21}

_DEVICES = ("null", "zero", "full", "random", "urandom")
_OWN = "/.rex"        # where the program and its libraries lie inside
REFUSED = 90          # exit status: the sandbox could not be made; the reason is in the file


@functools.cache
def libc() -> Any:
    """The C library, for calls that Python does not have."""
    import ctypes   # of those who import this module few come here
    return ctypes.CDLL(None, use_errno=True)


@dataclass
class Sandbox:
    """What a program may see.

    Attributes:
        root: an empty directory, for the file system that is made.
        writable, read_only: directories that it sees at their own paths; one may lie in another.
        program, loader, libraries: the program to run, and what it is run with, libraries by name.
        arguments: those of the program.
        refusal: a file for the reason, where the sandbox cannot be made.
    """

    root: str
    writable: list[str]
    read_only: list[str]
    program: str = ""
    loader: str = ""
    libraries: dict[str, str] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)
    refusal: str = ""

    def command(self) -> list[str]:
        """The command that runs the program in it."""
        start = "import os; from rex.tracer.sandbox import main; os._exit(main())"   # Python in its end would die of a SIGTERM
        return [sys.executable, "-P", "-c", start, json.dumps(asdict(self))]   # -P: nothing of the working directory


def outer_pid(made_by: int, inner: int) -> int:
    """The number out here of a process of a sandbox; 0: it is gone.

    Args:
        made_by: the process that `command` was run as.
        inner: its number in there.
    """
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError, StopIteration):
            if os.stat(f"/proc/{name}/ns/pid").st_ino == os.stat(f"/proc/{made_by}/ns/pid_for_children").st_ino:
                with open(f"/proc/{name}/status", encoding="utf-8", errors="replace") as status:
                    if int(next(line for line in status if line.startswith("NSpid:")).split()[-1]) == inner:
                        return int(name)
    return 0


def _must(name: str, *args: int | bytes | None) -> int:
    function = getattr(libc(), name)   # all give an int, -1 for a failure
    import ctypes
    result = int(function(*[ctypes.c_ulong(a) if isinstance(a, int) else a for a in args]))
    if result == -1:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
    return result


def _write(path: str, text: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text)
    finally:
        os.close(fd)


def map_own_ids(uid: int, gid: int) -> None:
    """Be in a new user namespace who one was before; nobody else is there."""
    _write("/proc/self/setgroups", b"deny")
    _write("/proc/self/uid_map", b"%d %d 1" % (uid, uid))
    _write("/proc/self/gid_map", b"%d %d 1" % (gid, gid))


def _unshare() -> None:
    uid, gid = os.getuid(), os.getgid()
    try:
        _must("unshare", NEWUSER | _NEWNS | _NEWUTS | NEWIPC | _NEWPID | _NEWNET)
    except OSError as error:
        why = {errno.ENOSPC: "/proc/sys/user allows no more namespaces",
               errno.EPERM: "the kernel does not let users make namespaces"}
        raise OSError(error.errno, why.get(error.errno or 0, error.strerror)) from error
    map_own_ids(uid, gid)


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    _must("mount", os.fsencode(source), os.fsencode(target), kind.encode() or None, flags, data.encode() or None)


def _bind(source: str, target: str, flags: int) -> None:
    """Show a file or directory at another place; the flags of its mount stay besides."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.lexists(target):
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    _mount(source, target, "", _BIND)
    there = os.statvfs(target).f_flag
    kept = sum(flag for mark, flag in _KEPT_FLAGS.items() if there & mark)
    _mount("none", target, "", _BIND | _REMOUNT | flags | kept)


def _make_root(box: Sandbox) -> None:
    _mount("none", "/", "", _REC | _PRIVATE)
    _mount("none", box.root, "tmpfs", _NOSUID | _NODEV, "mode=0755,size=16m")
    # What contains comes before what it contains.
    places = [(path, 0) for path in box.writable] + [(path, _RDONLY) for path in box.read_only]
    for path, flag in sorted(places):
        _bind(path, box.root + path, flag | _NOSUID | _NODEV)
    own = box.root + _OWN
    files = {os.path.basename(path): path for path in (box.program, box.loader) if path}
    for name, path in {**box.libraries, **files}.items():
        _bind(path, f"{own}/{name}", _RDONLY | _NOSUID | _NODEV)
    for name in _DEVICES:
        _bind(f"/dev/{name}", f"{box.root}/dev/{name}", _NOSUID)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink("/proc/self/fd" + target, f"{box.root}/dev/{name}")
    os.mkdir(f"{box.root}/dev/shm")       # of a live run: what it makes there goes to its outputs
    os.makedirs(f"{box.root}/proc", exist_ok=True)
    _mount("proc", f"{box.root}/proc", "proc", _NOSUID | _NODEV | _NOEXEC)
    _mount("none", box.root, "", _BIND | _REMOUNT | _RDONLY | _NOSUID | _NODEV)
    os.chdir(box.root)
    _must("syscall", _PIVOT_ROOT, b".", b".")
    _must("umount2", b".", _DETACH)
    os.chdir("/")


def _raise_loopback() -> None:
    """What talks to itself over 127.0.0.1 still can."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = bytearray(struct.pack("16sH22x", b"lo", 0))
        fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request)
        struct.pack_into("H", request, 16, struct.unpack_from("H", request, 16)[0] | _UP)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, request)


def _drop_capabilities() -> None:
    """For good: not even user 0 of this namespace gets one back by executing something."""
    _must("prctl", _CAP_AMBIENT, _AMBIENT_CLEAR, 0, 0, 0)
    number = 0
    while libc().prctl(_CAPBSET_READ, number, 0, 0, 0) >= 0:
        _must("prctl", _CAPBSET_DROP, number, 0, 0, 0)
        number += 1
    _must("capset", struct.pack("<Ii", _CAPABILITY_VERSION_3, 0), bytes(24))
    _must("prctl", _SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _status(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _wait_for(child: int) -> int:
    """Reap whatever ends until the child has; what to exit with."""
    while True:
        pid, status = os.wait()
        if pid == child:
            return _status(status)


def _run_inside(box: Sandbox, refusal: int) -> int:
    """Process 1 of the sandbox: makes it, runs the program, and reaps all others."""
    _must("prctl", _SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    os.setsid()       # no terminal that input could be pushed into
    try:
        _make_root(box)
        _raise_loopback()
        _drop_capabilities()
    except OSError as error:
        return _refuse(refusal, error)
    program = f"{_OWN}/{os.path.basename(box.program)}"
    command = [f"{_OWN}/{os.path.basename(box.loader)}", "--library-path", _OWN, program] if box.loader else [program]
    child = os.fork()
    if child == 0:
        try:
            os.execv(command[0], [*command, *box.arguments])
        except OSError as error:
            os._exit(_refuse(refusal, error))
    _pass_on_to(child)
    return _wait_for(child)


def _pass_on_to(child: int) -> None:
    """Let whoever ends us, or interrupts us at a terminal, end the program, which knows how to."""
    def end(_number: int, _frame: object) -> None:
        with contextlib.suppress(ProcessLookupError):   # it has just ended
            os.kill(child, signal.SIGTERM)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)


def _refuse(refusal: int, error: OSError) -> int:
    where = f" ({os.fsdecode(error.filename)})" if error.filename else ""
    os.write(refusal, f"{error.strerror}{where}".encode("utf-8", "replace"))
    return REFUSED


def main() -> int:
    """Run the program of the sandbox that the first argument names; its exit status."""
    box = Sandbox(**json.loads(sys.argv[1]))
    refusal = os.open(box.refusal, os.O_WRONLY | os.O_CLOEXEC)
    try:
        _unshare()
    except OSError as error:
        return _refuse(refusal, error)
    child = os.fork()   # only children are in the new process namespace
    if child == 0:
        status = REFUSED
        try:
            status = _run_inside(box, refusal)
        finally:
            os._exit(status)
    _pass_on_to(child)
    return _status(os.waitpid(child, 0)[1])
