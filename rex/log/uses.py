"""Which files an event of the log used, and how, by the paths that it resolved to."""

from __future__ import annotations

from rex.log.records import IN, LOADER, RESOLVED, SCRIPT, Event
from rex.syscalls import CALLS, Call, Hook

# Its content was read or executed; made, replaced or changed; it was removed; it went away under
# another name; an empty directory was removed; its mode, times or attributes were set.
READ, WRITE, REMOVE, MOVED, REMOVE_DIRECTORY, ADJUST = (
    "read", "write", "remove", "moved", "remove directory", "adjust")

WRITE_ONLY, READ_WRITE, CREATE, EXCLUSIVE, TRUNCATE = 1, 2, 0o100, 0o200, 0o1000

Uses = list[tuple[bytes, str]]


def open_flags(event: Event) -> int:
    """The flags of open and its kin, as open(2) has them."""
    name = CALLS[event.call].name
    if name == "creat":
        return CREATE | WRITE_ONLY | TRUNCATE
    if name == "openat2":
        return int.from_bytes((event.data(IN, 2) or b"")[:8], "little")
    return event.args[1 if name == "open" else 2]


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
    name, last = call.name, paths[-1]
    if name.startswith("rename") and len(paths) > 1:
        return [(paths[0], READ), (paths[0], MOVED), (last, WRITE)]
    if name.startswith("link") and len(paths) > 1:
        return [(paths[0], READ), (last, WRITE)]
    if name.startswith(("truncate", "symlink", "mkdir", "mknod")):
        return [(last, WRITE)]
    if name.startswith("unlink"):
        return [(last, REMOVE)]
    if name == "rmdir":
        return [(last, REMOVE_DIRECTORY)]
    return [] if name.startswith(("rename", "link")) else [(paths[0], ADJUST)]
