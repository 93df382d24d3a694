"""Files that a script reads and writes: inputs by their identity, its own files as part of its state."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import types
from typing import Any, Callable, Iterator

import xxhash

from rex.archive import Archive
from rex.errors import UsageError
from rex.hindsight.instrument.imports import LIBRARIES
from rex.hindsight.instrument.rewrite import PROBE
from rex.hindsight.run.concurrency import CHILD_EVENTS, ChildFiles
from rex.hindsight.trace import current
from rex.hindsight.trace.clock import real_time_ns
from rex.hindsight.trace.records import content_of

STATE_BYTES = 1 << 20      # larger files are kept only once the script reads them back
_INPUTS, _ENDS_BYTES = 1000, 64 << 10
_SETTLED_NS = 50_000_000
_WRITING = frozenset("wax+")    # in a mode
_SYSTEM = ("/proc/", "/sys/", "/dev/", "/etc/", "/usr/share/", sys.prefix + os.sep, *[path + os.sep for path in LIBRARIES])
# Of Python's audit: which of their arguments are paths that change, and where the folder stands that they lie in.
_EVENTS = {"os.remove": ((0, 1),), "os.rename": ((0, 2), (1, 3)), "os.mkdir": ((0, 2),), "os.rmdir": ((0, 1),),
           "os.link": ((1, 3),), "os.symlink": ((1, 2),), "os.truncate": ((0, 2),), "sqlite3.connect": ((0, 1),)}
_GONE = ("os.remove", "os.rmdir")
_BEGINNERS = ("subprocess", "os")
_NO_FILES = ("", ":memory:")   # databases

Note = Callable[[str, bool, bytes | None], None]


def identity_of(path: str) -> list[Any] | None:
    """Size and hash of both ends of a file, None if it cannot be read."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            digest = xxhash.xxh3_64(file.read(_ENDS_BYTES))
            if size > _ENDS_BYTES:
                file.seek(-_ENDS_BYTES, os.SEEK_END)
                digest.update(file.read())
            return [size, digest.hexdigest()]
    except OSError:
        return None


class Files:
    """Sees every file that Python opens in this process.

    Attributes:
        written: files that the script wrote, in order, and whether they were there before.
    """

    def __init__(self, apart: tuple[str, ...], note_written: Note,
                 note_input: Callable[[str, list[Any]], None] | None,
                 before: dict[str, bool] | None = None, note_child: Callable[[], None] = lambda: None) -> None:
        """
        Args:
            apart: folders that are no business of the script (the archive).
            note_written: gets a file about to be written first: path, whether it was there, its
                content if that is small.
            note_input: gets a file that is read first: path, identity.
            before: whether files that a recorded run wrote were there.
            note_child: called once, before the first child process begins.
        """
        self.written: dict[str, bool] = {}
        self._before = before or {}
        self.stale: set[str] = set()     # written in parts of the run that were skipped
        self._read_back: set[str] = set()
        self._inputs: set[str] = set()
        self._beside: dict[str, bool] = {}
        self._apart, self._note_written, self._note_input = apart, note_written, note_input
        self.has_descriptors = False     # the script opened files by os.open: where they stand is the kernel's to know
        self._cache: dict[str, tuple[tuple[int, ...], bytes]] = {}
        self._note_child = note_child
        self.unkept: set[str] = set()    # that a replay cannot put back as they were
        self.note_unkept: Callable[[str], None] = lambda path: None
        # Called for a file about to be written, and whether its content goes; True: it is none of the script's.
        self.is_added: Callable[[str, bool], bool] = lambda path, is_anew: False
        self.is_adding: Callable[[], bool] = lambda: False
        self._child_files: ChildFiles | None = None      # once there were child processes
        self._is_ours = False
        self._pid, self._thread = os.getpid(), threading.get_ident()

    def install(self) -> None:
        """Get a call for every open from now on."""
        watched, told = frozenset(("open", *_EVENTS, *CHILD_EVENTS)), self._told

        # Every id() is an event: a function is called in a quarter of the time of a method.
        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            if event in watched:
                told(event, arguments)

        sys.addaudithook(hook)

    def _told(self, event: str, arguments: tuple[Any, ...]) -> None:
        if threading.get_ident() != self._thread:
            self._told_beside(event, arguments)
            return
        if self._is_ours or os.getpid() != self._pid or _is_trying(sys._getframe(2)):
            return
        self._is_ours = True
        try:
            if event == "open":
                path, mode, flags = arguments[:3]
                is_write = writes(mode, flags)
                if is_write and not isinstance(path, int) and os.path.isdir(path):
                    return   # a file without a name, in this folder
                if mode is None and PROBE in sys._getframe(2).f_globals:
                    self.has_descriptors = True
                self._opened(path, is_write, begins_anew(mode, flags))
            elif event in CHILD_EVENTS:
                self._begin_child()
            else:
                for place, folder in _EVENTS[event] if arguments[0] not in _NO_FILES else ():
                    path = _within(arguments[place], arguments[folder:folder + 1])
                    if event != "os.mkdir" or not os.path.isdir(path):   # makedirs asks for folders that are there
                        self._opened(path, True, event in _GONE or place == 1)
        finally:
            self._is_ours = False

    def _told_beside(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Another thread opens a file: if it writes, whenever it likes, the file is no state, yet none of a replay's."""
        path, mode = arguments[:2]
        if event != "open" or not isinstance(mode, str) or not writes(mode, 0) or os.getpid() != self._pid:
            return
        if not isinstance(path, (str, bytes, os.PathLike)):
            return
        where = os.path.abspath(os.fsdecode(path))
        if where not in self.written and where not in self._beside and not where.startswith((*_SYSTEM, *self._apart)):
            self._beside[where] = self.is_adding()
            self._note_written(where, self._was_there(where), None)

    @property
    def opened(self) -> set[str]:
        """All that was opened for writing, but by added statements, or by other threads while one of these ran."""
        return {*self.written, *(path for path, is_added in self._beside.items() if not is_added)}

    def will_open(self, path: Any, mode: Any) -> None:
        """A library is about to open a file without Python's knowledge."""
        with self.unseen():
            self._opened(path, writes(mode, 0), begins_anew(mode, 0))

    @contextlib.contextmanager
    def unseen(self) -> Iterator[None]:
        """What is opened within is Rex's, and none of the script's."""
        self._is_ours = True
        try:
            yield
        finally:
            self._is_ours = False

    def _opened(self, path: Any, is_write: bool, is_anew: bool = True) -> None:
        if isinstance(path, int) or not isinstance(path, (str, bytes, os.PathLike)):
            return
        where = os.path.abspath(os.fsdecode(path))
        if where.startswith(_SYSTEM) or where.startswith(self._apart):
            return
        if where in self.stale and not (is_write and is_anew):
            current.regret(f"{where} is needed, which was too large to be kept")
            raise UsageError(f"{where} was written in a part of the run that was skipped",
                             "it was too large to be kept", "replay with --no-skip")
        if where in self.unkept:
            self.unkept.discard(where)
            if not (is_write and is_anew) and os.path.isfile(where):
                self.note_unkept(where)
        if is_write and self.is_added(where, is_anew):
            return
        if is_write:
            self.stale.discard(where)
            if where not in self.written:
                was_there = self._was_there(where)
                self.written[where] = was_there
                self._note_written(where, was_there, _small_content(where))
        elif where in self.written:
            if not self.is_adding():     # the recording has the content only of what the script itself read back
                self._read_back.add(where)
        elif self._note_input and where not in self._inputs and len(self._inputs) < _INPUTS and (
                not where.endswith((".py", ".pyc"))):
            identity = identity_of(where)
            if identity is not None:
                self._inputs.add(where)
                self._note_input(where, identity)

    def _begin_child(self) -> None:
        is_within_loop = current.session is not None and bool(current.session.stack)
        # Libraries that are imported ask compilers and the like.
        if self._child_files is None and (is_within_loop or PROBE in _caller().f_globals):
            self._child_files = ChildFiles()
            self._child_files.begin()
            self._note_child()

    @property
    def why_lost(self) -> str:
        """Why it is not known what child processes wrote; "" if it is."""
        is_lost = self._child_files is not None and self._child_files.is_lost
        return "child processes ran, and there are too many files to see what they wrote" if is_lost else ""

    def _look_for_child_files(self) -> None:
        for path, was_there in self._child_files.changed() if self._child_files else ():
            if path not in self.written and not path.startswith(self._apart):
                self.written[path] = self._before.get(path, was_there)
                self._note_written(path, self.written[path], None)

    def _was_there(self, path: str) -> bool:
        return self._before[path] if path in self._before else os.path.exists(path)

    def state(self) -> dict[str, Any]:
        """Content of what the script wrote: bytes, None for gone, True for a folder, where a link leads, the size of what is too large.

        Files that came and went are left out: temporary ones have other names each time.
        """
        with self.unseen():
            self._look_for_child_files()
            found = {path: self._content(path) for path in sorted(self.written)}
            return {path: content for path, content in found.items()
                    if content is not None or self.written[path]}

    def _content(self, path: str) -> Any:
        try:
            if os.path.islink(path):
                return os.readlink(path)
            info = os.stat(path)
            if not os.path.isfile(path):
                return True if os.path.isdir(path) else None
            if info.st_size > STATE_BYTES and path not in self._read_back:
                return info.st_size
            version = info.st_mtime_ns, info.st_ctime_ns, info.st_ino, info.st_size
            known, read_ns = self._cache.get(path), real_time_ns()
            if known is None or known[0] != version:
                with open(path, "rb") as file:
                    known = version, file.read()
                # The clock of files stands still for some milliseconds: what is written then has the same version.
                if read_ns - info.st_ctime_ns > _SETTLED_NS:
                    self._cache[path] = known
            return known[1]
        except OSError:
            return None

    def restore(self, value: dict[str, Any]) -> None:
        """Give files the content that they had; what was not kept must not be read."""
        self._is_ours = True
        try:
            for path, content in value.items():
                self.written.setdefault(path, self._was_there(path))
                self.stale.discard(path)
                self.unkept.discard(path)
                if isinstance(content, bytes) and len(content) > STATE_BYTES:
                    self._read_back.add(path)
                if self._content(path) == content and type(content) is not int:
                    continue
                if os.path.islink(path) or isinstance(content, str):
                    remove(path)     # what it leads to is another file's content
                if content is True:
                    os.makedirs(path, exist_ok=True)
                elif isinstance(content, str):
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    os.symlink(content, path)
                elif isinstance(content, int):
                    self.stale.add(path)
                    _hold_place(path, content)
                elif content is None:
                    remove(path)
                else:
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with open(path, "r+b" if os.path.exists(path) else "wb") as file:
                        file.write(content)
                        file.truncate()
            for path in sorted(self.written.keys() - value.keys(), reverse=True):   # folders behind what is in them
                remove(path)
                del self.written[path]
        finally:
            self._is_ours = False


class Descriptors:
    """Files that are open by number: how far they were read or written is the kernel's to know."""


def remove(path: str) -> None:
    """Remove a file, or a folder if it is empty."""
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            os.rmdir(path)
        else:
            os.remove(path)
    except OSError:
        pass


def undo(archive: Archive, path: str, line: dict[str, Any]) -> None:
    """Let a file be what it was before a run wrote it, as far as the line of the run's log tells."""
    if not line["was_there"]:
        remove(path)
    elif line["before"]:
        with open(path, "wb") as file:
            file.write(archive.read(content_of(line["before"])))


def _is_trying(frame: types.FrameType) -> bool:
    """Whether Python tries if it can write to the folder for temporary files: that one comes and goes, and all of it need not be private."""
    return frame.f_code.co_name == "_get_default_tempdir" and frame.f_globals.get("__name__") == "tempfile"


def _caller() -> types.FrameType:
    """Who began a child process, by whatever of the standard library."""
    frame = sys._getframe(1)
    while frame.f_back is not None and (frame.f_globals is globals() or frame.f_globals.get("__name__") in _BEGINNERS):
        frame = frame.f_back
    return frame


def begins_anew(mode: Any, flags: int | None) -> bool:
    """Whether an open leaves nothing of an older file, as its mode says or, without one, by its flags."""
    return not {"w", "x"}.isdisjoint(mode) if isinstance(mode, str) else bool((flags or 0) & os.O_TRUNC)


def writes(mode: Any, flags: int | None) -> bool:
    """Whether an open is for writing, as its mode says or, without one, by its flags."""
    if isinstance(mode, str):
        return not _WRITING.isdisjoint(mode)
    return bool((flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))


def _within(path: Any, folder: tuple[Any, ...]) -> Any:
    """A path that is relative to an open folder (-1: to the working directory)."""
    if not folder or not isinstance(folder[0], int) or folder[0] < 0 or isinstance(path, int):
        return path
    try:
        return os.path.join(os.readlink(f"/proc/self/fd/{folder[0]}"), os.fsdecode(path))
    except OSError:
        return path


def _hold_place(path: str, size_bytes: int) -> None:
    """Make a file with its size: a program that queries no more need not notice that it is empty."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "ab") as file:
        file.truncate(size_bytes)


def _small_content(path: str) -> bytes | None:
    try:
        if os.path.getsize(path) > STATE_BYTES:
            return None
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
