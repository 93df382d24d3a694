"""Write experiments to an export file, and add those of one to an archive."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import BinaryIO, Callable, Iterable, Iterator

from rex import codec
from rex.archive import exportfile as files
from rex.archive.archive import Archive
from rex.archive.check import Problem, check
from rex.archive.experiment import COMPLETE, LOG, MAX_MANIFEST_BYTES, Experiment
from rex.archive.exportfile import ExportReader, ExportWriter, Facts
from rex.archive.landing import Landed, fingerprints, land, without_log
from rex.archive.locks import FileLock
from rex.archive.packer import LEVEL, Packer
from rex.errors import Damaged, NotFound

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Exported:
    """What `export` wrote."""

    experiments: tuple[str, ...]
    objects: int
    size_bytes: int


def choose(archive: Archive, names: Iterable[str]) -> list[Experiment]:
    """The experiments of these names, or all that are complete, in natural order.

    Raises:
        NotFound: one is not there or not complete, or there is none.
    """
    wanted = set(names)
    for name in sorted(wanted):
        if archive.experiment(name).state != COMPLETE:
            raise NotFound(f"experiment {name} is not complete", "its recording did not finish",
                           "record it again")
    found = [e for e in archive.experiments() if e.state == COMPLETE
             and (e.name in wanted or not wanted)]
    if not found:
        raise NotFound(f"no finished experiment in {archive.path}")
    return found


def needed(archive: Archive, experiments: Iterable[Experiment], has_log: bool = True) -> dict[bytes, int]:
    """The sizes of all objects that experiments need, by hash, in the order of first need.

    Raises:
        Damaged: a manifest or a list of objects cannot be read.
    """
    found: dict[bytes, int] = {}
    for experiment in experiments:
        manifest = experiment.manifest
        first = manifest.tables()
        rest = [manifest.attachments[name] for name in sorted(manifest.attachments)]
        rest += [c for path in sorted(manifest.files) for c in manifest.files[path].contents()]
        if has_log and manifest.log:
            rest += manifest.log.contents()
        for content in dict.fromkeys(first + rest):
            for digest, length in archive.store.needs(content):
                found.setdefault(digest, length)
    return found


def export(archive: Archive, stream: BinaryIO, names: Iterable[str] = (), has_log: bool = True,
           progress: Progress | None = None) -> Exported:
    """Write experiments, all complete ones by default, to a stream.

    The bytes depend on nothing but the experiments, their names, and the version of zstd.

    Args:
        has_log: False leaves logs out; such an experiment cannot be replayed, but run anew.
        progress: called with the bytes read and the bytes in all.
    Raises:
        NotFound, Damaged, TooNew: as reading does.
    """
    experiments = choose(archive, names)
    objects = needed(archive, experiments, has_log)
    there = [experiment.name for experiment in experiments]
    default = archive.explicit_default()
    writer = ExportWriter(stream, Facts(tuple(there), default if default in there else None))
    writer.add_objects(_read_all(archive, objects, progress))
    for experiment in experiments:
        _export_experiment(writer, experiment, has_log)
    writer.finish()
    stream.flush()
    return Exported(tuple(there), len(objects), writer.size_bytes)


def _read_all(archive: Archive, objects: dict[bytes, int], progress: Progress | None
              ) -> Iterator[files.Object]:
    done, total = 0, sum(objects.values())
    for digest, length in objects.items():
        yield digest, archive.store.read_object(digest)
        done += length
        if progress:
            progress(done, total)


def _export_experiment(writer: ExportWriter, experiment: Experiment, has_log: bool) -> None:
    manifest_json = experiment.manifest_json()
    facts = experiment.manifest.log
    if not has_log or facts is None or facts.content:
        writer.add_experiment(experiment.name, manifest_json if has_log else without_log(manifest_json), None)
        return
    with open(os.path.join(experiment.directory, LOG), "rb") as log:
        size = os.fstat(log.fileno()).st_size
        writer.add_experiment(experiment.name, manifest_json, log, size)


def import_from(stream: BinaryIO, archive: Archive, names: Iterable[str] = ()) -> list[Landed]:
    """Add the experiments of an export file, or those of these names, to an archive.

    An experiment that is already there is left alone; one whose name another
    experiment has gets the next free name.

    Raises:
        Damaged, TooNew: what was read before stays, as whole experiments; no other is added.
        NotFound: the file has no experiment of a name.
    """
    reader = ExportReader(stream)
    wanted = set(names)
    if missing := wanted - set(reader.facts.experiments):
        raise NotFound(f"no experiment {sorted(missing)[0]} in the export file",
                       "it holds " + ", ".join(reader.facts.experiments[:20]))
    was_empty = not archive.experiments()
    lock = FileLock(archive.lock_path)   # keeps gc away from objects that nobody needs yet
    try:
        landed = _Importer(archive, wanted).run(reader)
    finally:
        lock.release()
    for each in landed:
        if was_empty and each.source == reader.facts.default:
            archive.set_default(each.name)
    return landed


def check_file(stream: BinaryIO) -> tuple[list[Problem], int]:
    """Everything that is wrong with an export file, and how many experiments it holds.

    Needs as much room for temporary files as an archive of them takes.
    """
    with tempfile.TemporaryDirectory(prefix="rex-check-") as work:
        archive = Archive.create(os.path.join(work, "archive"))
        problems: list[Problem] = []
        try:
            import_from(stream, archive)
        except Damaged as error:
            problems.append(Problem("the file", str(error)))
        return problems + check(archive), len(archive.experiments())


class _Importer:
    """Takes the sections of an export file one by one."""

    def __init__(self, archive: Archive, wanted: set[str]) -> None:
        self._archive = archive
        self._wanted = wanted
        self._known = fingerprints(archive)
        self._packer: Packer | None = Packer(archive.store, LEVEL)
        self._landed: list[Landed] = []
        self._name: str | None = None
        self._manifest_json: bytes | None = None

    def run(self, reader: ExportReader) -> list[Landed]:
        """Take all of them."""
        names = iter(reader.facts.experiments)
        try:
            for kind, data in reader.sections():
                if kind == files.OBJECTS and self._packer and isinstance(data, bytes):
                    for _, piece in files.read_objects(data):
                        self._packer.add(piece)
                elif kind == files.NAME and isinstance(data, bytes):
                    self._land(None)
                    self._name = next(names, None)
                    if self._name is None or data != self._name.encode():
                        raise _unexpected(kind)
                elif kind == files.MANIFEST and self._name and isinstance(data, bytes):
                    self._manifest_json = codec.decompress(data, MAX_MANIFEST_BYTES)
                elif kind == files.LOG and self._manifest_json and not isinstance(data, bytes):
                    self._land(data)
                else:
                    raise _unexpected(kind)
            self._land(None)
            if self._name is not None or next(names, None) is not None:
                raise Damaged("the export file is damaged", "an experiment is missing")
        finally:
            if self._packer:
                self._packer.abandon()
        return self._landed

    def _land(self, log: Iterator[bytes] | None) -> None:
        """Add the experiment that was read, if there is one and it is wanted."""
        if self._packer:
            self._packer.flush()
            self._packer = None   # objects come before experiments
        name, manifest_json = self._name, self._manifest_json
        if name is None or manifest_json is None:
            return
        self._name = self._manifest_json = None
        if not self._wanted or name in self._wanted:
            self._landed.append(land(self._archive, self._known, name, manifest_json, log))


def _unexpected(kind: bytes) -> Damaged:
    return Damaged("the export file is damaged", f"an unexpected section {kind!r}")
