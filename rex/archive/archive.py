"""The archive: a folder of experiments over one store of objects."""

from __future__ import annotations

import contextlib
import os
import weakref
from contextlib import contextmanager

from rex.archive import manifest as manifests
from rex.archive.amendments import ABOUT
from rex.archive.content import Content
from rex.archive.experiment import COMPLETE, IDENTITY, KEPT, NAMES, RECORDING, Experiment
from rex.archive.folder import Folder
from rex.archive.jsonform import read_json
from rex.archive.lineage import ancestor
from rex.archive.locks import FileLock, remove_if_there, write_atomically
from rex.archive.store import READ_LIMIT_BYTES, Store
from rex.archive.topfiles import (DEFAULT, DEFAULT_BYTES, EXPERIMENTS, FIRST_BYTES, FIRST_FILE, FIRST_TEXT, LOCK, PACKS, check_first,
                                   check_is_name, default_in, default_line, is_name, refuse_other_files)
from rex.codec import MAX_BASE_BYTES
from rex.errors import Damaged, Locked, NotFound, RexError, TooNew, UsageError
from rex.hints import TYPE_CHECKING, Any, Iterator, Mapping
from rex.text import quoted

if TYPE_CHECKING:
    from rex.archive.recording import Recording   # at run time by those who record: readers do without

_LOOKED_AT = 30   # experiments among which a log is looked for that is like a new one
_DIGITS = "0123456789"
IDENTITY_DIGITS = 6   # as many at least name an experiment


class Archive:
    """An open archive. Reading needs no write permission."""

    def __init__(self, path: str) -> None:
        """Use `create` or `open` instead."""
        self.path = path
        self.folder = Folder(path)
        self.store = Store(self.folder.below(PACKS))
        self.lock_path = os.path.join(path, LOCK)
        self._is_durable = True      # the first file is
        # What somebody holds is not read twice: a manifest takes a while.
        self._held: weakref.WeakValueDictionary[tuple[object, ...], Experiment] = weakref.WeakValueDictionary()

    @classmethod
    def create(cls, path: str | os.PathLike[str], is_durable: bool = True) -> "Archive":
        """Open the archive at path, made now if nothing (or an empty folder) is there.

        Args:
            is_durable: False: do not wait for the disk; the first experiment does, before it is complete.
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
            write_atomically(os.path.join(where, FIRST_FILE), FIRST_TEXT, is_durable)
            archive = cls.open(path)
            archive._is_durable = is_durable
            return archive
        return cls.open(path)

    @classmethod
    @contextlib.contextmanager
    def made(cls, path: str | os.PathLike[str], is_durable: bool = True) -> Iterator["Archive"]:
        """As `create`, for as long as it takes to fill it: one that is new and still without experiments at a failure, goes again."""
        where = os.path.abspath(os.fspath(path))
        was_there, was_archive = os.path.isdir(where), os.path.exists(os.path.join(where, FIRST_FILE))
        archive = cls.create(path, is_durable)
        try:
            yield archive
        except BaseException:
            if not was_archive:
                archive._unmake(is_whole=not was_there)
            raise

    def _unmake(self, is_whole: bool) -> None:
        """Remove the archive if nobody has begun an experiment; is_whole: with its folder."""
        with contextlib.suppress(Locked, OSError):
            lock = FileLock(self.lock_path, exclusive=True, wait=False)
            try:
                os.rmdir(self._path(EXPERIMENTS))       # fails where there is one
                for name in os.listdir(self._path(PACKS)):
                    remove_if_there(self._path(PACKS, name))
                os.rmdir(self._path(PACKS))
                for file in (self._path(FIRST_FILE), self.lock_path):
                    remove_if_there(file)
            finally:
                lock.release()
            if is_whole:
                os.rmdir(self.path)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "Archive":
        """Open an existing archive.

        Raises:
            NotFound: there is none at path.
            TooNew: a newer Rex made it.
            Damaged: its first file makes no sense.
        """
        archive = cls(os.path.abspath(os.fspath(path)))
        try:
            check_first(archive.folder.read(FIRST_FILE, FIRST_BYTES), f"{path}")
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound(f"no archive at {path}", f"it has no {FIRST_FILE}",
                           "see: rex record --help") from None
        return archive

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep what is there from `gc` while it is read, as far as its lock may be opened."""
        try:
            lock = FileLock(self.lock_path, is_made=False)
        except OSError:   # a copy that lost its lock, or that others may not read: nobody else works in it
            yield
            return
        try:
            yield
        finally:
            lock.release()

    def _path(self, *names: str) -> str:
        return os.path.join(self.path, *names)

    def experiments(self) -> list[Experiment]:
        """Every experiment, unfinished ones too, in natural order of their names; none where the folder is missing.

        Raises:
            Damaged: their folder is no directory.
        """
        return [self._experiment(name) for name in self._names()]

    def _names(self) -> list[str]:
        """Of all experiments; a recording that looks at each experiment would last longer with every one of them."""
        return sorted(filter(is_name, self.folder.below(EXPERIMENTS).names_if_there()), key=_natural)

    def certain_experiments(self, may_be_none: bool = False) -> list[Experiment]:
        """Every experiment, for those who remove what none of them needs.

        Args:
            may_be_none: whether it is meant that all contents go; a disk that is not mounted looks the same.
        Raises:
            Damaged: it is not certain which experiments there are.
        """
        found = self.experiments()
        folder = self.folder.below(EXPERIMENTS)
        for name in folder.names() if found else ():
            if not is_name(name):
                raise Damaged(f"{os.path.join(folder.path, name)} is no experiment", "nobody can tell what is needed", "move it away")
            folder.below(name).names()   # it is a directory, and may be read
        if not found and not may_be_none and self.store.pack_names():
            raise Damaged(f"no experiment is in {folder.path}", "all contents would be removed", "put them back; or if that is meant: rex gc --empty")
        return found

    def _experiment(self, name: str) -> Experiment:
        folder = self.folder.below(EXPERIMENTS, name)
        try:
            files = [folder.info(file) for file in (IDENTITY, *filter(folder.has, [ABOUT]))]
        except (OSError, Damaged):           # not finished: it will be another one
            return Experiment(folder, self.store)
        key = (name, *((info.st_ino, info.st_mtime_ns, info.st_size) for info in files))
        return self._held.setdefault(key, Experiment(folder, self.store))

    def experiment(self, name: str | None = None) -> Experiment:
        """The experiment of that name, or of that identity; without one the default.

        Args:
            name: a name, or @ and the first digits of an identity, which only one may have.
        Raises:
            NotFound: there is none.
            UsageError: the digits are too few.
        """
        if name is None:
            name = self.default()
        if name.startswith("@"):
            return self._identified(name[1:])
        if is_name(name) and self.folder.below(EXPERIMENTS).has(name):
            return self._experiment(name)
        raise NotFound(f"no experiment {name} in {self.path}", "", f"see: rex ls {quoted(self.path)}")

    def _identified(self, digits: str) -> Experiment:
        if len(digits) < IDENTITY_DIGITS or digits.strip("0123456789abcdef"):
            raise UsageError(f"@{digits} is no identity", "", f"write @ and at least {IDENTITY_DIGITS} of its digits; see: rex show")
        found: dict[str, Experiment] = {}
        for experiment in self.experiments():
            if experiment.state == COMPLETE and (identity := experiment.identity).startswith(digits):
                found.setdefault(identity, experiment)
        if len(found) > 1:
            names = ", ".join(experiment.name for experiment in found.values())
            raise UsageError(f"@{digits} is ambiguous", f"it is of {names}", "write more digits")
        for experiment in found.values():
            return experiment
        raise NotFound(f"no experiment @{digits} in {self.path}", "", f"see: rex ls {self.path}")

    def default(self) -> str:
        """Name of the experiment that was made the default, or else of the oldest finished one that was not made from another.

        Raises:
            NotFound: there is none.
            Damaged: nobody can tell.
        """
        if name := self.explicit_default():
            return name
        finished = sorted((e for e in self.experiments() if e.state == COMPLETE), key=_start_and_name)
        for experiment in finished:
            if _is_chosen_by_itself(experiment):
                return experiment.name
        if finished:
            raise NotFound(f"no default experiment in {self.path}", "none that is finished was recorded, not made by rex runnew, and can be read",
                           f"choose one with: rex default {quoted(self.path)}:{finished[0].name}")
        raise NotFound(f"no finished experiment in {self.path}")

    def explicit_default(self) -> str | None:
        """Name of the experiment that somebody made the default one, if it is there.

        Raises:
            Damaged: nobody can tell.
        """
        try:
            name = default_in(self.folder.read(DEFAULT, DEFAULT_BYTES), self.path)
        except FileNotFoundError:
            return None
        return name if self.folder.below(EXPERIMENTS).has(name) else None

    def set_default(self, name: str) -> None:
        """Make an experiment the default one."""
        write_atomically(self._path(DEFAULT), default_line(self.experiment(name).name))

    def begin(self, name: str | None = None, facts: Mapping[str, Any] | None = None,
              level: int | None = None, is_light: bool = False) -> Recording:
        """Begin an experiment; other recorders may be at work in the archive.

        Args:
            name: None takes the next free one of exp0, exp1, ...
            facts: what is known at the start, for `begun`.
            level: zstd level of new objects.
            is_light: make packs that `add_light` may add to.
        Raises:
            UsageError: the name is taken or cannot be one.
        """
        from rex.archive.recording import Recording
        lock = FileLock(self.lock_path)   # keeps gc away until the end
        try:
            for folder in (PACKS, EXPERIMENTS):
                os.makedirs(self._path(folder), exist_ok=True)
            self._refuse_links()
            if not os.path.exists(self._path(FIRST_FILE)):   # another process has unmade it meanwhile
                write_atomically(self._path(FIRST_FILE), FIRST_TEXT)
            return Recording(self._make_directory(name), self.store, level, lock, facts or {}, self._find_log_base,
                             "" if self._is_durable else self._path(FIRST_FILE), is_light)
        except BaseException:
            lock.release()
            raise

    def _refuse_links(self) -> None:
        """Make sure that who writes into the archive's directories writes into the archive; raises Damaged."""
        for folder in (PACKS, EXPERIMENTS):
            self.folder.below(folder).names()

    def check_name(self, name: str | None) -> None:
        """Make sure that a new experiment can have this name (None: the next free one).

        Raises:
            UsageError: the name is taken or cannot be one.
        """
        check_is_name(name)
        if name is not None and os.path.lexists(self._path(EXPERIMENTS, name)):
            raise UsageError(f"experiment {name} exists", "", "choose another name, "
                             "or remove it first")

    def _find_log_base(self, wanted: list[str], is_apart: bool) -> Content | None:
        """A log of this command, or else one of the same program; stored in the same form."""
        found: Content | None = None
        for name in reversed(self._names()[-_LOOKED_AT:]):
            experiment = Experiment(self.folder.below(EXPERIMENTS, name), self.store)
            try:
                command = experiment.begun["command"]
                if command[:1] != wanted[:1] or (found and command != wanted):     # its manifest would take longer to read
                    continue
                log = read_json(experiment.manifest_json(), "a manifest").get("log", {})
                base = manifests.content_in(log.get("base" if log.get("is_packed") else "content"))
                if base is None or bool(log.get("is_apart")) != is_apart or base.size > MAX_BASE_BYTES or not self.store.has(base):
                    continue
            except (RexError, OSError, ValueError, TypeError, KeyError, AttributeError):
                continue
            found = base
            if command == wanted:
                break
        return found

    def take_up(self, name: str) -> Recording:
        """Go on with an unfinished experiment whose recorder is gone.

        Raises:
            UsageError: it is finished.
            Locked: it is being recorded.
            NotFound: there is none.
        """
        from rex.archive.recording import Recording
        experiment = self.experiment(name)
        if experiment.state == COMPLETE:
            raise UsageError(f"experiment {name} is finished")
        if experiment.state == RECORDING:
            raise Locked(f"experiment {name} is being recorded")
        lock = FileLock(self.lock_path)
        try:
            facts = {k: v for k, v in experiment.begun.items() if k not in ("format", "pid")}
            self._refuse_links()
            for file in experiment.folder.names():
                os.close(experiment.folder.descriptor(file))   # it is a plain file, which may be appended to
            return Recording(experiment.folder, self.store, None, lock, facts, self._find_log_base)
        except BaseException:
            lock.release()
            raise

    def _make_directory(self, name: str | None) -> Folder:
        self.check_name(name)
        numbers = [int(each[3:]) for each in self._names() if each[:3] == "exp" and each[3:] and not each[3:].strip(_DIGITS)]
        number = max(numbers, default=-1) + 1
        while True:
            folder = self.folder.below(EXPERIMENTS, name or f"exp{number}")
            try:
                os.mkdir(folder.path)   # atomic: of two recorders one gets the name
            except FileExistsError:
                if name:
                    raise UsageError(f"experiment {name} exists", "", "choose another name, "
                                     "or remove it first") from None
                number += 1
                continue
            return folder

    def remove(self, name: str) -> None:
        """Remove an experiment; its objects stay until `gc`.

        Raises:
            Locked: it is being recorded.
            NotFound: there is none.
            Damaged: its folder is none, or holds what Rex did not write; nothing is removed.
        """
        experiment = self.experiment(name)
        files = experiment.folder.names()
        if experiment.state == RECORDING:
            raise Locked(f"experiment {experiment.name} is being recorded")
        if strange := sorted(file for file in files if file not in NAMES and not file.startswith(".tmp-")):
            raise Damaged(f"experiment {experiment.name} holds other files", strange[0], "move them away")
        # Its identity goes first: from then on it is incomplete, whatever happens.  What tells that from a lost identity stays to the end.
        os.close(experiment.folder.descriptor(KEPT, os.O_WRONLY | os.O_CREAT))
        for file in sorted({*files, KEPT}, key=lambda file: (file != IDENTITY, file == KEPT)):
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


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, however the kernel splits it."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]


def _natural(name: str) -> tuple[str, int, str]:
    number = name[len(name.rstrip(_DIGITS)):][-18:]
    return (name[:-len(number)], int(number), name) if number else (name, -1, name)


def _is_chosen_by_itself(experiment: Experiment) -> bool:
    """Whether it was recorded, not made from another, and can be read."""
    try:
        return not ancestor(experiment.manifest.extra)
    except (Damaged, TooNew):
        return False


def _start_and_name(experiment: Experiment) -> tuple[int, tuple[str, int, str]]:
    start = experiment.begun.get("start_ns", 0)
    return (start if isinstance(start, int) else 0, _natural(experiment.name))
