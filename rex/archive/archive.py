"""The archive: a folder of experiments over one store of objects."""

from __future__ import annotations

import json
import os
import weakref
from typing import Any, Collection, Mapping

from rex.archive import manifest as manifests
from rex.archive.content import Content
from rex.archive.experiment import BEGUN, COMPLETE, MANIFEST, NAMES, RECORDING, Experiment, Recording
from rex.archive.locks import FileLock, remove_if_there, write_atomically
from rex.archive.manifest import Manifest
from rex.archive.packer import LEVEL
from rex.archive.store import READ_LIMIT_BYTES, Store
from rex.codec import MAX_BASE_BYTES
from rex.errors import Damaged, Locked, NotFound, RexError, TooNew, UsageError

VERSION = 1
FIRST_FILE = "rex-archive.json"
EXPERIMENTS, PACKS, DEFAULT, LOCK = "experiments", "packs", "default", "lock"
FIRST_TEXT = json.dumps({"format": VERSION, "what": "a Rex archive of experiments"}).encode() + b"\n"
FIRST_BYTES, DEFAULT_BYTES = 1 << 16, 200   # more of these files is not read
_LOOKED_AT = 30   # experiments among which a log is looked for that is like a new one
_DIGITS = "0123456789"
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_IN_NAMES, _NAME_LENGTH = _LETTERS | frozenset(".+-"), 100


class Archive:
    """An open archive. Reading needs no write permission and takes no lock."""

    def __init__(self, path: str) -> None:
        """Use `create` or `open` instead."""
        self.path = path
        self.store = Store(os.path.join(path, PACKS))
        self.lock_path = os.path.join(path, LOCK)
        # What somebody holds is not read twice: a manifest takes a while.
        self._held: weakref.WeakValueDictionary[tuple[object, ...], Experiment] = weakref.WeakValueDictionary()

    @classmethod
    def create(cls, path: str | os.PathLike[str]) -> "Archive":
        """Open the archive at path, made now if nothing (or an empty folder) is there.

        Raises:
            UsageError: something else is at path.
            TooNew, Damaged: as `open`.
        """
        where = os.path.abspath(os.fspath(path))
        if not os.path.exists(os.path.join(where, FIRST_FILE)):
            names = os.listdir(where) if os.path.isdir(where) else []
            refuse_other_files(names, str(path))
            try:
                for name in (PACKS, EXPERIMENTS):
                    os.makedirs(os.path.join(where, name), exist_ok=True)
            except (FileExistsError, NotADirectoryError) as error:
                raise UsageError(f"{path} cannot become an archive", str(error)) from error
            write_atomically(os.path.join(where, FIRST_FILE), FIRST_TEXT)
        return cls.open(path)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "Archive":
        """Open an existing archive.

        Raises:
            NotFound: there is none at path.
            TooNew: a newer Rex made it.
            Damaged: its first file makes no sense.
        """
        where = os.path.abspath(os.fspath(path))
        try:
            with open(os.path.join(where, FIRST_FILE), "rb") as file:
                check_first(file.read(FIRST_BYTES), f"{path}")
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound(f"no archive at {path}", f"it has no {FIRST_FILE}",
                           "see: rex record --help") from None
        return cls(where)

    def _path(self, *names: str) -> str:
        return os.path.join(self.path, *names)

    def experiments(self) -> list[Experiment]:
        """Every experiment, unfinished ones too, in natural order of their names."""
        folder = self._path(EXPERIMENTS)
        names = os.listdir(folder) if os.path.isdir(folder) else []
        names = [name for name in names if is_name(name)]
        return [self._experiment(name) for name in sorted(names, key=_natural)]

    def _experiment(self, name: str) -> Experiment:
        directory = self._path(EXPERIMENTS, name)
        try:
            info = os.stat(os.path.join(directory, MANIFEST))
        except OSError:                      # not finished: it will be another one
            return Experiment(directory, self.store)
        key = (name, info.st_ino, info.st_mtime_ns, info.st_size)
        return self._held.setdefault(key, Experiment(directory, self.store))

    def experiment(self, name: str | None = None) -> Experiment:
        """The experiment of that name; without one the default.

        Raises:
            NotFound: there is none.
        """
        if name is None:
            name = self.default()
        if is_name(name) and os.path.isdir(self._path(EXPERIMENTS, name)):
            return self._experiment(name)
        raise NotFound(f"no experiment {name} in {self.path}", "", f"see: rex ls {self.path}")

    def default(self) -> str:
        """Name of the experiment that was made the default, or else of the newest finished one.

        Raises:
            NotFound: no experiment is finished.
        """
        if name := self.explicit_default():
            return name
        finished = [e for e in self.experiments() if e.state == COMPLETE]
        if not finished:
            raise NotFound(f"no finished experiment in {self.path}")
        return max(finished, key=_start_and_name).name

    def explicit_default(self) -> str | None:
        """Name of the experiment that somebody made the default one."""
        try:
            with open(self._path(DEFAULT), "rb") as file:
                name = default_in(file.read(DEFAULT_BYTES))
        except FileNotFoundError:
            return None
        return name if name and os.path.isdir(self._path(EXPERIMENTS, name)) else None

    def set_default(self, name: str) -> None:
        """Make an experiment the default one."""
        write_atomically(self._path(DEFAULT), self.experiment(name).name.encode() + b"\n")

    def begin(self, name: str | None = None, facts: Mapping[str, Any] | None = None,
              level: int = LEVEL) -> Recording:
        """Begin an experiment; other recorders may be at work in the archive.

        Args:
            name: None takes the next free one of exp0, exp1, ...
            facts: what is known at the start, for begun.json.
            level: zstd level of new objects.
        Raises:
            UsageError: the name is taken or cannot be one.
        """
        lock = FileLock(self.lock_path)   # keeps gc away until the end
        try:
            for folder in (PACKS, EXPERIMENTS):
                os.makedirs(self._path(folder), exist_ok=True)
            directory = self._make_directory(name)
            return Recording(directory, self.store, level, lock, facts or {}, self._find_log_base)
        except BaseException:
            lock.release()
            raise

    def check_name(self, name: str | None) -> None:
        """Make sure that a new experiment can have this name (None: the next free one).

        Raises:
            UsageError: the name is taken or cannot be one.
        """
        if name is not None and not is_name(name):
            raise UsageError(f"{name!r} cannot name an experiment",
                             "", "use letters, digits and . _ + -")
        if name is not None and os.path.lexists(self._path(EXPERIMENTS, name)):
            raise UsageError(f"experiment {name} exists", "", "choose another name, "
                             "or remove it first")

    def _find_log_base(self, wanted: list[str], is_apart: bool) -> Content | None:
        """A log of this command, or else one of the same program; stored in the same form."""
        found: list[Content] = []
        for experiment in reversed(self.experiments()[-_LOOKED_AT:]):
            try:
                told = json.loads(experiment.manifest_json())
                log, command = told.get("log", {}), told["command"]
                base = manifests.content_in(log.get("content") or log.get("base"))
                if base is None or bool(log.get("is_apart")) != is_apart or base.size > MAX_BASE_BYTES or not self.store.has(base):
                    continue
            except (RexError, ValueError, TypeError, KeyError, AttributeError):
                continue
            if command == wanted:
                return base
            if command[:1] == wanted[:1]:
                found.append(base)
        return found[0] if found else None

    def take_up(self, name: str) -> Recording:
        """Go on with an unfinished experiment whose recorder is gone.

        Raises:
            UsageError: it is finished.
            Locked: it is being recorded.
            NotFound: there is none.
        """
        experiment = self.experiment(name)
        if experiment.state == COMPLETE:
            raise UsageError(f"experiment {name} is finished")
        if experiment.state == RECORDING:
            raise Locked(f"experiment {name} is being recorded")
        lock = FileLock(self.lock_path)
        try:
            facts = {k: v for k, v in experiment.begun.items() if k not in ("format", "pid")}
            return Recording(experiment.directory, self.store, LEVEL, lock, facts, self._find_log_base)
        except BaseException:
            lock.release()
            raise

    def _make_directory(self, name: str | None) -> str:
        self.check_name(name)
        numbers = [int(e.name[3:]) for e in self.experiments() if e.name[:3] == "exp" and e.name[3:] and not e.name[3:].strip(_DIGITS)]
        number = max(numbers, default=-1) + 1
        while True:
            directory = self._path(EXPERIMENTS, name or f"exp{number}")
            try:
                os.mkdir(directory)   # atomic: of two recorders one gets the name
            except FileExistsError:
                if name:
                    raise UsageError(f"experiment {name} exists", "", "choose another name, "
                                     "or remove it first") from None
                number += 1
                continue
            return directory

    def remove(self, name: str) -> None:
        """Remove an experiment; its objects stay until `gc`.

        Raises:
            Locked: it is being recorded.
            NotFound: there is none.
        """
        experiment = self.experiment(name)
        if experiment.state == RECORDING:
            raise Locked(f"experiment {name} is being recorded")
        # The manifest goes first: from then on it is incomplete, whatever happens.
        known = sorted(NAMES, key=lambda n: n != "manifest.json.zst")
        kept = [n for n in os.listdir(experiment.directory) if n.startswith(".tmp-")]
        for file in [*known, *kept]:
            remove_if_there(os.path.join(experiment.directory, file))
        os.rmdir(experiment.directory)

    def read(self, content: Content, limit_bytes: int = READ_LIMIT_BYTES) -> bytes:
        """The whole content, verified.

        Raises:
            Damaged: objects are missing or wrong.
            UsageError: it is larger than the limit.
        """
        return self.store.read(content, limit_bytes)

    def extract(self, content: Content, path: str | os.PathLike[str], mode: int = 0o644) -> None:
        """Write the content, verified, to a new file with this mode; holes stay holes.

        Raises:
            FileExistsError: something is at path.
            Damaged: objects are missing or wrong; no file is left.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(path, flags, 0o600)
        try:
            with open(fd, "wb", buffering=0) as file:
                for data, length in self.store.read_pieces(content):
                    if data is None:
                        file.seek(length, os.SEEK_CUR)
                    else:
                        write_all(file.fileno(), data)
                file.truncate(content.size)
                os.fchmod(file.fileno(), mode)
        except BaseException:
            os.unlink(path)
            raise


def check_first(data: bytes, where: str) -> None:
    """Make sure that an archive's first file is one, in a format that we read.

    Raises:
        TooNew: a newer Rex made it.
        Damaged: it makes no sense.
    """
    try:
        version = json.loads(data)["format"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Damaged(f"{where}/{FIRST_FILE} is damaged", str(error)) from error
    if not isinstance(version, int) or version < 1:
        raise Damaged(f"{where}/{FIRST_FILE} is damaged", f"format version {version!r}")
    if version > VERSION:
        raise TooNew(f"{where} has format version {version}",
                     f"this Rex reads up to {VERSION}", "use a newer Rex")


def refuse_other_files(names: Collection[str], where: str) -> None:
    """Make sure that nothing but an archive is there, in the making or made by another process a moment ago.

    Raises:
        UsageError: something else is.
    """
    if FIRST_FILE not in names and any(n not in (EXPERIMENTS, PACKS) and not n.startswith(".tmp-") for n in names):
        raise UsageError(f"{where} is not an archive", "it holds other files", "choose another name")


def default_in(data: bytes) -> str | None:
    """The name in the file that tells the default experiment, if it is one."""
    name = data.decode("ascii", "replace").strip()
    return name if is_name(name) else None


def is_name(name: object) -> bool:
    """Whether this can name an experiment."""
    return isinstance(name, str) and 0 < len(name) <= _NAME_LENGTH and name[0] in _LETTERS and _IN_NAMES.issuperset(name)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, however the kernel splits it."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]


def _natural(name: str) -> tuple[str, int, str]:
    number = name[len(name.rstrip(_DIGITS)):][-18:]
    return (name[:-len(number)], int(number), name) if number else (name, -1, name)


def _start_and_name(experiment: Experiment) -> tuple[int, tuple[str, int, str]]:
    try:
        start = experiment.begun.get("start_ns", 0)
    except Damaged:
        start = 0
    return (start if isinstance(start, int) else 0, _natural(experiment.name))
