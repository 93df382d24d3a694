"""The files of a replay: archived ones as they were first seen, and above them
those that the replay itself writes, at OUTDIR/<absolute path>. Nothing else
is ever touched."""

from __future__ import annotations

import os
import re
import shutil
import stat
from contextlib import suppress
from typing import Callable, Collection

from rex import elf
from rex.errors import RexError
from rex.log.records import IN, RESOLVED, Event
from rex.syscalls import BY_NAME, CALLS
from rex.tracer.plan import Plan, Report
from rex.tracer.reference import kernel, memory, paths
from rex.tracer.reference.kernel import signed32
from rex.tracer.reference.tasks import Task

_RENAMEAT2, _UTIME, _UTIMENSAT, _FUTIMESAT, _LINKAT = (
    BY_NAME[name].nr for name in ("renameat2", "utime", "utimensat", "futimesat", "linkat"))
_RENAME_EXCHANGE, _AT_REMOVEDIR, _AT_SYMLINK_NOFOLLOW = 2, 0x200, 0x100
_UMASK = re.compile(rb"^Umask:\s*([0-7]+)", re.MULTILINE)
_MAX_NAME_BYTES, _MAX_VALUE_BYTES = 256, 1 << 16      # the kernel's limits of attributes
_COPY_BYTES = 1 << 20


def _parts(path: bytes) -> list[bytes]:
    """The path and the directories that it is in, innermost first."""
    found = []
    while path:
        found.append(path)
        path = path.rpartition(b"/")[0]
    return found


class Overlay:
    """Which file stands for a path, and what becomes of the tree."""

    def __init__(self, plan: Plan, report: Report) -> None:
        self.empty = plan.empty
        self._plan = plan
        self._report = report
        self._gone: set[bytes] = set()                    # archived paths that the replay removed
        self._made_programs: dict[tuple[bytes, int, int], bytes] = {}

    def _upper(self, path: bytes) -> bytes:
        return self._plan.outdir + path

    def _is_gone(self, path: bytes) -> bool:
        return any(part in self._gone for part in _parts(path))

    def _original(self, path: bytes) -> tuple[int, int, bytes] | None:
        return None if self._is_gone(path) else self._plan.files.get(path)

    def _problem(self, kind: str, what: bytes, error: Exception) -> None:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        self._report.problems.append(f"{kind}: {os.fsdecode(what)}: {why}")

    # -------------------------------------------------------------- from below to above

    def _make_parents(self, path: bytes) -> None:
        for part in reversed(_parts(path)[1:]):
            with suppress(OSError):
                os.mkdir(self._upper(part))

    def _copy_up(self, path: bytes, is_empty: bool = False) -> None:
        """An archived file, link or directory gets its place above; what is there already stays."""
        above, plan = self._upper(path), self._plan
        if os.path.lexists(above) or self._is_gone(path):
            return
        self._make_parents(path)
        try:
            if path in plan.files:
                _copy_file(plan.files[path], above, is_empty)
            elif path in plan.links:
                os.symlink(plan.links[path], above)
            elif path in plan.dirs:
                os.mkdir(above, plan.dirs[path] & 0o7777)
        except OSError as error:
            self._problem("copy_failed", above, error)

    def _copy_up_below(self, paths_below: Collection[bytes], path: bytes) -> None:
        for one in paths_below:
            if one.startswith(path + b"/"):
                self._copy_up(one)

    # -------------------------------------------------------------- files and programs

    def read(self, path: bytes) -> bytes | None:
        """The file to open for reading, None if there is none."""
        above = self._upper(path)
        if os.path.lexists(above) and not _is_directory(above):
            return above
        original = self._original(path)
        return original[2] if original else None

    def write(self, path: bytes, is_truncated: bool) -> bytes:
        """The file to open for writing, copied up if archived."""
        if self._original(path):
            self._copy_up(path, is_truncated)
        else:
            self._make_parents(path)
        return self._upper(path)

    def program(self, path: bytes, loader: bytes | None, held: bytes | None) -> bytes | None:
        """The file to execute, None if there is none.

        Archived programs were prepared by the caller; one that the replay has built is prepared here.

        Args:
            held: where one is that may have no name, as a file in memory; None: it has one.
        """
        above = self._upper(path)
        if not os.path.lexists(above):
            file = None if self._is_gone(path) else self._plan.programs.get(path)
            if file is not None or held is None:
                return file
            above = held
        loader_file = self.read(loader) if loader else None
        if loader_file is None:
            return above
        found = os.stat(above)
        identity = above, found.st_ino, found.st_mtime_ns
        if identity not in self._made_programs:
            self._made_programs[identity] = self._with_loader(above, loader_file)
        return self._made_programs[identity]

    def _with_loader(self, program: bytes, loader: bytes) -> bytes:
        copy = b"%s/program%d" % (self._plan.work, len(self._made_programs))
        try:
            elf.with_interpreter(os.fsdecode(program), loader, os.fsdecode(copy))
            os.chmod(copy, 0o700)
        except (OSError, RexError) as error:
            self._problem("copy_failed", program, error)
        return copy

    # -------------------------------------------------------------- changes

    def change(self, task: Task, event: Event) -> None:
        """Do what a recorded call did to the tree.

        Owners are only in the log: we may not be able to give files away.
        """
        at = paths.name_args(event.call)
        path = event.data(RESOLVED, max(at.path, 0))
        change = _CHANGES.get(CALLS[event.call].name)
        if change is None or path is None or not path.startswith(b"/"):
            return
        try:
            change(self, task, event, path)
        except OSError as error:
            self._problem("change_failed", self._upper(path), error)

    def _mkdir(self, task: Task, event: Event, path: bytes) -> None:
        self._make_parents(path)
        with suppress(FileExistsError):
            os.mkdir(self._upper(path), 0o700)
        os.chmod(self._upper(path), _masked(task, _after_path(task, event)) & 0o7777)

    def _mknod(self, task: Task, event: Event, path: bytes) -> None:
        mode = _masked(task, _after_path(task, event))
        self._make_parents(path)
        with suppress(FileExistsError):
            os.mknod(self._upper(path), 0o600 | (stat.S_IFMT(mode) if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else 0))
        os.chmod(self._upper(path), mode & 0o7777)

    def _remove(self, path: bytes, is_directory: bool) -> None:
        with suppress(OSError):       # it may be archived only
            (os.rmdir if is_directory else os.unlink)(self._upper(path))
        if path in self._plan.files or path in self._plan.links or path in self._plan.dirs:
            self._gone.add(path)

    def _rmdir(self, _task: Task, _event: Event, path: bytes) -> None:
        self._remove(path, True)

    def _unlink(self, task: Task, event: Event, path: bytes) -> None:
        is_at = paths.name_args(event.call).dirfd >= 0
        self._remove(path, is_at and bool(task.args[2] & _AT_REMOVEDIR))

    def _rename(self, task: Task, event: Event, path: bytes) -> None:
        new = event.data(RESOLVED, paths.name_args(event.call).path2)
        if new is None:
            return
        is_exchange = event.call == _RENAMEAT2 and bool(task.args[4] & _RENAME_EXCHANGE)
        self._copy_up(path)
        for below in (self._plan.files, self._plan.links, self._plan.dirs):
            self._copy_up_below(below, path)
        if is_exchange:
            self._copy_up(new)
        self._make_parents(new)
        if not is_exchange:
            self._gone.add(path)
        kernel.rename(self._upper(path), self._upper(new), is_exchange)

    def _link(self, task: Task, event: Event, path: bytes) -> None:
        """linkat on a descriptor gives an unnamed file its name."""
        at = paths.name_args(event.call)
        new, given = event.data(RESOLVED, at.path2), event.data(IN, at.path)
        if new is None:
            return
        self._make_parents(new)
        if event.call == _LINKAT and given == b"":
            old = b"/proc/%d/fd/%d" % (task.tid, signed32(event.args[0]))
        elif given and given.startswith(b"/proc/") and b"/fd/" in given:
            old = b"/proc/%d/fd/%s" % (task.tid, given.partition(b"/fd/")[2])
        else:
            self._copy_up(path)
            old = self._upper(path)
        kernel.link(old, self._upper(new), old.startswith(b"/proc/"))

    def _symlink(self, task: Task, _event: Event, path: bytes) -> None:
        target = memory.read_string(task.tid, task.args[0], paths.PATH_MAX)
        self._make_parents(path)
        if target is not None:
            os.symlink(target, self._upper(path))

    def _truncate(self, task: Task, _event: Event, path: bytes) -> None:
        os.truncate(self.write(path, False), task.args[1])

    def _chmod(self, task: Task, event: Event, path: bytes) -> None:
        self._copy_up(path)
        with suppress(OSError):
            os.chmod(self._upper(path), _after_path(task, event) & 0o7777)

    def _set_attribute(self, task: Task, _event: Event, path: bytes) -> None:
        """Access lists, which carry modes, among them; what this file system refuses is only in the log."""
        self._copy_up(path)
        name = memory.read_string(task.tid, task.args[1], _MAX_NAME_BYTES)
        size = task.args[3]
        value = memory.read(task.tid, task.args[2], size) if size <= _MAX_VALUE_BYTES else None
        if name is not None and value is not None:
            with suppress(OSError):
                os.setxattr(self._upper(path), name, value, signed32(task.args[4]), follow_symlinks=False)

    def _set_times(self, task: Task, event: Event, path: bytes) -> None:
        self._copy_up(path)
        flags = task.args[3] & _AT_SYMLINK_NOFOLLOW if event.call == _UTIMENSAT else 0
        kernel.set_times(self._upper(path), _times(task, event.call), flags)


    def _keep(self, _task: Task, _event: Event, path: bytes) -> None:
        self._copy_up(path)

    def bind(self, task: Task, path: bytes) -> None:
        """A socket that was bound to a name shows there."""
        self._make_parents(path)
        try:
            os.mknod(self._upper(path), stat.S_IFSOCK | _masked(task, 0o777))
            os.chmod(self._upper(path), _masked(task, 0o777))
        except OSError as error:
            self._problem("change_failed", self._upper(path), error)


_Change = Callable[[Overlay, Task, Event, bytes], None]
_CHANGES: dict[str, _Change] = {
    "mkdir": Overlay._mkdir, "mkdirat": Overlay._mkdir, "mknod": Overlay._mknod, "mknodat": Overlay._mknod,
    "rmdir": Overlay._rmdir, "unlink": Overlay._unlink, "unlinkat": Overlay._unlink,
    "rename": Overlay._rename, "renameat": Overlay._rename, "renameat2": Overlay._rename,
    "link": Overlay._link, "linkat": Overlay._link, "symlink": Overlay._symlink, "symlinkat": Overlay._symlink,
    "truncate": Overlay._truncate, "chmod": Overlay._chmod, "fchmod": Overlay._chmod, "fchmodat": Overlay._chmod,
    "fchmodat2": Overlay._chmod, "utime": Overlay._set_times, "utimes": Overlay._set_times,
    "utimensat": Overlay._set_times, "futimesat": Overlay._set_times,
    "chown": Overlay._keep, "lchown": Overlay._keep, "fchown": Overlay._keep, "fchownat": Overlay._keep,
    "setxattr": Overlay._set_attribute, "lsetxattr": Overlay._set_attribute, "fsetxattr": Overlay._set_attribute,
}


def _is_directory(path: bytes) -> bool:
    return stat.S_ISDIR(os.lstat(path).st_mode)


def _copy_file(original: tuple[int, int, bytes], to: bytes, is_empty: bool) -> None:
    mode, mtime_ns, file = original
    fd = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(fd, "wb", buffering=0) as target:
        if not is_empty:
            with open(file, "rb", buffering=0) as source:
                shutil.copyfileobj(source, target, _COPY_BYTES)
        os.fchmod(fd, mode & 0o7777)
    kernel.set_times(to, kernel.TIMES.pack(0, kernel.UTIME_OMIT, *divmod(mtime_ns, 10**9)))


def _after_path(task: Task, event: Event) -> int:
    """The argument after the path, or after the descriptor where there is no path."""
    return task.args[max(paths.name_args(event.call).path, 0) + 1]


def _masked(task: Task, mode: int) -> int:
    mask = 0o022
    with suppress(OSError), open(f"/proc/{task.tid}/status", "rb") as file:
        found = _UMASK.search(file.read())
        mask = int(found[1], 8) if found else mask
    return mode & ~mask


def _times(task: Task, nr: int) -> bytes:
    """The two timespecs that any of the calls asks for."""
    at = task.args[2 if nr in (_UTIMENSAT, _FUTIMESAT) else 1]
    data = memory.read(task.tid, at, 16 if nr == _UTIME else kernel.TIMES.size) if at else None
    if data is None:
        return kernel.TIMES.pack(0, kernel.UTIME_NOW, 0, kernel.UTIME_NOW)
    if nr == _UTIMENSAT:
        return data
    if nr == _UTIME:
        accessed, modified = int.from_bytes(data[:8], "little"), int.from_bytes(data[8:], "little")
        return kernel.TIMES.pack(accessed, 0, modified, 0)
    seconds, micros, more_seconds, more_micros = kernel.TIMES.unpack(data)
    return kernel.TIMES.pack(seconds, micros * 1000, more_seconds, more_micros * 1000)
