"""The archive's side of a session: where its cells are kept, finished at the end, bounded in size."""

from __future__ import annotations

import contextlib
import getpass
import os
import platform
import socket
import sqlite3
import sys
import time
from typing import Any, Callable

from rex.archive import INCOMPLETE, Archive, Content, Experiment, Manifest, Recording
from rex.credentials import credential_variables
from rex.errors import NotFound, RexError, UsageError
from rex.notebook.index import NAME, Index, check_is_session
from rex.state import Delta, History, MakeFacts, Store, recover
from rex.version import __version__


# Small writes take a millisecond; on a busy machine it is sooner to copy what waits.
_SMALL_BYTES, _SMALL_WAIT_S = 256 << 10, 0.002


class Keeper:
    """Writes a session into an experiment of its own."""

    def __init__(self, path: str, name: str, facts: dict[str, Any], made_from: str = "") -> None:
        """Begin the experiment.

        Args:
            name: of the experiment; where it is taken, with a number.
            facts: of the notebook, for whoever asks while it runs.
            made_from: the session whose states this one begins with.
        Raises:
            RexError, OSError: there can be no archive.
        """
        self.archive = Archive.create(path)
        self._facts = {**facts, **({"from": made_from} if made_from else {})}
        self._started_ns = time.time_ns()
        self.recording = self._begin(name)
        self._index: Index | None = None
        self._index_path = os.path.join(self.recording.directory, NAME)
        self.store = Store(self.archive, self.recording, self._follow)
        self._pid = os.getpid()

    def _begin(self, name: str) -> Recording:
        facts = {"command": self._command(), "start_ns": self._started_ns, "cwd": _cwd(),
                 "notebook": self._facts}
        taken = {experiment.name for experiment in self.archive.experiments()}
        number, wish = 1, name
        while True:
            while wish in taken:
                number += 1
                wish = f"{name}-{number}"
            try:
                return self.archive.begin(wish, facts)
            except UsageError:
                if wish not in {experiment.name for experiment in self.archive.experiments()}:
                    raise
                taken.add(wish)   # another session was faster

    def _command(self) -> list[str]:
        return ["notebook", str(self._facts.get("path") or "(no file)")]

    @property
    def name(self) -> str:
        """Of the experiment."""
        return self.recording.name

    def _follow(self) -> None:
        """Bring the index up to the log; nothing depends on it."""
        with contextlib.suppress(sqlite3.Error, RexError, OSError):
            if self._index is None:
                self._index = Index(self._index_path)
            with open(self.recording.log_path, "rb") as log:
                log.seek(self._index.offset)
                self._index.catch_up(log)

    def save(self, delta: Delta, facts: MakeFacts, draft: MakeFacts) -> None:
        """Keep a cell; returns soon."""
        self.store.save(delta, facts, draft)
        if self.store.pending_bytes < _SMALL_BYTES:
            self.make_safe(_SMALL_WAIT_S)

    def make_safe(self, wait_s: float = 0.0) -> None:
        """Return when all cells would survive the kernel's end: written, or after a while copied, which takes
        less time."""
        if not self.store.wait_written(wait_s):
            self.store.spill()

    def close(self, history: History) -> Experiment | None:
        """Write what waits, and finish the experiment; a session without cells is removed."""
        if os.getpid() != self._pid:   # a fork of the kernel
            return None
        try:
            self.store.close()
        except OSError as error:
            self.recording.abandon()
            raise UsageError(f"the last cells of {self.name} could not be written", str(error),
                             "the session is kept up to them; make room, and resume it") from error
        finally:
            if self._index is not None:
                self._index.close()
        if not history.deltas:
            name = self.recording.name
            self.recording.abandon()
            with contextlib.suppress(RexError, OSError):
                self.archive.remove(name)
            return None
        return self.recording.finish(self._manifest(history))

    def _manifest(self, history: History) -> Manifest:
        secret = sorted(credential_variables(os.environ))
        count = len(history.deltas)
        facts = {**self._facts, "cells": count}
        lineage = {"lineage": {"from": self._facts["from"]}} if "from" in self._facts else {}
        return Manifest(
            tuple(self._command()), cwd=_cwd(), withheld=tuple(secret),
            environment={k: v for k, v in os.environ.items() if k not in secret},
            user=_user(), host=socket.gethostname(), rex=__version__, engine="notebook",
            machine={"system": platform.system(), "release": platform.release(),
                     "machine": platform.machine(), "python": platform.python_version()},
            start_ns=self._started_ns, duration_s=(time.time_ns() - self._started_ns) / 1e9,
            exit_status=0, counts={"cells": count}, attachments=self.store.attachments(),
            extra={"notebook": facts, **lineage})


def finish_crashed(archive: Archive, experiment: Experiment) -> bool:
    """Make a session complete whose kernel was killed; its last whole cell is its end.

    Returns:
        Whether it was done: others may be recording it, or the archive be read-only.
    """
    if experiment.state != INCOMPLETE:
        return False
    begun = experiment.begun
    start_ns = begun.get("start_ns")
    command = begun.get("command")
    facts = begun.get("notebook")
    try:
        with archive.take_up(experiment.name) as recording:
            recover(recording)
            contents = {f"state/{c.tree or c.sha256}"[:46]: c for c in experiment.kept()}
            recording.finish(Manifest(
                tuple(map(str, command)) if isinstance(command, list) else ("notebook",),
                cwd=str(begun.get("cwd", "/")), rex=__version__, engine="notebook",
                start_ns=start_ns if isinstance(start_ns, int) else 0, attachments=contents,
                warnings=("its kernel ended without notice",),
                extra={"notebook": facts if isinstance(facts, dict) else {}}))
        return True
    except (RexError, OSError):
        return False


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "/"


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def default_name(path: str | None) -> str:
    """A name for the experiment of a notebook: that of its file."""
    stem = os.path.splitext(os.path.basename(path))[0] if path else ""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._+-") else "-" for c in stem)
    return plain.lstrip("._+-")[:80] or ("nb" if "ipykernel" in sys.modules else "ipython")


def path_of(experiment: Experiment) -> str | None:
    """The notebook file of a session, where its front end named it."""
    facts = experiment.begun.get("notebook")
    path = facts.get("path") if isinstance(facts, dict) else None
    return path if isinstance(path, str) else None


def find_session(archive: Archive, name: str | None, but: str = "", path: str | None = None,
                 is_strict: bool = False) -> Experiment:
    """A session by name; without one the newest.

    Args:
        but: not the one of this name.
        path: prefer sessions of this notebook file; is_strict: take no others.
    Raises:
        NotFound: there is none.
    """
    if name is not None:
        experiment = archive.experiment(name)
        check_is_session(experiment)
        return experiment
    found = [experiment for experiment in archive.experiments()
             if experiment.name != but and experiment.is_session]
    if path:
        found = [experiment for experiment in found if path_of(experiment) == path] or ([] if is_strict else found)
    if not found:
        raise NotFound(f"no session of {path} in {archive.path}" if path and is_strict else
                       f"no notebook session in {archive.path}", "", "see: rex ls")
    return max(found, key=lambda e: start if isinstance(start := e.begun.get("start_ns"), int) else 0)


def open_notebook(path: str) -> tuple[Archive, Experiment]:
    """The newest session of a notebook file, in the archive where its kernel keeps it by default.

    Raises:
        NotFound: there is none.
    """
    archive = Archive.open(os.environ.get("REX_NOTEBOOK_ARCHIVE") or
                           os.path.join(os.path.dirname(os.path.abspath(path)), "__default"))
    return archive, find_session(archive, None, path=os.path.abspath(path), is_strict=True)
