"""One experiment in an archive: while it is recorded, and ever after."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
from types import TracebackType
from typing import Any, BinaryIO, Callable, Iterable, Iterator, Mapping

from rex import codec
from rex.archive import capture, logs, manifest as manifests
from rex.archive.content import Content
from rex.archive.frames import Frames
from rex.archive.identities import Identities
from rex.archive.locks import (FileLock, append_whole, is_locked, remove_if_there, sync_directory, sync_file,
                               whole_file, write_atomically)
from rex.archive.manifest import FileState, Line, LogFacts, Manifest
from rex.archive.packer import Packer
from rex.archive.store import Store
from rex.errors import Damaged, Locked, NotFound, RexError
from rex.values import replace

BEGUN_VERSION = 1
BEGUN, LOG_PART, LOG, MANIFEST = "begun.json", "log.part", "log.zst", "manifest.json.zst"
LOCK, KEPT = "lock", "kept.part"
# Tables that other rooms derive from the log, for quick questions; nothing depends on them.
INDEX = "index.sqlite"
NAMES = (BEGUN, LOG_PART, LOG, MANIFEST, LOCK, KEPT, INDEX, INDEX + "-journal")

COMPLETE, RECORDING, INCOMPLETE = "complete", "recording", "incomplete"

MAX_MANIFEST_BYTES = 1 << 30
MAX_BEGUN_BYTES = 16 << 20
MANIFEST_LEVEL = 12
_HASH = "[0-9a-f]{64}"


class Experiment:
    """An experiment that somebody recorded, or began to."""

    def __init__(self, directory: str, store: Store) -> None:
        self.directory = directory
        self.name = os.path.basename(directory)
        self._store = store

    def __repr__(self) -> str:
        return f"Experiment({self.name!r})"

    def _path(self, name: str) -> str:
        return os.path.join(self.directory, name)

    @property
    def state(self) -> str:
        """complete; or recording right now; or incomplete, left by a crash."""
        if os.path.exists(self._path(MANIFEST)):
            return COMPLETE
        return RECORDING if is_locked(self._path(LOCK)) else INCOMPLETE

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
        try:
            with open(self._path(BEGUN), "rb") as file:
                data = file.read(MAX_BEGUN_BYTES)
            facts = json.loads(data) if data.strip(b"\0") else {}   # as a failure of the power may leave it
        except FileNotFoundError:
            return {}
        except (ValueError, RecursionError) as error:
            raise Damaged(f"{BEGUN} of {self.name} is damaged", str(error)) from error
        if not isinstance(facts, dict):
            raise Damaged(f"{BEGUN} of {self.name} is damaged", "it is no object")
        return facts

    @functools.cached_property
    def manifest(self) -> Manifest:
        """What the experiment consists of.

        Raises:
            NotFound: it never finished.
            Damaged, TooNew: the manifest cannot be read.
        """
        return manifests.decode(self.manifest_json(), self._store.read)

    def manifest_json(self) -> bytes:
        """The manifest's text, as it was written.

        Raises:
            NotFound: it never finished.
            Damaged: the manifest cannot be read.
        """
        try:
            with open(self._path(MANIFEST), "rb") as file:
                data = file.read()
        except FileNotFoundError:
            raise NotFound(f"experiment {self.name} is {self.state}",
                           "it has no manifest") from None
        return codec.decompress(data, MAX_MANIFEST_BYTES)

    def kept(self) -> list[Content]:
        """What an unfinished experiment needs so far, as its recorder told."""
        try:
            with open(self._path(KEPT), "rb") as file:
                lines = file.read().splitlines(keepends=True)
        except FileNotFoundError:
            return []
        return [content for line in lines if (content := _parse_kept(line))]

    def folder_bytes(self) -> int:
        """What its own folder takes: log, manifest, facts."""
        return sum(entry.stat(follow_symlinks=False).st_size
                   for entry in os.scandir(self.directory))

    @property
    def log_path(self) -> str:
        """The log's file: compressed when complete, the part that was written otherwise."""
        # A log that is compressed already may need a base that only the manifest names.
        part, done = self._path(LOG_PART), self._path(LOG)
        return part if self.state != COMPLETE and os.path.exists(part) or not os.path.exists(done) else done

    def open_log(self) -> BinaryIO:
        """The log's bytes, decompressed as they are read.

        Raises:
            NotFound: it has no log.
            Damaged: what it is stored with is.
        """
        facts = self.manifest.log if self.state == COMPLETE else None
        if facts and facts.content:
            return logs.open_content(facts.content, facts, self._store)
        try:
            return logs.open_file(self.log_path, facts, self._store)
        except FileNotFoundError:
            raise NotFound(f"experiment {self.name} has no log") from None


class Recording:
    """An experiment being recorded: takes contents, and in the end the manifest.

    `add_file`, `add_bytes` and `capture` are safe for any number of threads, and
    what costs time in them leaves the GIL free. As a context manager it is abandoned
    unless `finish` was reached: the experiment then stays in the archive, incomplete.
    """

    def __init__(self, directory: str, store: Store, level: int, archive_lock: FileLock,
                 facts: Mapping[str, Any], find_base: Callable[[list[str], bool], Content | None] | None = None) -> None:
        """Begin in a fresh directory; takes the lock over.

        Args:
            find_base: the log of an experiment of the same command or a like one, times apart or not.
        """
        self.directory = directory
        self.name = os.path.basename(directory)
        self.log_path = os.path.join(directory, LOG_PART)
        self._store = store
        self._packer = Packer(store, level)
        self._archive_lock = archive_lock
        self._find_base = find_base or (lambda command, is_apart: None)
        self._log: logs.LogKeeper | None = None
        self._kept: BinaryIO | None = None
        self._is_begin_durable = False
        self._lock = FileLock(os.path.join(directory, LOCK), exclusive=True)
        text = json.dumps({"format": BEGUN_VERSION, "pid": os.getpid(), **facts},
                          sort_keys=True, indent=1)
        try:
            # Whoever starts a program is not to wait for the disk.
            write_atomically(os.path.join(directory, BEGUN), text.encode(), is_durable=False)
        except BaseException:
            self._lock.release()
            raise

    def _sync_begin(self) -> None:
        """Make durable what the beginning wrote; harmless when repeated."""
        if not self._is_begin_durable:
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
        append_whole(self._kept, _kept_lines(contents))

    def restart(self) -> None:
        """Go on after a flush that failed: what it would have stored has to be added again."""
        self._packer.restart()

    def keep_only(self, contents: Iterable[Content]) -> None:
        """Let gc keep these and none that `keep` was told before."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None
        self._sync_begin()
        write_atomically(os.path.join(self.directory, KEPT), _kept_lines(contents))

    @contextlib.contextmanager
    def alone(self) -> Iterator[bool]:
        """Hold the archive alone for a while, if nobody else records into it; nobody may add.

        What is in the archive afterwards is looked up anew.
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
        return self.finish_as(manifests.encode(manifest, self._packer.add_pieces, lines))

    def finish_as(self, manifest_json: bytes) -> Experiment:
        """Make the experiment complete with a manifest that was written elsewhere."""
        self._packer.flush()
        self._sync_begin()
        write_atomically(os.path.join(self.directory, MANIFEST),
                         codec.compress(manifest_json, MANIFEST_LEVEL))
        remove_if_there(self.log_path)
        remove_if_there(os.path.join(self.directory, KEPT))
        self._release()
        return Experiment(self.directory, self._store)

    def follow_log(self, command: list[str]) -> logs.LogKeeper:
        """Keep the log beside the run of a command; `finish` does the rest."""
        self._log = self._log_keeper(command)
        self._log.follow()
        return self._log

    def _log_keeper(self, command: list[str]) -> logs.LogKeeper:
        return logs.LogKeeper(self.log_path, os.path.join(self.directory, LOG), self._packer, self._store,
                              lambda is_apart: self._find_base(command, is_apart))

    def _store_log(self, manifest: Manifest) -> LogFacts | None:
        log, self._log = self._log, None
        return (log or self._log_keeper(list(manifest.command))).finish()

    def take_log(self, blocks: Iterable[bytes], facts: LogFacts) -> None:
        """Store a log that comes compressed, and must be what a manifest says of it.

        Raises:
            Damaged: it is another log.
        """
        with whole_file(os.path.join(self.directory, LOG)) as target:
            for block in blocks:
                target.write(block)
            target.flush()
            with logs.open_file(target.name, facts, self._store) as log:
                logs.verify(log, facts)

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


def _kept_lines(contents: Iterable[Content]) -> bytes:
    return "".join([f"{c.sha256} {c.size} {c.depth} {c.tree}\n" for c in contents]).encode()


def _parse_kept(line: bytes) -> Content | None:
    """The content that a line names; None where a crash cut it, or it is none."""
    words = line.decode("ascii", "replace").split()
    if not line.endswith(b"\n") or len(words) not in (3, 4) or not all(
            re.fullmatch(_HASH, words[i]) for i in (0, 3) if i < len(words)):
        return None
    if not all(len(word) < 19 and word.isdigit() for word in words[1:3]):
        return None
    return Content(words[0], int(words[1]), int(words[2]), words[3] if len(words) == 4 else "")
