"""One experiment in an archive, as it is read: `rex.archive.recording` writes it."""

from __future__ import annotations

import contextlib
import functools
import os

from rex.archive import amendments, logs, manifest as manifests
from rex.archive.amendments import ABOUT, MAX_ABOUT_BYTES
from rex.archive.content import Content
from rex.archive.folder import Folder
from rex.archive.jsonform import read_json
from rex.archive.locks import is_locked
from rex.archive.manifest import Manifest
from rex.archive.sealed import is_sealed, unseal, unseal_content
from rex.archive.store import Store
from rex.errors import Damaged, NotFound, RexError
from rex.hints import Any, BinaryIO
from rex.values import replace

BEGUN, LOG_PART, IDENTITY = "begun", "log.part", "identity"
LOCK, KEPT = "lock", "kept.part"
# Tables that other modules derive from the log, for quick questions; nothing depends on them.
INDEX = "index.sqlite"
NAMES = (BEGUN, LOG_PART, IDENTITY, ABOUT, LOCK, KEPT, INDEX, INDEX + "-journal")

COMPLETE, RECORDING, INCOMPLETE, DAMAGED = "complete", "recording", "incomplete", "damaged"

MAX_MANIFEST_BYTES = 1 << 30
MAX_BEGUN_BYTES, MAX_KEPT_BYTES, MAX_IDENTITY_BYTES = 16 << 20, 1 << 30, 1 << 10


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
