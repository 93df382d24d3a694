"""Replay: opening files and executing programs, by names that the overlay gives."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import stat

from rex.log.records import LOADER, RESOLVED, STACK, STAT, Event
from rex.syscalls import BY_NAME
from rex.tracer.reference import memory, paths
from rex.tracer.reference.callkeys import is_writing
from rex.tracer.reference.kernel import AT_FDCWD
from rex.tracer.reference.record_files import file_kind
from rex.tracer.reference.replay_state import ReplayState
from rex.tracer.reference.script import Entry
from rex.tracer.reference.stack import hide_vdso, loader_code, read_stack, restore_stack
from rex.tracer.reference.tasks import Task

_NR = {name: BY_NAME[name].nr for name in
       ("open", "openat", "openat2", "creat", "execve", "execveat", "mmap")}
_O_TMPFILE = os.O_TMPFILE
_HOW_MODE = 8                         # in struct open_how
_STANDARD_NAMES = (b"/dev/stdin", b"/dev/stdout", b"/dev/stderr")
_KERNEL_DEVICES = (b"/dev/null", b"/dev/zero", b"/dev/full")

# Room for paths in each address space: a slot per task, so that tasks that share one do not meet.
_SLOTS, _SLOT_BYTES = 2048, 8192
_SCRATCH_HINT = 0x2E0000000000
_MAP_NORESERVE = 0x4000


def _has_scratch(task: Task) -> bool:
    """Room in the tracee for a path: if not, it is made instead of the call, which then comes again."""
    if not task.space.scratch:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
        task.substitute(_NR["mmap"], _SCRATCH_HINT, _SLOTS * _SLOT_BYTES, mmap.PROT_READ | mmap.PROT_WRITE,
                        flags, -1, 0)
        task.scratch_due = True
    return bool(task.space.scratch)


def _put_path(task: Task, path: bytes) -> int:
    at = task.space.scratch + task.index % _SLOTS * _SLOT_BYTES
    memory.write(task.tid, at, path + b"\0")
    return at


# ------------------------------------------------------------------ opening

def _open_mode(task: Task) -> int:
    if task.nr == _NR["openat2"]:
        return memory.read_int(task.tid, task.args[2] + _HOW_MODE) or 0
    return task.args[{_NR["open"]: 2, _NR["creat"]: 1}.get(task.nr, 3)]


def _namespace(resolved: bytes) -> bytes | None:
    """What the kernel calls by its kind and number ("mnt:[4026531841]"): whose it is does not matter, as none can be entered."""
    kind, called, _ = resolved.partition(b":[")
    name = b"/proc/self/ns/" + kind
    return name if called and os.path.exists(name) else None          # not of a pipe or socket


def _nameless(task: Task, resolved: bytes) -> bytes | None:
    """For what has no name, or none any more: descriptors opened again by number, namespaces."""
    given = task.path or b""
    if resolved.startswith(b"/") and not resolved.startswith(b"/memfd:") and not (
            resolved.endswith(b" (deleted)") and len(resolved) > 10):
        return None
    _, slash, digits = given.partition(b"/fd/")
    if slash and given.startswith((b"/proc/", b"/dev/fd/")):
        return b"/proc/%d/fd/%s" % (task.tid, digits)
    if given in _STANDARD_NAMES:
        return b"/proc/%d/fd/%d" % (task.tid, _STANDARD_NAMES.index(given))
    return _namespace(resolved)


def _file_for(state: ReplayState, task: Task, path: bytes, kind: int, flags: int) -> bytes | None:
    overlay = state.overlay
    if path in _KERNEL_DEVICES:       # the kernel provides these on every machine
        return path
    if flags & _O_TMPFILE == _O_TMPFILE:          # "/dir/#1234 (deleted)"
        directory = path.rpartition(b"/")[0] or path
        return overlay.write(directory + b"/x", True).rpartition(b"/")[0]
    inside = _nameless(task, path)
    if inside is not None:
        return inside
    if kind == stat.S_IFDIR:          # it is listed from the log
        return overlay.empty
    if is_writing(flags):
        return overlay.write(path, bool(flags & os.O_TRUNC))
    if path in state.log.changed:  # so that what is written later is seen through it
        overlay.write(path, False)
    return overlay.read(path)


def _stand_in(state: ReplayState, stream: int) -> bytes:
    """For a source or sink outside: writes to the terminal go where ours go."""
    if stream in (2, 3):
        return b"/proc/%d/fd/%d" % (os.getpid(), state.standard.source(stream - 1))
    return os.fsencode(os.devnull)


def _stand_in_flags(state: ReplayState, event: Event, flags: int) -> int:
    """A standard stream that is opened by name: a plain file as it was, else at the end of what is there, for all who write."""
    kept = os.O_CLOEXEC | os.O_NONBLOCK
    if event.stream not in (2, 3):
        return flags & kept | os.O_RDWR
    if file_kind(event.data(STAT)) == stat.S_IFREG:
        return flags & (kept | os.O_APPEND | os.O_TRUNC) | os.O_WRONLY
    fd = state.standard.source(event.stream - 1)
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_APPEND)
    return flags & kept | os.O_WRONLY | os.O_APPEND


def perform_open(state: ReplayState, task: Task, entry: Entry | None) -> None:
    """Open by another name. Without an entry only archived files of that very name exist."""
    event = entry.event if entry else None
    if entry and entry.event.result < 0:
        state.emulate(task, entry)
        return
    if not _has_scratch(task):
        return
    flags, file = paths.open_flags(task), None
    if event and event.stream:
        file = _stand_in(state, event.stream)
        flags = _stand_in_flags(state, event, flags)
    else:
        resolved = event.data(RESOLVED) if event else task.path
        if resolved and (event or resolved.startswith(b"/")):
            kind = file_kind(event.data(STAT) if event else None)
            file = _file_for(state, task, resolved, kind, flags)
    if file is not None:
        flags &= ~(os.O_NOATIME | os.O_NOFOLLOW | os.O_DIRECT)
        task.substitute(_NR["openat"], AT_FDCWD, _put_path(task, file), flags, _open_mode(task))
    else:
        _give_up(state, task, entry, "the file is not in the archive")


def _give_up(state: ReplayState, task: Task, entry: Entry | None, why: str) -> None:
    if entry:
        state.diverged(task, entry, why)
        entry.is_done = True
    task.skip(-errno.ENOENT)


# ------------------------------------------------------------------ programs

def perform_exec(state: ReplayState, task: Task, entry: Entry) -> None:
    """Execute the archived program."""
    event = entry.event
    if event.result < 0:
        state.emulate(task, entry)
        return
    if not _has_scratch(task):
        return
    resolved = event.data(RESOLVED)
    is_held = task.nr == _NR["execveat"] and not task.path     # by a descriptor alone
    held = b"/proc/%d/fd/%d" % (task.tid, task.args[0]) if is_held else None
    file = state.overlay.program(resolved, event.data(LOADER), held) if resolved else None
    if file is None:
        _give_up(state, task, entry, "the program is not in the archive")
        return
    first = 2 if task.nr == _NR["execveat"] else 1
    task.substitute(_NR["execve"], _put_path(task, file), task.args[first], task.args[first + 1])


def execed(state: ReplayState, task: Task) -> None:
    """Give the new program its recorded stack."""
    entry = task.matched
    image = entry.event.data(STACK) if entry else None
    if entry and image is not None:
        restore_stack(task, entry.event.args[3], image)
    live = read_stack(task)
    if live:
        hide_vdso(task, live)
        task.space.loader = loader_code(task, live)
    if entry:
        entry.is_done = True
