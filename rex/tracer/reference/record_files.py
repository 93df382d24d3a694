"""Record: files. What is opened is named and classed; what is about to change is
handed to the capture service first."""

from __future__ import annotations

import os
import select
import stat
import struct
from dataclasses import dataclass

from rex.errors import OwnFailure
from rex.log.records import RESOLVED, STAT, Field
from rex.syscalls import BY_NAME
from rex.tracer.plan import CAPTURED, CREATED, DIRECTORY, LINKED, READ, SAME, WRITTEN, FileUse, Report
from rex.tracer.reference import kernel, memory, paths
from rex.tracer.reference.callkeys import is_writing
from rex.tracer.reference.spawn import Standard
from rex.tracer.reference.tasks import Task

# struct stat: dev, ino, nlink, mode, uid, gid, rdev, size, blksize, blocks, three times.
_STAT = struct.Struct("<QQQIII4xQqqq6q24x")
_REQUEST = struct.Struct("<I")
_SOCKADDR_UN_BYTES, _AF_UNIX = 110, b"\x01\0"
_ALL = 1 << 30                 # in a request's length: and all below it
# File systems whose contents the kernel makes up as they are read: proc, sysfs, debugfs,
# tracefs, cgroup, cgroup2, securityfs, bpf, selinux, efivarfs, pstore.
_KERNEL_MADE = frozenset((0x9FA0, 0x62656572, 0x64626720, 0x74726163, 0x27E0EB, 0x63677270,
                          0x73636673, 0xCAFE4A11, 0xF97CFF8C, 0xDE5E81E4, 0x6165676C))
_MEMORY_DEVICES, _HARMLESS = 1, (3, 5, 7)       # null, zero, full
_CONTROLLING_TERMINAL = (5, 0)
_MAKING = frozenset(BY_NAME[name].nr for name in ("mkdir", "mkdirat", "mknod", "mknodat", "symlink", "symlinkat"))
_MOVING = frozenset(BY_NAME[name].nr for name in ("rename", "renameat", "renameat2"))
_NAMING = frozenset(BY_NAME[name].nr for name in ("rename", "renameat", "renameat2", "link", "linkat"))


def pack_stat(found: os.stat_result) -> bytes:
    """The struct stat that Python took apart."""
    times = [part for ns in (found.st_atime_ns, found.st_mtime_ns, found.st_ctime_ns)
             for part in divmod(ns, 10**9)]
    return _STAT.pack(found.st_dev, found.st_ino, found.st_nlink, found.st_mode, found.st_uid, found.st_gid,
                      found.st_rdev, found.st_size, found.st_blksize, found.st_blocks, *times)


def file_kind(data: bytes | None) -> int:
    """The file type in a struct stat, 0 without one."""
    return stat.S_IFMT(_STAT.unpack(data)[3]) if data and len(data) == _STAT.size else 0


@dataclass
class _Use:
    """How a path was used; the first look at it decides its identity."""

    how: int = 0
    first: os.stat_result | None = None


class Ledger:
    """What the experiment used and changed, for the report."""

    def __init__(self, control: int, hints: int, standard: Standard) -> None:
        """control, hints: descriptors of the capture service, -1 without."""
        self._control, self._hints = control, hints
        self._standard = standard
        self._uses: dict[bytes, _Use] = {}
        self._aliases: dict[bytes, None] = {}
        self._touched: dict[bytes, int] = {}
        self._moved: set[bytes] = set()       # kept with all below them
        self._loaders: dict[bytes, bytes] = {}

    def report(self, report: Report) -> None:
        """Enter all of it."""
        for path, use in self._uses.items():
            first = use.first
            report.uses[path] = (FileUse(_how_now(path, use.how, first), first.st_ino, first.st_size, first.st_mtime_ns)
                                 if first else FileUse(use.how, 0, 0, 0))
        report.touched = dict(self._touched)
        report.aliases = list(self._aliases)
        report.loaders = dict(self._loaders)

    # -------------------------------------------------------------- what was used

    def use(self, path: bytes, how: int, found: os.stat_result | None = None) -> None:
        """The path was used in one more way."""
        if (path not in self._uses and not how & (WRITTEN | DIRECTORY) and path.startswith(b"/")
                and path not in self._touched and not self._is_created(path)):
            self._hint(path)                 # only read: it can be kept beside the run
        use = self._uses.setdefault(path, _Use())
        use.how |= how
        use.first = use.first or found

    def add_loader(self, program: bytes, loader: bytes) -> None:
        """The ELF loader that a program named."""
        self._loaders[program] = loader

    def add_alias(self, path: bytes) -> None:
        """A name with symbolic links in it: they belong to the experiment too."""
        self._aliases[path] = None

    def use_name(self, task: Task, given: bytes, resolved: bytes) -> None:
        """The name that a program gave; an alias where it is not the file's own."""
        while given.startswith(b"./"):
            given = given[2:]
        own = resolved == given if given.startswith(b"/") else resolved.endswith(b"/" + given)
        if own:
            return
        base = None if given.startswith(b"/") else paths.path_of_fd(task.tid, paths.dirfd_of(task))
        self.add_alias(given if base is None else b"%s/%s" % (base, given))

    # -------------------------------------------------------------- changes

    def before_open(self, task: Task) -> None:
        """Keep a file that this open may change."""
        task.created = False
        if not is_writing(paths.open_flags(task)) or task.path is None:
            return
        path = paths.resolve(task, paths.dirfd_of(task), task.path, True)
        if path is None:
            return
        try:
            found = os.stat(path)
        except OSError:
            task.created = True
        else:
            if stat.S_ISREG(found.st_mode) and not self._named_stream(task.path, found, paths.open_flags(task)):
                self._keep(path)

    def before_change(self, task: Task) -> None:
        """Keep what a change of the file tree is about."""
        paths.resolve_names(task)
        if task.nr in _MAKING:        # where there is something already, it fails
            return
        for path in (task.resolved, task.resolved2):
            if path is not None:
                self._keep(path, task.nr in _MOVING)

    def after_change(self, task: Task, result: int) -> list[Field]:
        """The event's part of a change of the file tree."""
        at = paths.name_args(task.nr)
        if result >= 0 and task.nr in _MAKING and task.resolved is not None:
            self._create(task.resolved)
        elif result >= 0 and task.nr in _NAMING and task.resolved2 is not None:
            self._create(task.resolved2)
        return [(max(arg, 0), RESOLVED, path)
                for arg, path in ((at.path, task.resolved), (at.path2, task.resolved2)) if path is not None]

    def bound(self, task: Task) -> list[Field]:
        """A socket of this machine has got a name in the file tree."""
        name = memory.read(task.tid, task.args[1], min(task.args[2], _SOCKADDR_UN_BYTES)) or b""
        given = name[2:].partition(b"\0")[0] if name[:2] == _AF_UNIX else b""
        path = paths.resolve(task, kernel.AT_FDCWD, given, False) if given else None
        if path is None:
            return []
        self._create(path)
        return [(1, RESOLVED, path)]

    def _is_created(self, path: bytes) -> bool:
        """It, or a directory that it is in."""
        while path:
            if self._touched.get(path) == CREATED:
                return True
            path = path.rpartition(b"/")[0]
        return False

    def _create(self, path: bytes) -> None:
        self._touched.setdefault(path, CREATED)

    def _keep(self, path: bytes, moves: bool = False) -> None:
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            return
        if self._control < 0 or path in (self._moved if moves else self._touched) or self._is_created(path) or _is_kernel_made(path):
            return
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode):
            self._ask_capture(path, _ALL if moves else 0)
        if moves:
            self._moved.add(path)
        self._touched.setdefault(path, CAPTURED)

    def _hint(self, path: bytes) -> None:
        """The service looks for hints now and then; one that finds no room is lost."""
        request = _REQUEST.pack(len(path)) + path
        try:
            if self._hints >= 0 and len(request) <= select.PIPE_BUF:
                os.write(self._hints, request)
        except BlockingIOError:
            pass
        except OSError as error:
            raise OwnFailure("the capture service is gone", error.strerror or "") from error

    def _ask_capture(self, path: bytes, mark: int = 0) -> None:
        """The service answers with one byte when it has the content."""
        request = _REQUEST.pack(len(path) | mark) + path
        try:
            while request:
                request = request[os.write(self._control, request):]
            os.read(self._control, 1)
        except OSError as error:
            raise OwnFailure("the capture service is gone", error.strerror or "") from error

    # -------------------------------------------------------------- opened files

    def opened(self, task: Task, fd: int) -> tuple[list[Field], bool, int]:
        """An open that has succeeded: the event's part, whether it is external, its stream if that is known."""
        path = paths.path_of_fd(task.tid, fd)
        try:
            found = os.stat(f"/proc/{task.tid}/fd/{fd}")
        except OSError:
            found = None
        if path is None or found is None:
            return [], False, 0
        if task.created:
            self._create(path)
        stream = self._named_stream(task.path or b"", found, paths.open_flags(task))
        if not stream and path.startswith(b"/") and task.path is not None and _is_stored(found) and not _is_kernel_made(path):
            self.use(path, DIRECTORY if stat.S_ISDIR(found.st_mode) else _ways(task), found)
            self.use_name(task, task.path, path)
        arg = paths.name_args(task.nr).path
        fields = [(arg, RESOLVED, path), (arg, STAT, pack_stat(found))]
        return fields, stream > 0 or self._is_external(path, found), stream

    def _is_external(self, path: bytes, found: os.stat_result) -> bool:
        mode = found.st_mode
        if stat.S_ISREG(mode):
            return _is_kernel_made(path)
        if stat.S_ISDIR(mode):
            return False
        if stat.S_ISCHR(mode):
            return os.major(found.st_rdev) != _MEMORY_DEVICES or os.minor(found.st_rdev) not in _HARMLESS
        if stat.S_ISFIFO(mode):
            if path.startswith(b"pipe:["):
                return any((fd.st_ino, fd.st_dev) == (found.st_ino, found.st_dev)
                           for _, fd in self._standard_stats((0, 1, 2)))
            return not self._is_created(path)
        return True

    def _standard_stats(self, numbers: tuple[int, ...]) -> list[tuple[int, os.stat_result]]:
        stats = []
        for number in numbers:
            try:
                stats.append((number, os.fstat(self._standard.source(number))))
            except OSError:
                pass
        return stats

    def _named_stream(self, name: bytes, found: os.stat_result, flags: int) -> int:
        """What is opened by name (/dev/tty, /dev/stderr) is the standard stream that it is; a file or pipe, if it is for writing alone."""
        is_by_inode = flags & os.O_ACCMODE == os.O_WRONLY and (stat.S_ISREG(found.st_mode) or stat.S_ISFIFO(found.st_mode))
        is_controlling = found.st_rdev == os.makedev(*_CONTROLLING_TERMINAL)
        for number, fd in self._standard_stats((2, 1) if name.endswith((b"2", b"stderr")) else (1, 2)):
            if is_by_inode and os.path.samestat(fd, found):
                return number + 1
            if (stat.S_ISCHR(found.st_mode) and stat.S_ISCHR(fd.st_mode) and os.isatty(self._standard.source(number))
                    and (is_controlling or fd.st_rdev == found.st_rdev)):
                return number + 1
        return 0


def _how_now(path: bytes, how: int, first: os.stat_result) -> int:
    """What was only read is mostly as it was: whoever reads the report need not look again."""
    try:
        now = None if how & (WRITTEN | DIRECTORY) else os.lstat(path)
    except OSError:
        return how
    if now is None or not stat.S_ISREG(now.st_mode):
        return how
    is_same = all(getattr(now, name) == getattr(first, name) for name in ("st_ino", "st_dev", "st_size", "st_mtime_ns"))
    return how | (SAME if is_same else 0) | (LINKED if now.st_nlink > 1 else 0)


def _ways(task: Task) -> int:
    """How an open uses its file."""
    flags = paths.open_flags(task)
    is_reading = flags & os.O_ACCMODE != os.O_WRONLY and not flags & os.O_TRUNC and not task.created
    return (WRITTEN if is_writing(flags) else 0) | (READ if is_reading else 0)


def _is_stored(found: os.stat_result) -> bool:
    mode = found.st_mode
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISFIFO(mode)


def _is_kernel_made(path: bytes) -> bool:
    if not path.startswith((b"/proc", b"/sys")):
        return False
    kind = kernel.filesystem_type(path)
    return path.startswith(b"/proc/") if kind is None else kind & 0xFFFFFFFF in _KERNEL_MADE
