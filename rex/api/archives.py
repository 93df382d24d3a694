"""Archives, experiments and their files, as a script uses them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from rex import archive as store
from rex import codec
from rex.archive import about
from rex.archive.lineage import ancestor
from rex.errors import NotFound

if TYPE_CHECKING:
    from rex.archive.check import Problem
    from rex.disclosure import Disclosure
    from rex.log.records import Event

Where = Literal["before", "after"]


@dataclass(frozen=True)
class File:
    """One file of an experiment, as it was before or after the run.

    Attributes:
        path: absolute, in the experiment's own file system.
        type: file, dir, symlink, fifo or other.
        mode: permission bits.
        size: bytes.
        mtime_ns: time of the last change, ns since 1970.
        target: where a symbolic link points.
        sha256: hash of the content; "" if it was not kept.
    """

    path: str
    type: str
    mode: int
    size: int
    mtime_ns: int
    target: str
    sha256: str
    _archive: store.Archive
    _content: store.Content | None

    def _kept(self) -> store.Content:
        if self._content is None:
            raise NotFound(f"the content of {self.path} is not in the archive", f"it is a {self.type}" if self.type != "file"
                           else "its bytes were not kept")
        return self._content

    def read_bytes(self) -> bytes:
        """The content, verified.

        Raises:
            NotFound: it was not kept, or this is no plain file.
            Damaged: the archive is.
        """
        return self._archive.read(self._kept(), max(self.size, 1))

    def read_text(self, encoding: str = "utf-8") -> str:
        """The content as text."""
        return self.read_bytes().decode(encoding)

    def extract(self, to: str | os.PathLike[str]) -> None:
        """Write the content, verified, to a new file.

        Raises:
            FileExistsError: something is there.
            NotFound, Damaged: as `read_bytes`.
        """
        self._archive.extract(self._kept(), to, self.mode & 0o777)


class Experiment:
    """One recorded run in an archive."""

    def __init__(self, archive: Archive, found: store.Experiment) -> None:
        """Use `Archive.__getitem__` instead."""
        self.archive = archive
        self._found = found

    def __repr__(self) -> str:
        return f"Experiment({str(self)!r})"

    def __str__(self) -> str:
        return f"{self.archive.path}:{self.name}"

    @property
    def name(self) -> str:
        """Its name in the archive."""
        return self._found.name

    @property
    def state(self) -> str:
        """complete; recording; or incomplete, left by a crash."""
        return self._found.state

    @property
    def _manifest(self) -> store.Manifest:
        return self._found.manifest

    @property
    def command(self) -> tuple[str, ...]:
        """The recorded command, the program first."""
        return self._manifest.command

    @property
    def cwd(self) -> str:
        """The absolute path of the directory that it ran in."""
        return self._manifest.cwd

    @property
    def environment(self) -> dict[str, str]:
        """The variables that the command was given and that are kept."""
        return dict(self._manifest.environment)

    @property
    def withheld(self) -> tuple[str, ...]:
        """Names of the variables that the command was given and that are not kept: those that look like credentials."""
        return self._manifest.withheld

    @property
    def redacted(self) -> tuple[int, ...]:
        """Numbers of the arguments that have placeholders instead of credentials; the program is 0."""
        return tuple(self._manifest.extra.get("record", {}).get("redacted", ()))

    def secrets(self) -> list[Disclosure]:
        """What looks like a credential in variables, arguments, small files and the log: place and kind, never the value.

        Raises:
            Damaged, TooNew: the experiment cannot be read.
        """
        from rex.disclosure import disclosures
        return disclosures(self.archive.store, self._found)

    @property
    def start_ns(self) -> int:
        """When it began, ns since 1970."""
        return self._manifest.start_ns

    @property
    def duration_s(self) -> float:
        """Seconds of wall-clock time that it ran for."""
        return self._manifest.duration_s

    @property
    def exit_status(self) -> int | None:
        """As a shell sees it, or minus the number of the signal that ended the program."""
        return self._manifest.exit_status

    @property
    def parent(self) -> str | None:
        """Name of the experiment that this one was made from."""
        return ancestor(self._manifest.extra) or None

    @property
    def labels(self) -> dict[str, str]:
        """Its labels: values by name."""
        return about.labels_of(self._manifest)

    @property
    def note(self) -> str:
        """What somebody noted about it; "" for nothing."""
        return about.note_of(self._manifest)

    def set_labels(self, labels: Mapping[str, str | None]) -> None:
        """Set labels; None removes one.

        Raises:
            UsageError: the experiment is not finished.
        """
        about.set_labels(self.archive.store, self.name, labels)
        self._found = self.archive.store.experiment(self.name)

    def set_note(self, note: str) -> None:
        """Set the note.

        Raises:
            UsageError: the experiment is not finished.
        """
        about.set_note(self.archive.store, self.name, note)
        self._found = self.archive.store.experiment(self.name)

    @property
    def processes(self) -> tuple[store.Process, ...]:
        """Every process of the run, with command, times in seconds and exit status."""
        return self._manifest.processes

    def file(self, path: str, when: Where = "after") -> File:
        """One file by its absolute path, as it was after (or before) the run.

        Raises:
            NotFound: the experiment did not see it, or it was not there then.
        """
        entry = self._manifest.files.get(path)
        found = self._file(path, entry, when) if entry else None
        if not found:
            raise NotFound(f"no file {path} in {self}" + (f" {when} the run" if entry else ""), "", f"see: rex ls {self}")
        return found

    def files(self, role: str | None = None, when: Where = "after") -> dict[str, File]:
        """The files by path, all of them or those of a role: apparatus, input, output."""
        found = {path: self._file(path, entry, when) for path, entry in self._manifest.files.items()
                 if role is None or role in entry.roles}
        return {path: file for path, file in sorted(found.items()) if file}

    @property
    def inputs(self) -> dict[str, File]:
        """What the run read, as it was before."""
        return self.files(store.INPUT, "before")

    @property
    def outputs(self) -> dict[str, File]:
        """What the run made or changed, as it left it."""
        return self.files(store.OUTPUT)

    def _file(self, path: str, entry: store.FileEntry, when: Where) -> File | None:
        state = entry.initial if when == "before" else entry.final
        if state is None:
            return None
        return File(path, state.type, state.mode, state.size, state.mtime_ns, state.target,
                    state.content.sha256 if state.content else "", self.archive.store, state.content)

    @property
    def stdout(self) -> bytes:
        """What the run wrote to its standard output, from the log."""
        return self._stream(stdout=True)

    @property
    def stderr(self) -> bytes:
        """What the run wrote to its standard error, from the log."""
        return self._stream(stdout=False)

    def _stream(self, stdout: bool) -> bytes:
        from rex.expdiff.output import STDERR, STDOUT, output_pieces
        wanted = STDOUT if stdout else STDERR
        return b"".join(data for stream, data in output_pieces(self._found) if stream == wanted)

    def log(self) -> Iterator[Event]:
        """The events of the system call log, in order.

        Raises:
            NotFound: it has no log.
            Damaged, TooNew: it cannot be read.
        """
        from rex.log import LogReader
        with LogReader(self._found.open_log()) as reader:
            yield from reader


class Archive:
    """A folder of experiments.

    As a context manager of a temporary one: `with rex.Archive.temporary() as archive`.
    """

    def __init__(self, path: str | os.PathLike[str] = "__default", create: bool = False) -> None:
        """Open an archive.

        Args:
            create: make it if nothing is there.
        Raises:
            NotFound: there is none at path.
            TooNew, Damaged: it cannot be read.
            UsageError: something else is at path.
        """
        self.path = os.fspath(path)
        self.store = store.Archive.create(path) if create else store.Archive.open(path)
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    @classmethod
    def temporary(cls) -> Archive:
        """A new archive that goes when the `with` block ends."""
        folder = tempfile.TemporaryDirectory(prefix="rex-")
        archive = cls(os.path.join(folder.name, "archive"), create=True)
        archive._temporary = folder
        return archive

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._temporary:
            self._temporary.cleanup()

    def __repr__(self) -> str:
        return f"Archive({self.path!r})"

    def __getitem__(self, name: str) -> Experiment:
        """The experiment of that name.

        Raises:
            NotFound: there is none.
        """
        return Experiment(self, self.store.experiment(name))

    def __contains__(self, name: object) -> bool:
        return any(each.name == name for each in self.store.experiments())

    def __iter__(self) -> Iterator[Experiment]:
        return iter(self.experiments())

    def __len__(self) -> int:
        return len(self.store.experiments())

    def experiments(self) -> list[Experiment]:
        """Every experiment, unfinished ones too, in natural order of their names."""
        return [Experiment(self, found) for found in self.store.experiments()]

    def default(self) -> Experiment:
        """The experiment that is meant where only the archive is named.

        Raises:
            NotFound: none is finished.
        """
        return Experiment(self, self.store.experiment(None))

    def rename(self, name: str, new: str) -> Experiment:
        """Give a finished experiment another name.

        Raises:
            NotFound: there is none.
            UsageError: it is not finished; the new name is taken or cannot be one.
        """
        about.rename(self.store, name, new)
        return self[new]

    def remove(self, name: str) -> None:
        """Remove an experiment; `gc` gives the space back.

        Raises:
            NotFound: there is none.
            Locked: it is being recorded.
        """
        self.store.remove(name)

    def check(self) -> list[Problem]:
        """Verify every hash and reference; what is wrong."""
        from rex.archive.check import check
        return check(self.store)

    def gc(self) -> int:
        """Remove what no experiment needs; the bytes that this gave back.

        Raises:
            Locked: somebody records.
        """
        from rex.archive.gc import collect
        return collect(self.store).freed_bytes

    def export(self, to: str | os.PathLike[str], names: Iterable[str] = ()) -> None:
        """Write experiments (all finished ones) to a new export file.

        Raises:
            FileExistsError: something is there.
            NotFound: there is no such experiment.
        """
        from rex.archive.exporting import export
        from rex.archive.locks import whole_file
        if os.path.lexists(to):
            raise FileExistsError(f"{os.fspath(to)} exists")
        with whole_file(os.fspath(to)) as stream:
            export(self.store, stream, names)

    def import_from(self, file: str | os.PathLike[str]) -> list[Experiment]:
        """Add the experiments of an export file, or the runs of a ReproZip bundle.

        Raises:
            Damaged, TooNew: it cannot be read.
        """
        from rex.transfer.reprozip import import_file
        with open(file, "rb") as stream:
            return [self[landed.name] for landed in import_file(stream, self.store)]
