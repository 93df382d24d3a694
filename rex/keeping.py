"""What a recording keeps of the files that its experiment uses: beside the run, and what the user allows."""

from __future__ import annotations

import fnmatch
import os
import re
import socket
import struct
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Callable, Iterable

from rex import codec
from rex.archive import FileEntry, FileState, Recording, below
from rex.archive.identities import Identities

_REQUEST = struct.Struct("<I")
_HINT = 1 << 31                 # set in a request's length: no answer is wanted
_WAITING_BYTES = 64 << 20       # what may wait in memory to be stored
_NICENESS = 5

# Files that hold credentials, by wide custom; a pattern without a slash is about the last part.
KEY_FILES = ("*/.ssh/id_*", "*/.ssh/*_key", "*/.ssh/*.pem", "*/etc/ssh/ssh_host_*_key", "*/.aws/credentials",
             "*/.netrc", "*/_netrc", "*/.pgpass", "*/.my.cnf", "*/.git-credentials", "*/.docker/config.json",
             "*/.kube/config", "*/.pypirc", "*/.npmrc", "*/.gem/credentials", "*/.cargo/credentials*",
             "*/.config/gcloud/*credentials*", "*/.config/gh/hosts.yml", "*/.config/rclone/rclone.conf",
             "*/.azure/*tokens*", "*/.azure/msal_token_cache*", "*/.gnupg/*.gpg", "*/.gnupg/private-keys-v1.d/*",
             "*/.huggingface/token", "*/.cache/huggingface/token", "*/.kaggle/kaggle.json", "*/.vault-token",
             "*/etc/shadow", "*/etc/gshadow", "*/.env", "*.kdbx", "*.p12", "*.pfx", "*.jks")
_NOT_KEYS = ("*.pub", "*/known_hosts", "*.gpg~")
# Keys in text form may have any of these names; their content tells.
_PERHAPS_KEYS = ("*.pem", "*.key", "*.asc", "*/id_*", "*_rsa", "*_ed25519", "*.ppk")
_PRIVATE = re.compile(rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File|-----BEGIN PGP PRIVATE")
_LOOKED_AT_BYTES = 64 << 10


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern names the path, or a directory that it is in; without a slash, any part of it."""
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

    def leaves_out(self, path: str) -> bool:
        """Whether this file is excluded; it counts as left out if so."""
        if self.is_excluded(path):
            self.excluded.add(path)
        return path in self.excluded

    def set_aside(self, path: str, limit_bytes: int) -> tuple[Callable[[], FileState], int] | None:
        """As the recording's; None for what is excluded."""
        return None if self.is_excluded(path) else self._recording.set_aside(path, limit_bytes)


class CaptureService:
    """Keeps files beside the run: first those that a tracer names as they are read, and at
    once those that it says are about to change; the tracee waits for the latter only.

    A request is u32 length and a path, answered by one byte; with the highest bit of the
    length set it is a hint, and not answered.

    Attributes:
        failure: why a file could not be kept before it changed.
    """

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._ours, self.theirs = socket.socketpair()
        self.theirs.set_inheritable(True)
        self._read: dict[str, Future[FileState]] = {}      # by hints
        self._kept: dict[str, Future[FileState]] = {}      # before they changed
        self._waiting_bytes = 0
        self._lock = threading.Lock()
        self.failure: OSError | None = None
        workers = min(4, max(1, len(os.sched_getaffinity(0)) - 1))
        self._pool = ThreadPoolExecutor(workers, initializer=_be_nice)
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "CaptureService":
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        """Wait for what must be kept; what was only hinted at and not begun is left to the caller."""
        self.theirs.close()
        self._thread.join()
        for future in self._read.values():
            future.cancel()
        self._pool.shutdown(wait=True)
        for future in self._kept.values():
            self._note_failure(future)

    def captured(self) -> dict[str, FileState]:
        """The states of files before the experiment changed them."""
        return _results(self._kept)

    def seen(self) -> dict[str, FileState]:
        """The states of files that were read, soon after the first look; not all that were."""
        return _results(self._read)

    def _serve(self) -> None:
        with self._ours:   # a tracer that still waits when this ends, learns that nobody answers
            self._answer()

    def _answer(self) -> None:
        while head := self._receive(_REQUEST.size):
            length = _REQUEST.unpack(head)[0]
            path = codec.text(self._receive(length & ~_HINT))
            if length & _HINT:
                if path not in self._read and path not in self._kept:
                    self._read[path] = self._pool.submit(self._keeper.capture, path)
                continue
            # A directory is about to be moved or removed: all below it goes with it.
            for each in [path, *below(path)]:
                if each not in self._kept:
                    self._kept[each] = self._keep(each)
            self._ours.sendall(b"k")

    def _receive(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self._ours.recv(size - len(data))
            if not part:
                return b""
            data += part
        return data

    def _keep(self, path: str) -> "Future[FileState]":
        """The file's state, whatever happens to it from now on."""
        before = self._read.pop(path, None)
        if before and not before.cancel():
            before.exception()      # it is being read: wait
            if not before.exception():
                return before
        found = self._keeper.set_aside(path, _WAITING_BYTES - self._waiting_bytes)
        if found is None:
            return _now(self._keeper.capture, path)
        store, size_bytes = found
        with self._lock:
            self._waiting_bytes += size_bytes
        return self._pool.submit(self._store, store, size_bytes)

    def _store(self, store: Callable[[], FileState], size_bytes: int) -> FileState:
        try:
            return store()
        finally:
            with self._lock:
                self._waiting_bytes -= size_bytes

    def _note_failure(self, future: "Future[FileState]") -> None:
        error = future.exception()
        if isinstance(error, FileNotFoundError):
            return
        if isinstance(error, OSError):
            self.failure = self.failure or error
        elif error:
            raise error


def _be_nice() -> None:
    """Let the experiment go first: a thread of Linux has a niceness of its own."""
    try:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
    except OSError:
        pass


def _now(work: Callable[[str], FileState], path: str) -> "Future[FileState]":
    """What a pool would give, done here and now."""
    future: Future[FileState] = Future()
    try:
        future.set_result(work(path))
    except Exception as error:
        future.set_exception(error)
    return future


def _results(futures: "dict[str, Future[FileState]]") -> dict[str, FileState]:
    return {path: future.result() for path, future in futures.items()
            if not future.cancelled() and not future.exception()}


def warn_of_keys(files: Iterable[tuple[str, FileEntry]]) -> list[str]:
    """A warning for each file that is kept and looks like somebody's key or password."""
    found = []
    for path, entry in files:
        if not entry.contents() or matches(path, _NOT_KEYS):
            continue
        if matches(path, KEY_FILES) or (matches(path, _PERHAPS_KEYS) and _is_private_key(path)):
            found.append(f"{path} looks like a key or a password and is in the archive; "
                         f"to leave it out: rex record --exclude '{path}'")
    return found


def _is_private_key(path: str) -> bool:
    try:
        with open(codec.raw(path), "rb") as file:
            return bool(_PRIVATE.search(file.read(_LOOKED_AT_BYTES)))
    except OSError:
        return False
