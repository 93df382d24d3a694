"""One experiment while it is recorded."""

from __future__ import annotations

import contextlib
import functools
import json
import os
from types import TracebackType

from rex import codec
from rex.archive import capture, logkeeper, manifest as manifests
from rex.archive.amendments import ABOUT
from rex.archive.content import Content
from rex.archive.experiment import BEGUN, IDENTITY, KEPT, LOCK, LOG_PART, MAX_KEPT_BYTES, Experiment
from rex.archive.folder import Folder
from rex.archive.frames import Frames
from rex.archive.identities import Identities
from rex.archive.locks import FileLock, append_whole, remove_if_there, sync_directory, sync_file, write_atomically
from rex.archive.manifest import FileState, Line, LogFacts, Manifest
from rex.archive.packer import LEVEL, Apart, Packer
from rex.archive.sealed import seal, seal_content
from rex.archive.store import Store
from rex.background import BackgroundCall
from rex.errors import Locked
from rex.hints import Any, BinaryIO, Callable, Iterable, Iterator, Mapping, Sequence
from rex.values import replace

MANIFEST_LEVEL = 12


class Recording:
    """An experiment being recorded: takes contents, and in the end the manifest.

    `add_file`, `add_bytes` and `capture` are safe for any number of threads, and
    what costs time in them leaves the GIL free. As a context manager it is abandoned
    unless `finish` was reached: the experiment then stays in the archive, incomplete.
    """

    def __init__(self, folder: Folder, store: Store, level: int | None, archive_lock: FileLock,
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
        self._packer = Packer(store, LEVEL if level is None else level, is_light=is_light)
        self._archive_lock = archive_lock
        self._find_base = find_base or (lambda command, is_apart: None)
        self._log: logkeeper.LogKeeper | None = None
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

    def follow_log(self, command: list[str]) -> logkeeper.LogKeeper:
        """Keep the log beside the run of a command, and make the beginning durable; `finish` does the rest."""
        self._syncing = BackgroundCall(self._sync_begun)
        self._log = self._log_keeper(command)
        self._log.follow()
        return self._log

    def _log_keeper(self, command: list[str]) -> logkeeper.LogKeeper:
        return logkeeper.LogKeeper(self.log_path, self._packer, self._store,
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
