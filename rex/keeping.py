"""What a recording keeps of the files that its experiment uses: beside the run, and what the user allows."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import struct
import threading

# What is around these takes a while to import, and is not needed.
from _queue import SimpleQueue
from _socket import socketpair

from rex import codec, elf
from rex.archive import INPUT, Content, ElfFacts, FileEntry, FileState, Line, Recording, line
from rex.archive.capture import below
from rex.archive.identities import Identities
from rex.background import be_nice
from rex.errors import RexError
from rex.hints import Any, Callable, Iterable

_REQUEST = struct.Struct("<I")
_ALL = 1 << 30                  # set in a request's length: and all below it; it is moved
_BLOCK_BYTES, _HINTS_BYTES, _PIPE_BYTES = 1 << 16, 1 << 13, 1 << 20
_WAITING_BYTES = 64 << 20       # what may wait in memory to be stored
_LOOK_AGAIN_S = 0.01
_LOOK_FOR_HINTS_S, _SELDOM_S = 0.01, 0.16   # after hints; after a while without


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern names the path, or a directory that it is in; without a slash, any part of it."""
    import fnmatch   # few ask
    for pattern in patterns:
        if "/" not in pattern.rstrip("/"):
            if any(fnmatch.fnmatchcase(part, pattern.rstrip("/")) for part in path.split("/")):
                return True
        elif fnmatch.fnmatchcase(path, pattern) or fnmatch.fnmatchcase(path, pattern.rstrip("/") + "/*"):
            return True
    return False


class Keeper:
    """Keeps files for one recording: reads nothing twice, and leaves out what the user excluded.

    Attributes:
        excluded: the files that were left out.
    """

    def __init__(self, recording: Recording, exclude: Iterable[str] = (), identities: Identities | None = None,
                 cwd: str = "/") -> None:
        """exclude: patterns of paths; those with a slash may be relative to cwd."""
        self._recording = recording
        self._identities = identities
        if identities:
            recording.reuse(identities.frames)
        self._exclude = tuple(p if "/" not in p.rstrip("/") or p.startswith(("/", "*"))
                              else os.path.normpath(os.path.join(cwd, p)) for p in exclude)
        self.excluded: set[str] = set()

    def is_excluded(self, path: str) -> bool:
        """Whether the user wants this file left out."""
        return bool(self._exclude) and matches(path, self._exclude)

    def capture(self, path: str) -> FileState:
        """What is at path now, with the bytes of a file unless it is excluded.

        Raises:
            OSError: nothing is there, or reading fails.
        """
        if not self.is_excluded(path):
            return self._recording.capture(path, True, self._identities)
        state = self._recording.capture(path, False)
        if state.type == "file":
            self.excluded.add(path)
        return state

    def begins_otherwise(self, content: Content, begin: bytes) -> bool:
        """Whether a content is known not to begin so; False where nobody looked."""
        return self._recording.begins_otherwise(content, begin)

    def leaves_out(self, path: str) -> bool:
        """Whether this file is excluded; it counts as left out if so."""
        if self.is_excluded(path):
            self.excluded.add(path)
        return path in self.excluded

    def set_aside(self, path: str, limit_bytes: int) -> tuple[Callable[[], FileState], int] | None:
        """As the recording's; None for what is excluded."""
        return None if self.is_excluded(path) else self._recording.set_aside(path, limit_bytes)


def _requests(data: bytes) -> tuple[list[tuple[str, bool]], bytes]:
    """Paths, and whether all below them is meant; and what is left of the data."""
    at, found = 0, []
    while len(data) - at >= _REQUEST.size:
        length = _REQUEST.unpack_from(data, at)[0]
        end = at + _REQUEST.size + (length & ~_ALL)
        if end > len(data):
            break
        found.append((codec.text(data[at + _REQUEST.size:end]), bool(length & _ALL)))
        at = end
    return found, data[at:]


class CaptureService:
    """Keeps files beside the run: first those that a tracer names as they are read, and at
    once those that it says are about to change; the tracee waits for the latter only.

    A request is u32 length and a path, answered by one byte; with bit 30 of the length set
    it is for all below the path too. Hints look the same, come through a pipe that is looked
    at now and then, and are not answered.

    Attributes:
        theirs: a socket for requests, by its descriptor.
        hints: a pipe for hints, without waiting.
        captured: the states of files before the experiment changed them.
        seen: the states of files that were read, soon after the first look; not of all that were.
        inputs: what a manifest has of those among them that are no programs or libraries, if they are inputs and not changed.
        elf: what the others among them say about themselves.
        failure: why a file could not be kept before it changed.
    """

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._ours, self.theirs = [end.detach() for end in socketpair()]
        os.set_inheritable(self.theirs, True)
        self._told, self.hints = os.pipe2(os.O_NONBLOCK)
        os.set_inheritable(self._told, False)
        try:
            fcntl.fcntl(self.hints, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        except OSError:            # of a user with many pipes; what finds no room is kept in the end
            pass
        self.captured: dict[str, FileState] = {}
        self.seen: dict[str, FileState] = {}
        self.inputs: dict[str, Line] = {}
        self.elf: dict[str, ElfFacts | None] = {}
        self.failure: OSError | None = None
        self._kept: set[str] = set()                       # asked for before a change
        self._hinted: dict[str, bool] = {}                 # not begun
        self._begun: set[str] = set()                      # by hints, not ended
        self._ended = threading.Condition()
        self._is_awaited = False
        self._is_over = threading.Event()
        self._hint_lock = threading.Lock()
        self._hint_rest = b""
        self._waiting: SimpleQueue[tuple[str, Callable[[], FileState], int] | None] = SimpleQueue()   # set aside
        self._waiting_bytes = 0
        self._workers = [threading.Thread(target=self._follow_hints, daemon=True)
                         for _ in range(min(4, max(1, len(os.sched_getaffinity(0)) - 1)))]
        self._workers += [threading.Thread(target=work, daemon=True) for work in (self._serve, self._store_all)]

    def __enter__(self) -> "CaptureService":
        for thread in self._workers:
            thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        """Wait for what must be kept; what was only hinted at and not begun is left to the caller."""
        os.close(self.theirs)
        self._workers[-2].join()
        self._is_over.set()
        self._hinted.clear()
        self._waiting.put(None)
        for worker in self._workers:
            worker.join()
        os.close(self._told)
        os.close(self.hints)

    def _serve(self) -> None:
        # A tracer that still waits when this ends, learns that nobody answers; one that was killed reads no answer.
        with open(self._ours, "rb", buffering=0), contextlib.suppress(ConnectionError):
            rest = b""
            while block := os.read(self._ours, _BLOCK_BYTES):
                requests, rest = _requests(rest + block)
                for path, has_all in requests:
                    self._keep_all([path, *below(path)] if has_all else [path])
                    os.write(self._ours, b"k")

    def _new_hints(self) -> list[str]:
        """What was hinted at meanwhile; some of it where that is much."""
        with self._hint_lock:
            try:
                data = os.read(self._told, _HINTS_BYTES)
            except BlockingIOError:
                return []
            requests, self._hint_rest = _requests(self._hint_rest + data)
            paths = [path for path, _ in requests if path not in self._kept]
            self._hinted.update(dict.fromkeys(paths, True))
            return paths

    def _follow_hints(self) -> None:
        be_nice()
        wait_s = _LOOK_FOR_HINTS_S
        while not self._is_over.is_set():
            paths = self._new_hints()
            for path in paths:
                self._begun.add(path)
                if self._hinted.pop(path, False):
                    self._see(path)
                self._begun.discard(path)
                if self._is_awaited:
                    with self._ended:
                        self._ended.notify_all()
            wait_s = _LOOK_FOR_HINTS_S if paths else min(2 * wait_s, _SELDOM_S)
            if not paths:
                self._is_over.wait(wait_s)

    def _see(self, path: str) -> None:
        try:
            state = self.seen[path] = self._keeper.capture(path)
        except OSError:
            return             # whoever looks at the end will tell
        if state.type != "file" or not state.content:
            return
        if self._keeper.begins_otherwise(state.content, elf.MAGIC):
            self.inputs[path] = line(path, FileEntry(state, state, False, (INPUT,)))
        else:
            self.elf[path] = elf_facts(codec.raw(path))

    def _keep_all(self, paths: list[str]) -> None:
        for each in paths:
            if each not in self._kept:
                self._kept.add(each)
                self._keep(each)

    def _keep(self, path: str) -> None:
        """Have the file's state, whatever happens to it from now on."""
        if not self._hinted.pop(path, False):
            self._is_awaited = True
            with self._ended:
                while path in self._begun:
                    self._ended.wait(_LOOK_AGAIN_S)   # it may have ended just before it was awaited
            self._is_awaited = False
        if path in self.seen:
            self.captured[path] = self.seen.pop(path)
            return
        found = self._keeper.set_aside(path, _WAITING_BYTES - self._waiting_bytes)
        if found is None:
            self._finish(path, functools.partial(self._keeper.capture, path))
            return
        store, size_bytes = found
        with self._ended:
            self._waiting_bytes += size_bytes
        self._waiting.put((path, store, size_bytes))

    def _store_all(self) -> None:
        be_nice()
        while found := self._waiting.get():
            path, store, size_bytes = found
            self._finish(path, store)
            with self._ended:
                self._waiting_bytes -= size_bytes

    def _finish(self, path: str, work: Callable[[], FileState]) -> None:
        try:
            self.captured[path] = work()
        except FileNotFoundError:
            pass
        except OSError as error:
            self.failure = self.failure or error


def elf_facts(name: bytes) -> ElfFacts | None:
    """What a file says about itself, if it is an ELF file that we understand."""
    try:
        facts = elf.read(name)
    except (RexError, OSError):
        return None
    return ElfFacts(facts.interpreter, facts.soname, facts.needed, facts.build_id) if facts else None
