"""One experiment in an archive: while it is recorded, and ever after."""

from __future__ import annotations

import contextlib
import functools
import json
import os
from types import TracebackType
from typing import Any, BinaryIO, Callable, Iterable, Iterator, Mapping, Sequence

from rex import codec
from rex.archive import amendments, capture, logs, manifest as manifests
from rex.archive.amendments import ABOUT, MAX_ABOUT_BYTES
from rex.archive.content import Content
from rex.archive.folder import Folder
from rex.archive.frames import Frames
from rex.archive.identities import Identities
from rex.archive.jsonform import read_json
from rex.archive.locks import (FileLock, append_whole, is_locked, remove_if_there, sync_directory, sync_file,
                               write_atomically)
from rex.archive.manifest import FileState, Line, LogFacts, Manifest
from rex.archive.packer import Apart, Packer
from rex.archive.sealed import is_sealed, seal, seal_content, unseal, unseal_content
from rex.archive.store import Store
from rex.background import BackgroundCall
from rex.errors import Damaged, Locked, NotFound, RexError
from rex.values import replace

BEGUN, LOG_PART, IDENTITY = "begun", "log.part", "identity"
LOCK, KEPT = "lock", "kept.part"
# Tables that other modules derive from the log, for quick questions; nothing depends on them.
INDEX = "index.sqlite"
NAMES = (BEGUN, LOG_PART, IDENTITY, ABOUT, LOCK, KEPT, INDEX, INDEX + "-journal")

COMPLETE, RECORDING, INCOMPLETE, DAMAGED = "complete", "recording", "incomplete", "damaged"

MAX_MANIFEST_BYTES = 1 << 30
MAX_BEGUN_BYTES, MAX_KEPT_BYTES, MAX_IDENTITY_BYTES = 16 << 20, 1 << 30, 1 << 10
MANIFEST_LEVEL = 12


class Experiment:
    """An experiment that somebody recorded, or began to."""

    def __init__(self, folder: Folder, store: Store) -> None:
        self.directory = folder.path
        self.name = os.path.basename(folder.path)
        self.folder = folder
        self._store = store

    def __repr__(self) -> str:
        return f"Experiment({self.name!r})"

    @property
    def state(self) -> str:
        """complete; recording right now; incomplete, left by a crash or just removed; or damaged: it has no directory."""
        try:
            if self.folder.has(IDENTITY):
                return COMPLETE
            return RECORDING if is_locked(os.path.join(self.directory, LOCK)) else INCOMPLETE
        except Damaged:
            return DAMAGED

    @property
    def has_lost_identity(self) -> bool:
        """Whether it was complete once: those that a crash left have `log.part` or `kept.part`.

        `begun` is looked for last: a removal that goes on meanwhile takes it before `kept.part`.
        """
        return self.state == INCOMPLETE and not self.folder.has(KEPT) and not self.folder.has(LOG_PART) and self.folder.has(BEGUN)

    @property
    def is_there(self) -> bool:
        """Whether it is still in the archive: another process may have removed it."""
        try:
            self.folder.names()
        except FileNotFoundError:
            return False
        except RexError:
            pass
        return True

    @property
    def is_session(self) -> bool:
        """Whether it is a notebook session, which no system call was logged of."""
        try:
            facts = self.manifest.extra if self.state == COMPLETE else self.begun
        except RexError:
            return False
        return "notebook" in facts

    @functools.cached_property
    def begun(self) -> dict[str, Any]:
        """The facts known at its start; empty when a crash came even before them."""
        where = f"{BEGUN} of {self.name}"
        try:
            data = self.folder.read(BEGUN, MAX_BEGUN_BYTES)
        except FileNotFoundError:
            return {}
        if not data.strip(b"\0"):   # as a failure of the power may leave it
            return {}
        try:
            facts = read_json(unseal(data, where), where)
        except ValueError as error:
            raise Damaged(f"{where} is damaged", str(error), "see: rex check") from error
        if not isinstance(facts, dict):
            raise Damaged(f"{where} is damaged", "it is no object", "see: rex check")
        return facts

    @functools.cached_property
    def root(self) -> Content:
        """The content that is its manifest.

        Raises:
            NotFound: it never finished.
            Damaged: nobody can tell.
        """
        try:
            return unseal_content(self.folder.read(IDENTITY, MAX_IDENTITY_BYTES), f"{IDENTITY} of {self.name}")
        except FileNotFoundError:
            raise NotFound(f"experiment {self.name} is {self.state}",
                           "it has no manifest") from None

    @property
    def identity(self) -> str:
        """What tells it from all others, in any archive: the sha256 of its manifest; raises as `root`."""
        return self.root.sha256

    @functools.cached_property
    def manifest(self) -> Manifest:
        """What the experiment consists of, with what people changed since.

        Raises:
            NotFound: it never finished.
            Damaged, TooNew: the manifest cannot be read.
        """
        found = manifests.decode(self.manifest_json(), self._store.read)
        return replace(found, extra=amendments.apply(found.extra, self.changes)) if self.changes else found

    @functools.cached_property
    def changes(self) -> dict[str, Any]:
        """What people changed since the recording, as `amendments` has it; raises Damaged."""
        line = self.about_line()
        return amendments.decode(line, f"{ABOUT} of {self.name}") if line else {}

    def about_line(self) -> bytes:
        """The line that holds these changes; empty for none."""
        try:
            return self.folder.read(ABOUT, MAX_ABOUT_BYTES)
        except FileNotFoundError:
            return b""

    def manifest_json(self) -> bytes:
        """The manifest's text, as it was written; raises as `manifest`."""
        return self._store.read(self.root, MAX_MANIFEST_BYTES)

    def kept(self) -> list[Content]:
        """What an unfinished experiment needs so far, as its recorder wrote."""
        where = f"{KEPT} of {self.name}"
        try:
            lines = self.folder.read(KEPT, MAX_KEPT_BYTES).splitlines(keepends=True)
        except FileNotFoundError:
            return []
        if lines and not lines[-1].endswith(b"\n") and not is_sealed(lines[-1][:-1] + b"\n"):
            lines.pop()   # a crash has cut it
        return [unseal_content(line, where) for line in lines]

    def folder_bytes(self) -> int:
        """What its own folder takes."""
        return self.folder.size_bytes()

    @property
    def log_path(self) -> str:
        """The log's file while the experiment is not complete."""
        return os.path.join(self.directory, LOG_PART)

    def open_log(self) -> BinaryIO:
        """The log's bytes, decompressed as they are read; of an unfinished experiment what there is.

        Raises:
            NotFound: it has no log.
            Damaged: what it is stored with is.
        """
        if self.state == COMPLETE:
            if facts := self.manifest.log:
                return logs.open_log(facts, self._store)
        else:
            with contextlib.suppress(FileNotFoundError):
                return self.folder.open(LOG_PART)
        raise NotFound(f"experiment {self.name} has no log", "it was exported without one, or made from another tool's bundle",
                       f"run it again: rex runnew --headless -e {self.name}")


class Recording:
    """An experiment being recorded: takes contents, and in the end the manifest.

    `add_file`, `add_bytes` and `capture` are safe for any number of threads, and
    what costs time in them leaves the GIL free. As a context manager it is abandoned
    unless `finish` was reached: the experiment then stays in the archive, incomplete.
    """

    def __init__(self, folder: Folder, store: Store, level: int, archive_lock: FileLock,
                 facts: Mapping[str, Any], find_base: Callable[[list[str], bool], Content | None] | None = None,
                 unsynced: str = "", is_light: bool = False) -> None:
        """Begin in a fresh directory; takes the lock over.

        Args:
            find_base: the log of an experiment of the same command or a like one, times apart or not.
            unsynced: a file that is not durable yet; "" if there is none.
            is_light: make packs that `add_light` may add to.
        """
        self._folder = folder
        self.directory = directory = folder.path
        self.name = os.path.basename(directory)
        self.log_path = os.path.join(directory, LOG_PART)
        self._store = store
        self._packer = Packer(store, level, is_light=is_light)
        self._archive_lock = archive_lock
        self._find_base = find_base or (lambda command, is_apart: None)
        self._log: logs.LogKeeper | None = None
        self._kept: BinaryIO | None = None
        self._is_begin_durable = False
        self._unsynced = unsynced
        self._syncing: BackgroundCall[None] | None = None
        self._lock = FileLock(os.path.join(directory, LOCK), exclusive=True)
        try:
            # Whoever starts a program is not to wait for the disk.
            open(os.path.join(directory, KEPT), "ab").close()
            write_atomically(os.path.join(directory, BEGUN), begun_line({"pid": os.getpid(), **facts}), is_durable=False)
        except BaseException:
            self._lock.release()
            raise

    def _sync_begin(self) -> None:
        """Make durable what the beginning wrote; harmless when repeated."""
        syncing, self._syncing = self._syncing, None
        if syncing:
            syncing.result()
        self._sync_begun()

    def _sync_begun(self) -> None:
        if self._is_begin_durable:
            return
        if self._unsynced:
            sync_file(self._unsynced)
            sync_directory(os.path.dirname(self._unsynced))
        sync_file(os.path.join(self.directory, BEGUN))
        sync_directory(self.directory)
        sync_directory(os.path.dirname(self.directory))
        self._is_begin_durable = True

    def add_file(self, source: capture.Source) -> Content:
        """Store the bytes of a regular file, by path or open descriptor, as they are now."""
        return capture.add_file(self._packer, source)

    def add_bytes(self, data: bytes) -> Content:
        """Store bytes."""
        return self._packer.add_bytes(data)

    def add_pieces(self, pieces: Iterable[bytes], names: list[bytes] | None = None) -> Content:
        """Store a content cut where the caller says: each piece is an object."""
        return self._packer.add_pieces(pieces, names)

    def add_light(self, pieces: Sequence[memoryview]) -> tuple[Content, list[bytes]]:
        """Store memory, each piece an object, as fast as can be; see `Packer.add_light`."""
        return self._packer.add_light(pieces)

    def capture(self, path: str | bytes, content: bool = True,
                identities: Identities | None = None) -> FileState:
        """What is at path now, links not followed; a file's bytes are stored if asked for."""
        return capture.capture(self._packer, path, content, identities)

    def reuse(self, frames: Frames) -> None:
        """Take what was compressed before on this machine from its cache, and keep it there; before anything is added."""
        self._packer.reuse(frames)

    def set_aside(self, path: str, limit_bytes: int) -> tuple[Callable[[], FileState], int] | None:
        """What stores a plain file as it is now, whatever becomes of it, and the memory that takes.

        To be called once. None where the file can be had in no other way than by `capture`.
        """
        found = capture.set_aside(codec.raw(path), self.directory, limit_bytes)
        return (functools.partial(found.store, self._packer), found.size_bytes) if found else None

    def begins_otherwise(self, content: Content, begin: bytes) -> bool:
        """Whether a content is known not to begin with these up to four bytes; False where nobody looked."""
        return not self._packer.beginnings.get(content.sha256, begin).startswith(begin)

    @property
    def new_bytes(self) -> int:
        """Raw bytes added that the archive did not have yet."""
        return self._packer.new_bytes

    @property
    def stored_bytes(self) -> int:
        """Bytes that the recording has put on disk so far in packs."""
        return self._packer.stored_bytes

    def flush(self, is_durable: bool = True) -> None:
        """Make everything added so far durable and readable; no other thread may add meanwhile.

        Args:
            is_durable: False: safe from the end of this process; `sync` does the rest.
        """
        self._packer.flush(is_durable)

    def sync(self, is_read_soon: bool = True) -> None:
        """Make durable what was flushed and kept without; is_read_soon: False lets memory go that holds it."""
        self._sync_begin()
        self._packer.sync(is_read_soon)
        if self._kept is not None:
            os.fdatasync(self._kept.fileno())

    def keep(self, contents: Iterable[Content]) -> None:
        """Let gc keep these flushed contents although the experiment is not finished; `sync` makes it durable."""
        if self._kept is None:
            self._kept = open(os.path.join(self.directory, KEPT), "ab", buffering=0)
            # A crash may have cut the last line.
            os.ftruncate(self._kept.fileno(), self._folder.read(KEPT, MAX_KEPT_BYTES).rfind(b"\n") + 1)
        append_whole(self._kept, _kept_lines(contents))

    def restart(self) -> None:
        """Go on after a flush that failed: what it would have stored has to be added again."""
        self._packer.restart()

    def keep_only(self, contents: Iterable[Content]) -> None:
        """Let gc keep these and none that `keep` got before."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None
        self._sync_begin()
        write_atomically(os.path.join(self.directory, KEPT), _kept_lines(contents))

    @contextlib.contextmanager
    def alone(self) -> Iterator[bool]:
        """Hold the archive alone for a while, if nobody else records into it; nobody may add.

        What is in the archive afterwards is looked up again.
        """
        self._packer.flush()
        self._archive_lock.release()
        lock = None
        try:
            try:
                lock = FileLock(self._archive_lock.path, exclusive=True, wait=False)
            except Locked:
                pass
            yield lock is not None
        finally:
            if lock is not None:
                lock.release()
            self._archive_lock = FileLock(self._archive_lock.path)
            self._packer.forget()

    def finish(self, manifest: Manifest, lines: Mapping[str, Line] = {}) -> Experiment:
        """Make the experiment complete, durably.

        The log and the objects come first, then the manifest: whoever sees
        the manifest finds all that it names.

        Args:
            lines: of unchanged files, where they were made before.
        """
        manifest = replace(manifest, log=self._store_log(manifest))
        text = manifests.encode(manifest, self._packer.add_pieces, lines)
        return self.finish_as(self._packer.add_bytes(text, Apart(MANIFEST_LEVEL)))

    def finish_as(self, root: Content, about_line: bytes = b"") -> Experiment:
        """Make the experiment complete with a manifest that was added, or was there, and what people changed of it."""
        self._packer.flush()
        self._sync_begin()
        if about_line:
            write_atomically(os.path.join(self.directory, ABOUT), about_line)
        write_atomically(os.path.join(self.directory, IDENTITY), seal_content(root))
        remove_if_there(self.log_path)
        remove_if_there(os.path.join(self.directory, KEPT))
        self._release()
        return Experiment(self._folder, self._store)

    def follow_log(self, command: list[str]) -> logs.LogKeeper:
        """Keep the log beside the run of a command, and make the beginning durable; `finish` does the rest."""
        self._syncing = BackgroundCall(self._sync_begun)
        self._log = self._log_keeper(command)
        self._log.follow()
        return self._log

    def _log_keeper(self, command: list[str]) -> logs.LogKeeper:
        return logs.LogKeeper(self.log_path, self._packer, self._store,
                              lambda is_apart: self._find_base(command, is_apart))

    def _store_log(self, manifest: Manifest) -> LogFacts | None:
        log, self._log = self._log, None
        return (log or self._log_keeper(list(manifest.command))).finish()

    def abandon(self) -> None:
        """Stop recording; what is there stays, marked incomplete. Harmless when repeated."""
        if self._log is not None:
            self._log.give_up()
        self._packer.abandon()
        self._release()

    def _release(self) -> None:
        if self._kept is not None:
            self._kept.close()
            self._kept = None
        self._lock.release()
        self._archive_lock.release()

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.abandon()


def begun_line(facts: Mapping[str, Any]) -> bytes:
    """What begun holds of facts known at the start."""
    return seal(json.dumps({"format": manifests.VERSION, **facts}, sort_keys=True).encode())


def _kept_lines(contents: Iterable[Content]) -> bytes:
    return b"".join([seal_content(content) for content in contents])
