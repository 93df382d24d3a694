"""Which files an event of the log used, and how, by the paths that it resolved to."""

from __future__ import annotations

from rex.log.records import IN, LOADER, RESOLVED, SCRIPT, Event
from rex.syscalls import CALLS, Call, Hook, Op

# Its content was read or executed; made, replaced or changed; it was removed; it went away under
# another name; an empty directory was removed; its mode, times or attributes were set.
READ, WRITE, REMOVE, MOVED, REMOVE_DIRECTORY, ADJUST = (
    "read", "write", "remove", "moved", "remove directory", "adjust")

WRITE_ONLY, READ_WRITE, CREATE, EXCLUSIVE, TRUNCATE = 1, 2, 0o100, 0o200, 0o1000

Uses = list[tuple[bytes, str]]


def open_flags(event: Event) -> int:
    """The flags of open and the like, as open(2) has them."""
    call = CALLS[event.call]
    flags, in_memory = call.index_of("oflags"), call.index_of("openhow")
    if flags >= 0:
        return event.args[flags]
    return int.from_bytes((event.data(IN, in_memory) or b"")[:8], "little") if in_memory >= 0 else CREATE | WRITE_ONLY | TRUNCATE


def is_exclusive(flags: int) -> bool:
    """Whether an open can only have made a new file."""
    return bool(flags & CREATE and flags & EXCLUSIVE)


def file_uses(event: Event) -> Uses:
    """Paths and how they were used, in the order in which that happened; failed calls use nothing."""
    call = CALLS.get(event.call)
    if call is None or event.result < 0:
        return []
    if call.hook is Hook.EXEC:
        program = event.data(RESOLVED) or event.data(IN) or b""
        return [(path, READ) for path in (program, *event.all_data(SCRIPT), *event.all_data(LOADER))]
    paths = event.all_data(RESOLVED)
    if call.hook is Hook.TREE and paths:
        return _tree_uses(call, paths)
    if call.hook is Hook.OPEN and paths and not event.stream:
        return _open_uses(paths[0], open_flags(event))
    return []


def _open_uses(path: bytes, flags: int) -> Uses:
    uses: Uses = []
    if not flags & TRUNCATE and not is_exclusive(flags):
        uses.append((path, READ))
    if flags & (WRITE_ONLY | READ_WRITE | TRUNCATE):
        uses.append((path, WRITE))
    return uses


def _tree_uses(call: Call, paths: list[bytes]) -> Uses:
    op, last = call.op, paths[-1]
    if op in (Op.RENAME, Op.LINK):
        moved = [(paths[0], MOVED)] if op is Op.RENAME else []
        return [(paths[0], READ), *moved, (last, WRITE)] if len(paths) > 1 else []
    if op in (Op.TRUNCATE, Op.SYMLINK, Op.MKDIR, Op.MKNOD):
        return [(last, WRITE)]
    if op is Op.UNLINK:
        return [(last, REMOVE)]
    return [(last, REMOVE_DIRECTORY)] if op is Op.RMDIR else [(paths[0], ADJUST)]
