"""Cell lineages: what each cell of a recorded version learned from the system, as hashes.

The lineage of a cell is g = (g of the cell before, hash of its code, its events E). E are the
calls through which it learned something, each as a line, with the hash of what was read. Lines of
one process stand in order; lines of its further threads are a set, since their order is the
scheduler's; processes are named by parent and place among its children. Another interleaving of
the same partial order has the same lineage.

Source: Manne et al., CHEX, PVLDB 15(6), 2022, section 6. Not part of E are times, inode numbers,
process ids and addresses, which two runs never share, nor what only waits.
"""

from __future__ import annotations

import hashlib
import os
import re
import signal
import struct
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO

from rex import codec
from rex.archive import Manifest
from rex.log import LogReader
from rex.log.decoded import variables_on
from rex.log.records import ARGV, EXIT, IN, NO_TASK, OUT, RESOLVED, SIGNAL, STACK, STAT, TASK, Event
from rex.syscalls.numbers import NUMBERS

BORDER = b"/.rex-cell/"

_CLONE_THREAD = 0x00010000
_NATURAL_SIGNALS = (14, 15, 17, 26, 27, 28)   # ALRM, TERM, CHLD, VTALRM, PROF, WINCH: when they come is chance
_WRITING, _CREATES = 3, 0o100 | 0o1000
_TYPE = 0o170000
_DIRECTORY, _REGULAR = 0o040000, 0o100000
_DIGITS = re.compile(rb"\d+")
_SMALLEST_PID = 100
_LIBRARY_INDEX = "/etc/ld.so.cache"       # any installation changes it; the libraries that it leads to are opened too


def _numbers(*names: str) -> set[int]:
    return {NUMBERS[name] for name in names if name in NUMBERS}


_OPENS = _numbers("open", "openat", "openat2", "creat")
_STATS = _numbers("stat", "lstat", "newfstatat", "statx")
_NAMES = _numbers("access", "faccessat", "faccessat2", "readlink", "readlinkat", "getxattr", "lgetxattr")
_LISTS = _numbers("getdents", "getdents64")
_CHANGES = _numbers("mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2",
                    "link", "linkat", "symlink", "symlinkat", "truncate", "chmod", "fchmodat", "mknod", "mknodat")
_READS = _numbers("read", "pread64", "readv", "recvfrom", "recvmsg", "recvmmsg")
_PLAIN = _numbers("getuid", "geteuid", "getgid", "getegid", "getgroups", "uname",
                  "getrlimit", "sched_getaffinity", "getcwd")
_SENDS = _numbers("connect", "chdir")
_EXECS = _numbers("execve", "execveat")
_DRAWS = _numbers("getrandom")
_EMPTY_DEVICES = (b"/dev/null", b"/dev/zero", b"/dev/full")      # always and everywhere the same
_RANDOM_DEVICES = (b"/dev/random", b"/dev/urandom")
_ACCESSES = _numbers("access", "faccessat", "faccessat2")
_WANTED = frozenset(_DRAWS | _OPENS | _STATS | _NAMES | _LISTS | _CHANGES | _READS | _PLAIN | _SENDS | _EXECS
                    | {TASK, EXIT, SIGNAL})

# Variables that only C code asks for, so that nobody sees it; they count from the start.
_LOADED_EARLY = ("LD_", "PYTHON", "LC_", "OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "GOTO_", "BLIS_",
                 "NUMEXPR_", "MALLOC_", "GLIBC_", "TORCH_", "ATEN_", "CUDA_")
_LOADED_EARLY_NAMES = ("LANG", "LANGUAGE", "TZ", "TZDIR", "LOCPATH", "HOME")


@dataclass
class Events:
    """What one cell, or the start before the first one, learned.

    Attributes:
        digest: hash of all the lines.
        files: what it read of files that the experiment had not written: path -> sha256.
        count: lines.
    """

    digest: str
    files: dict[str, str]
    count: int


@dataclass
class _Part:
    """The lines of one cell, by process.

    What it drew from the system follows from the seed, so it only matters that it drew; a process
    of a pool that is ended early may or may not have come to that.
    """

    main: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    threads: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    files: dict[str, str] = field(default_factory=dict)
    draws: bool = False

    def finish(self, seed: int) -> Events:
        total = hashlib.sha256(b"seed %d" % seed if self.draws else b"")
        for name in sorted(set(self.main) | set(self.threads)):
            for lines in (self.main.get(name, []), sorted(self.threads.get(name, []))):
                for line in lines:
                    total.update(len(line).to_bytes(8, "little") + line)
                total.update(b"\xff" * 8)
            total.update(name.encode() + b"\xff" * 8)
        count = sum(map(len, self.main.values())) + sum(map(len, self.threads.values())) + self.draws
        return Events(total.hexdigest(), self.files, count)


@dataclass
class _Task:
    """A task of the log under its logical name."""

    name: str
    process: str
    is_thread: bool
    children: int = 0


class _Reader:
    """Goes through a log once and sorts its events into cells."""

    def __init__(self, manifest: Manifest, program: str, seed: int) -> None:
        self._seed = seed
        self._manifest = manifest
        self._program = program
        self._tasks: dict[int, _Task] = {}
        self._pids: dict[bytes, bytes] = {}
        self._written: set[str] = set()
        self._streams: dict[int, bytes] = {}
        self._listing: dict[int, bytes] = {}
        self.parts = [_Part()]
        self._is_between = False
        self._lines: dict[int, Callable[[Event], bytes | None]] = {}
        for calls, line in ((_OPENS, self._open), (_STATS, self._stat), (_NAMES, self._name),
                            (_LISTS, self._listed), (_CHANGES, self._change), (_READS, self._read),
                            (_PLAIN, _plain), (_DRAWS, self._draw), (_SENDS, _sent), (_EXECS, self._exec),
                            ({SIGNAL}, _signal), ({EXIT}, _exit)):
            self._lines.update(dict.fromkeys(calls, line))

    def read(self, log: BinaryIO) -> list[Events]:
        with LogReader(log) as reader:
            for event in reader.select(_WANTED):
                self._take(event)
        return [part.finish(self._seed) for part in self.parts]

    def _take(self, event: Event) -> None:
        if event.call == TASK:
            self._born(event)
            return
        task = self._tasks.get(event.task)
        if task is None or self._is_border(event):
            return
        if self._is_between and event.task == 0:      # the runner's own bookkeeping
            return
        line = self._lines[event.call](event)
        if line is not None:
            part = self.parts[-1]
            (part.threads if task.is_thread else part.main)[task.process].append(line)

    def _is_border(self, event: Event) -> bool:
        if event.task or event.call not in _ACCESSES:
            return False
        name = event.data(IN) or b""
        if not name.startswith(BORDER):
            return False
        what = name[len(BORDER):]
        if what.startswith(b"saw/"):
            return False
        self._is_between = what.startswith((b"end/", b"quiet"))
        if what.startswith(b"begin/"):
            self.parts.append(_Part())
            for task in self._tasks.values():
                task.children = 0
        return True

    def _born(self, event: Event) -> None:
        if event.args[0] == NO_TASK or event.args[0] not in self._tasks:
            self._tasks[event.task] = _Task("0", "0", False)
            self._note_pids(event, "0")
            return
        parent = self._tasks[event.args[0]]
        name = f"{len(self.parts)}:{parent.name}.{parent.children}"
        parent.children += 1
        is_thread = bool(event.args[2] & _CLONE_THREAD)
        self._tasks[event.task] = _Task(name, parent.process if is_thread else name, is_thread)
        self._note_pids(event, name)

    def _note_pids(self, event: Event, name: str) -> None:
        if event.args[3] >= _SMALLEST_PID:            # smaller ones may be any number in a name
            self._pids[b"%d" % event.args[3]] = b"<%s>" % name.encode()

    # -------------------------------------------------------------- lines

    def _is_program(self, path: bytes) -> bool:
        """Cells of notebook or script count by their code, not by the file."""
        full = os.path.normpath(os.path.join(codec.raw(self._manifest.cwd), path))
        return full == codec.raw(self._program)

    def _logical(self, name: bytes) -> bytes:
        """A name without process ids: /proc/4137/stat, /tmp/joblib-4137; no two runs agree on those."""
        parts = name.split(b"/")
        if parts[:2] == [b"", b"proc"] and len(parts) > 2 and parts[2].isdigit():
            parts[2] = b"PID"
            name = b"/".join(parts)
        return _DIGITS.sub(lambda found: self._pids.get(found[0], found[0]), name)

    def _open(self, event: Event) -> bytes | None:
        asked, path = event.data(IN) or b"", event.data(RESOLVED)
        if event.result < 0 or path is None:
            return None if self._is_program(asked) else b"open %s %d" % (self._logical(asked), event.result)
        if self._is_program(path) or path in _EMPTY_DEVICES:
            return None
        if event.stream:
            self._streams[event.stream] = path
            return b"open %s" % self._logical(path)
        flags = _open_flags(event)
        status = event.data(STAT)
        kind = struct.unpack_from("<I", status, 24)[0] & _TYPE if status and len(status) >= 28 else 0
        name = codec.text(path)
        if kind == _DIRECTORY:
            self._listing[event.task << 32 | event.result] = path
            return b"open %s directory" % self._logical(path)
        if flags & _WRITING or flags & _CREATES:
            self._written.add(name)
            return b"open %s to write" % self._logical(path)
        return b"open %s %s" % (self._logical(path), self._content(name).encode())

    def _content(self, path: str) -> str:
        """What a file held: its hash, or that cells of this lineage wrote it."""
        if path in self._written:
            return "own"
        if path == _LIBRARY_INDEX:
            return "index"
        entry = self._manifest.files.get(path)
        state = entry.initial if entry else None
        if state is None or state.content is None:
            return "own" if entry else "unknown"
        self.parts[-1].files[path] = state.content.sha256
        return state.content.sha256

    def _stat(self, event: Event) -> bytes | None:
        asked = event.data(IN) or b""
        if not asked or self._is_program(asked):      # fstat by another name
            return None
        if event.result < 0:
            return b"stat %s %d" % (self._logical(asked), event.result)
        data = event.data(OUT) or b""
        if event.call == NUMBERS["statx"]:
            mode, size = struct.unpack_from("<H", data, 28)[0], struct.unpack_from("<Q", data, 40)[0]
        else:
            mode, size = struct.unpack_from("<I", data, 24)[0], struct.unpack_from("<Q", data, 48)[0]
        if mode & _TYPE != _REGULAR:
            return b"stat %s %o" % (self._logical(asked), mode & _TYPE)
        return b"stat %s %o %d" % (self._logical(asked), mode, size)

    def _name(self, event: Event) -> bytes | None:
        asked = event.data(IN) or b""
        if self._is_program(asked):
            return None
        if self._logical(asked).startswith((b"/proc/self/fd/", b"/proc/PID/fd/", b"/dev/fd/")):
            return None                               # what descriptors are called is no two runs' the same
        out = event.data(OUT) or b"" if event.result >= 0 else b""
        return b"name %d %s %d %s" % (event.call, self._logical(asked), min(event.result, 0), self._logical(out))

    def _listed(self, event: Event) -> bytes | None:
        """Names in a directory; at the start only lists of what could be imported are read."""
        if len(self.parts) == 1:
            return None
        path = self._listing.get(event.task << 32 | event.args[0], b"")
        if path.startswith(b"/proc/"):
            return None
        offset = 19 if event.call == NUMBERS["getdents64"] else 18
        return b"list %s %s" % (path, b"\0".join(sorted(_entry_names(event.data(OUT) or b"", offset))))

    def _change(self, event: Event) -> bytes:
        names = event.all_data(IN)
        for path in event.all_data(RESOLVED):
            self._written.add(codec.text(path))
        return b"change %d %s %d" % (event.call, self._logical(b" ".join(names)), event.result)

    def _read(self, event: Event) -> bytes | None:
        source = self._streams.get(event.stream, b"")
        if source.startswith(b"/proc/") or event.result < 0:
            return None                               # what the kernel measures differs every time
        if source in _RANDOM_DEVICES:
            return self._draw(event)
        return b"read %s %s" % (source, b"".join(event.all_data(OUT)))

    def _draw(self, event: Event) -> None:
        self.parts[-1].draws |= event.result > 0

    def _exec(self, event: Event) -> bytes | None:
        if event.result < 0 or event.task == 0:
            return None
        variables = _environment_of(event.data(STACK) or b"", event.args[3])
        return b"exec %s %s %s" % (event.data(RESOLVED) or b"", event.data(ARGV) or b"", variables)


def _open_flags(event: Event) -> int:
    if event.call == NUMBERS["openat"]:
        return event.args[2]
    if event.call == NUMBERS["open"]:
        return event.args[1]
    if event.call == NUMBERS["creat"]:
        return _WRITING
    how = event.data(IN, 2)
    return int.from_bytes(how[:8], "little") if how else 0


def _entry_names(data: bytes, offset: int) -> list[bytes]:
    found, at = [], 0
    while at + offset < len(data):
        length = int.from_bytes(data[at + 16:at + 18], "little")
        if length <= offset:
            break
        found.append(data[at + offset:at + length].split(b"\0", 1)[0])
        at += length
    return found


def _environment_of(stack: bytes, base: int) -> bytes:
    """The variables on a program's initial stack, sorted."""
    return b"\0".join(sorted(text for text in variables_on(stack, base) if not text.startswith(b"_=")))


def _plain(event: Event) -> bytes:
    return b"%d %d %s" % (event.call, event.result, b"".join(event.all_data(OUT)))


def _sent(event: Event) -> bytes:
    return b"%d %d %s" % (event.call, event.result, b"".join(event.all_data(IN)))


def _signal(event: Event) -> bytes | None:
    return None if event.args[0] in _NATURAL_SIGNALS else b"signal %d" % event.args[0]


def _exit(event: Event) -> bytes:
    # Processes of a pool are asked to end while they end by themselves: which was first is chance.
    return b"exit %d" % (0 if event.result == signal.SIGTERM else event.result)


def read_events(log: BinaryIO, manifest: Manifest, program: str, seed: int) -> list[Events]:
    """What the start and then each cell of a recorded version learned.

    Args:
        program: the absolute path of the notebook or script.
        seed: of the randomness that the system gave.
    """
    return _Reader(manifest, program, seed).read(log)


def base_facts(manifest: Manifest) -> list[str]:
    """What counts from the start though no event shows it."""
    early = [f"{name}={value}" for name, value in sorted(manifest.environment.items())
             if name.startswith(_LOADED_EARLY) or name in _LOADED_EARLY_NAMES]
    return [manifest.cwd, *early]


def chain(before: str, *parts: str) -> str:
    """The lineage after a step: a hash of the one before and of the step's parts, in order."""
    total = hashlib.sha256()
    for part in (before, *parts):
        data = part.encode("utf-8", "surrogatepass")
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()
