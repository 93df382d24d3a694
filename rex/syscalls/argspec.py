"""The little language in which table.py declares system calls.

An argument is `name:word`, `name:word:dir[RULE]` or `name:dir[RULE]` (the word is then `buf`),
with dir one of in, out, inout, and RULE the size of the memory in bytes:

    144          a constant
    count        the value of another argument; count*8: times 8
    *len         the 32-bit number that another argument points to (for outputs: the smaller of
                 its values before and after the call)
    ret          the result; ret*4: times 4; ret*4<n: of the result and argument n the smaller, times 4
    bits(nfds)   one bit per unit of another argument, in whole 64-bit words
    ioctl(cmd)   what the ioctl request moves, see ioctls.py

For `iov` and `mmsghdr` the rule names the argument that counts the elements; `msghdr` has none.
`path` and `str` are strings that end with NUL and take neither direction nor rule.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from functools import cached_property

NO_ARG = 255

Policy = enum.IntEnum("Policy", "NATIVE EMULATE CORRECT STREAM REFUSE UNKNOWN", start=0)
Stop = enum.IntEnum("Stop", "NEVER ALWAYS STD ERRNO", start=0)
Key = enum.IntEnum("Key", "NONE PATH STREAM ARG", start=0)
Dir = enum.IntEnum("Dir", "VALUE IN OUT INOUT", start=0)
SizeKind = enum.IntEnum("SizeKind", "NONE CONST ARG DEREF RET STRING IOV MSG MMSG BITS IOCTL", start=0)
Hook = enum.IntEnum("Hook", "NONE OPEN EXEC FORK WAIT KILL SLEEP PAUSE TID POLL SELECT EPOLL_WAIT EPOLL_CTL "
                            "CHDIR TREE RLIMIT PID DUP CLOSE CLOSE_RANGE FCNTL SOCKET ACCEPT STREAM COPY EXIT IPC PEER", start=0)
# What a call does, whichever of its forms it has (plain, l-, f-, -at, -v, -64).
Op = enum.IntEnum("Op", "NONE OPEN EXEC STAT ACCESS READLINK LIST GETXATTR LISTXATTR SETXATTR REMOVEXATTR MKDIR MKNOD SYMLINK LINK UNLINK "
                        "RMDIR RENAME CHMOD CHOWN UTIME TRUNCATE READ PREAD WRITE PWRITE RECV SEND ACCEPT SOCKNAME CLOCK EPOLL SIGNALFD SEMOP FUTEX_WAIT FUTEX_WAKE "
                        "PAGES REMAP LOCK_MEMORY PROCESS_OPTION TIMER", start=0)

VALUE_WORDS = (
    "int uint ms size off fd dirfd addr flags mode pid uid gid dev sig clock whence prot mapflags oflags access "
    "atflags rmflags fdflags cloneflags waitopts idtype sighow family socktype msgflags level shuthow ioctl "
    "fcntl itimer resource futexop epollop advice fallocmode renameflags lockop randflags").split()
STRING_WORDS = ("path", "str")
MEMORY_WORDS = (
    "buf u32 u64 ids wstatus stat statx statfs timespec timeval timezone itimerspec itimerval utsname rusage sockaddr "
    "pollfd fdset epollevent rlimit siginfo sigset dirent dirent64 sysinfo tms cpumask openhow cloneargs "
    "ioctlarg iov msghdr mmsghdr").split()
WORDS = (*VALUE_WORDS, *STRING_WORDS, *MEMORY_WORDS)
RESULTS = ("err", "int", "len", "fd", "pid", "uid", "gid", "addr", "off", "mode", "seconds", "none")
# Of these, nofollow: a symbolic link as the last name is meant itself; private: the call wakes no other task; reported: the summary
# says that it was refused, since few programs do without it.
MARKS = frozenset("file tree desc net process memory signal time identity random ipc event system always query nofollow private reported".split())

_RULE = re.compile(r"(?:(?P<const>\d+)|bits\((?P<bits>\w+)\)|ioctl\((?P<ioctl>\w+)\)|\*(?P<deref>\w+)"
                   r"|(?P<name>[a-z_]\w*))(?:\*(?P<unit>\d+))?(?:<(?P<limit>\w+))?")
_ARG = re.compile(r"(?P<name>\w+)(?::(?P<word>(?!(?:in|out|inout)\b)\w+))?"
                  r"(?::(?P<dir>in|out|inout)(?:\[(?P<rule>[^\]]+)\])?)?")


class SpecError(ValueError):
    """A declaration in the table that does not follow the language."""


@dataclass(frozen=True)
class Size:
    """How many bytes an argument points to.

    ARG, DEREF: unit times argument `arg`, or times the u32 it points to. RET: unit times the
    result, or times argument `arg` if that is smaller and not NO_ARG. CONST: unit.
    BITS: argument `arg` in bits, as whole 64-bit words. IOV, MMSG: `arg` counts elements.
    """

    kind: SizeKind = SizeKind.NONE
    arg: int = NO_ARG
    unit: int = 0


@dataclass(frozen=True)
class Arg:
    """One argument: its name, its word (kind of value) and the memory it points to."""

    name: str
    word: str
    dir: Dir = Dir.VALUE
    size: Size = Size()


@dataclass(frozen=True)
class Call:
    """One system call as declared in the table."""

    nr: int
    name: str
    args: tuple[Arg, ...]
    ret: str
    policy: Policy
    marks: frozenset[str]
    hook: Hook
    errno: int
    op: Op
    text: str

    def index_of(self, word: str) -> int:
        """Index of the first argument of that kind; -1: it has none."""
        return self._first.get(word, -1)

    @cached_property
    def _first(self) -> dict[str, int]:
        return {arg.word: i for i, arg in reversed([*enumerate(self.args)])}

    @property
    def fd_args(self) -> int:
        """Bit mask of the arguments that are descriptors (dirfd not counted)."""
        return sum(1 << i for i, arg in enumerate(self.args) if arg.word == "fd")

    @property
    def stop(self) -> Stop:
        """When the seccomp filter stops the tracee at this call."""
        if "always" in self.marks:
            return Stop.ALWAYS
        return {Policy.NATIVE: Stop.NEVER, Policy.STREAM: Stop.STD,
                Policy.REFUSE: Stop.ERRNO}.get(self.policy, Stop.ALWAYS)

    @property
    def is_query(self) -> bool:
        """Whether the call only asks and returns at once: done twice, it has done no harm, but for listings."""
        return "query" in self.marks

    @property
    def limit_arg(self) -> int:
        """Index of the argument that says how long the call may wait, NO_ARG without one."""
        names = [arg.name for arg in self.args]
        return names.index("timeout") if "timeout" in names else NO_ARG

    @property
    def key_arg(self) -> int:
        """Index of the argument that the key is made of, NO_ARG without one."""
        words = [arg.word for arg in self.args]
        if self.key is Key.ARG and "sig" in words:
            return words.index("sig") - 1          # whom it is sent to
        by_value = "clock" if "clock" in words else "size"
        word = {Key.PATH: "path", Key.STREAM: "fd", Key.ARG: by_value}.get(self.key)
        return words.index(word) if word else NO_ARG

    @property
    def key(self) -> Key:
        """What, besides task and number, a replayed call is matched to its event by."""
        words = [arg.word for arg in self.args]
        if self.policy in (Policy.NATIVE, Policy.REFUSE):
            return Key.NONE
        if self.policy is Policy.STREAM:
            return Key.STREAM
        if "path" in words:
            return Key.PATH
        sends = "sig" in words and "pid" in words
        return Key.ARG if sends or "clock" in words or "randflags" in words else Key.NONE


def parse_call(nr: int, name: str, args: str, ret: str, policy: Policy, marks: str,
               hook: str = "none", errno: int = 0, op: str = "none") -> Call:
    """A declaration as a Call.

    Raises:
        SpecError: a word, rule, mark, hook, operation or result is unknown, or policy and errno do not agree.
    """
    parsed = parse_args(args)
    if ret not in RESULTS:
        raise SpecError(f"{name}: unknown result {ret!r}")
    if not MARKS.issuperset(marks.split()):
        raise SpecError(f"{name}: unknown mark in {marks!r}")
    if hook.upper() not in Hook.__members__:
        raise SpecError(f"{name}: unknown hook {hook!r}")
    if op.upper() not in Op.__members__:
        raise SpecError(f"{name}: unknown operation {op!r}")
    if (policy is Policy.REFUSE) != (errno > 0):
        raise SpecError(f"{name}: an errno is for refused calls, and they need one")
    call = Call(nr, name, parsed, ret, policy, frozenset(marks.split()), Hook[hook.upper()], errno, Op[op.upper()], args)
    if policy is Policy.STREAM and not call.fd_args:
        raise SpecError(f"{name}: a STREAM call needs an argument of kind fd")
    if call.is_query and not _is_plain_query(call):
        raise SpecError(f"{name}: a query is EMULATE, without hook, gives a path or name at most, and takes plain answers")
    return call


def _is_plain_query(call: Call) -> bool:
    given = [arg.word for arg in call.args if arg.dir in (Dir.IN, Dir.INOUT)]
    taken = [arg.size.kind for arg in call.args if arg.dir is Dir.OUT]
    return (call.policy is Policy.EMULATE and call.hook is Hook.NONE and given in ([], ["path"], ["str"])
            and len(taken) <= 3 and set(taken) <= {SizeKind.CONST, SizeKind.RET})


def parse_args(text: str) -> tuple[Arg, ...]:
    """The arguments of a declaration, in order.

    Raises:
        SpecError: an argument does not follow the language.
    """
    matches = []
    for part in text.split():
        match = _ARG.fullmatch(part)
        if not match or not (match["word"] or match["dir"]):
            raise SpecError(f"cannot read argument {part!r}")
        matches.append(match)
    names = [match["name"] for match in matches]
    if len(set(names)) != len(names) or len(names) > 6:
        raise SpecError(f"more than six arguments, or two of one name: {text!r}")
    return tuple(_argument(match, names) for match in matches)


def _argument(match: re.Match[str], names: list[str]) -> Arg:
    word = match["word"] or "buf"
    if word in STRING_WORDS and not match["dir"]:
        return Arg(match["name"], word, Dir.IN, Size(SizeKind.STRING))
    if word in VALUE_WORDS and not match["dir"]:
        return Arg(match["name"], word)
    if word not in MEMORY_WORDS or not match["dir"]:
        raise SpecError(f"cannot read argument {match[0]!r}: unknown word, or a direction missing or out of place")
    return Arg(match["name"], word, Dir[match["dir"].upper()], _size(word, match["rule"], names))


def _size(word: str, rule: str | None, names: list[str]) -> Size:
    if word == "msghdr":
        return Size(SizeKind.MSG, NO_ARG, 56)
    match = _RULE.fullmatch(rule or "")
    if not match:
        raise SpecError(f"cannot read size rule {rule!r}")
    if word in ("iov", "mmsghdr"):
        kind, unit = (SizeKind.IOV, 16) if word == "iov" else (SizeKind.MMSG, 64)
        return Size(kind, _index(match["name"], names), unit)
    unit = int(match["unit"] or 1)
    if match["const"]:
        return Size(SizeKind.CONST, NO_ARG, int(match["const"]) * unit)
    if match["bits"]:
        return Size(SizeKind.BITS, _index(match["bits"], names), 8)
    if match["ioctl"]:
        return Size(SizeKind.IOCTL, _index(match["ioctl"], names), 1)
    if match["deref"]:
        return Size(SizeKind.DEREF, _index(match["deref"], names), unit)
    if match["name"] == "ret":
        return Size(SizeKind.RET, _index(match["limit"], names) if match["limit"] else NO_ARG, unit)
    return Size(SizeKind.ARG, _index(match["name"], names), unit)


def _index(name: str | None, names: list[str]) -> int:
    if name not in names:
        raise SpecError(f"size rule names {name!r}, which is no argument")
    return names.index(name)
