"""Which calls of a log tell facts of steps."""

from __future__ import annotations

from rex.log.records import TSC
from rex.syscalls import BY_NAME, CALLS, Hook, Op


def _hooked(hook: Hook) -> frozenset[int]:
    return frozenset(nr for nr, call in CALLS.items() if call.hook is hook)


def _does(*ops: Op) -> frozenset[int]:
    return frozenset(nr for nr, call in CALLS.items() if call.op in ops)


def _named(*names: str) -> frozenset[int]:
    return frozenset(BY_NAME[name].nr for name in names)


EXECS, OPENS, TREES, KILLS, IPC = map(_hooked, (Hook.EXEC, Hook.OPEN, Hook.TREE, Hook.KILL, Hook.IPC))
STATS, READLINKS, LISTS = _does(Op.STAT) - _named("fstat"), _does(Op.READLINK), _does(Op.LIST)
LOOKS = STATS | READLINKS | _does(Op.ACCESS)
XATTRS = _does(Op.GETXATTR, Op.LISTXATTR)
BARE_XATTRS = _named("fgetxattr", "flistxattr")          # they do not say of which file
CLOCKS = _does(Op.CLOCK) | _named("times", "getrusage") | {TSC}
MACHINE = _named("uname", "sysinfo", "sched_getaffinity", "getcpu", "statfs", "fstatfs")
GETRANDOM = BY_NAME["getrandom"].nr
WRITES = _does(Op.WRITE, Op.PWRITE, Op.SEND)
READS = _does(Op.READ, Op.PREAD, Op.RECV) | _named("splice", "copy_file_range", "sendfile", "tee")
NETWORK = _does(Op.SEND, Op.ACCEPT) | _named("connect", "bind")
MOVES = _does(Op.WRITE) | _named("copy_file_range", "sendfile", "splice")
MAKES = frozenset((Op.MKDIR, Op.MKNOD, Op.SYMLINK, Op.LINK))
