"""Write experiments to an export file, and add those of one to an archive."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, Callable, Iterable, Iterator

from rex import codec
from rex.archive import exportfile as files
from rex.archive.archive import Archive
from rex.archive.check import Problem, check
from rex.archive.content import Content, encode_list
from rex.archive.experiment import COMPLETE, Experiment
from rex.archive.exportfile import ExportReader, ExportWriter, Facts
from rex.archive.import_checks import Landed, identities, land, take_settings, without_log
from rex.archive.locks import FileLock
from rex.archive.manifest import Manifest
from rex.archive.packer import LEVEL, Packer
from rex.archive.rulesfile import read_rules
from rex.archive.sealed import unseal_content
from rex.errors import Damaged, NotFound, RexError
from rex.values import replace

_PIECE_BYTES = 1 << 20
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
    found = [archive.experiment(name) for name in sorted(set(names))]
    for experiment in found:
        if experiment.state != COMPLETE:
            raise NotFound(f"experiment {experiment.name} is not complete", "its recording did not finish",
                           "record it again")
    wanted = {experiment.name for experiment in found}
    found = [e for e in archive.experiments() if (e.name in wanted or not wanted) and _is_readable(e, bool(wanted))]
    if not found:
        raise NotFound(f"no finished experiment in {archive.path}")
    return found


def _is_readable(experiment: Experiment, is_named: bool) -> bool:
    """Whether an experiment is complete; its manifest is read, so that its folder is not needed any more.

    Raises:
        NotFound, Damaged, TooNew: it cannot be read, and is not merely one that another process has just removed.
    """
    try:
        return experiment.state == COMPLETE and bool(experiment.root and experiment.manifest)
    except RexError:
        if is_named or experiment.is_there:
            raise
        return False


def needed(archive: Archive, experiments: Iterable[Experiment]) -> dict[bytes, int]:
    """The sizes of all objects that experiments need, by hash, in the order of first need.

    Raises:
        Damaged: a manifest or a list of objects cannot be read.
    """
    contents = [content for e in experiments for content in [e.root, *contents_of(e.manifest)]]
    return objects_of(archive, contents)


def contents_of(manifest: Manifest) -> list[Content]:
    """The contents of an experiment in the order in which an export file has them."""
    found = [*manifest.tables(), *[manifest.attachments[name] for name in sorted(manifest.attachments)]]
    found += [c for path in sorted(manifest.files) for c in manifest.files[path].contents()]
    return found + (manifest.log.contents() if manifest.log else [])


def objects_of(archive: Archive, contents: Iterable[Content]) -> dict[bytes, int]:
    """The sizes of all objects of these contents, by hash, in the order of first need; raises as `needed`."""
    found: dict[bytes, int] = {}
    for content in dict.fromkeys(contents):
        for digest, length in archive.store.needs(content):
            found.setdefault(digest, length)
    return found


def export(archive: Archive, stream: BinaryIO, names: Iterable[str] = (), has_log: bool = True,
           progress: Progress | None = None) -> Exported:
    """Write experiments, all complete ones by default, to a stream.

    The bytes depend on nothing but the experiments, their names, and the version of zstd. Other
    processes may record and remove meanwhile.

    Args:
        has_log: False leaves logs out; such an experiment cannot be replayed, but run again.
        progress: called with the bytes read and the bytes in all.
    Raises:
        NotFound, Damaged, TooNew: as reading does.
    """
    with archive.held():
        experiments = choose(archive, names)
        roots, contents, made = [], [], {}
        for experiment in experiments:
            if has_log:
                roots.append(experiment.root)
                contents += [roots[-1], *contents_of(experiment.manifest)]
            else:
                root, objects = whole_content(without_log(experiment.manifest_json()))
                roots.append(root)
                made.update(objects)
                contents += contents_of(replace(experiment.manifest, log=None))
        objects = objects_of(archive, contents)
        there = [experiment.name for experiment in experiments]
        default = archive.explicit_default()
        writer = ExportWriter(stream, Facts(tuple(there), default if default in there else None, read_rules(archive)))
        writer.add_objects(chain(made.items(), _read_all(archive, objects, progress)))
        for experiment, root in zip(experiments, roots):
            writer.add_experiment(experiment.name, root, experiment.about_line())
        writer.finish()
        stream.flush()
    return Exported(tuple(there), len(made) + len(objects), writer.size_bytes)


def whole_content(data: bytes) -> tuple[Content, dict[bytes, bytes]]:
    """A content that no archive has, and its objects."""
    pieces = [data[at:at + _PIECE_BYTES] for at in range(0, len(data), _PIECE_BYTES)]
    objects = {codec.sha256(piece): piece for piece in pieces}
    sha256 = codec.sha256(data)
    if len(pieces) == 1:
        return Content(sha256.hex(), len(data)), objects
    names = encode_list([(codec.sha256(piece), len(piece)) for piece in pieces])
    objects[codec.sha256(names)] = names
    return Content(sha256.hex(), len(data), 1, codec.sha256(names).hex()), objects


def _read_all(archive: Archive, objects: dict[bytes, int], progress: Progress | None
              ) -> Iterator[files.Object]:
    done, total = 0, sum(objects.values())
    for digest, length in objects.items():
        yield digest, archive.store.read_object(digest)
        done += length
        if progress:
            progress(done, total)


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
    if was_empty:
        take_settings(archive, landed, reader.facts.default, reader.facts.rules)
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
        self._known = identities(archive)
        self._packer: Packer | None = Packer(archive.store, LEVEL)

    def run(self, reader: ExportReader) -> list[Landed]:
        """Take all of them."""
        names, name, about_line = iter(reader.facts.experiments), None, b""
        landed = []
        try:
            for kind, data in reader.sections():
                if kind == files.OBJECTS and self._packer:
                    for _, piece in files.read_objects(data):
                        self._packer.add(piece)
                elif kind == files.NAME and name is None:
                    name = next(names, None)
                    if name is None or data != name.encode():
                        raise _unexpected(kind)
                elif kind == files.INFO and name and not about_line:
                    about_line = data
                elif kind == files.ROOT and name:
                    landed += self._land(name, unseal_content(data, "the export file"), about_line)
                    name, about_line = None, b""
                else:
                    raise _unexpected(kind)
            if name is not None or next(names, None) is not None:
                raise Damaged("the export file is damaged", "an experiment is missing")
        finally:
            if self._packer:
                self._packer.abandon()
        return landed

    def _land(self, name: str, root: Content, about_line: bytes) -> list[Landed]:
        """Add the experiment that was read, if it is wanted."""
        if self._packer:
            self._packer.flush()
            self._packer = None   # objects come before experiments
        if self._wanted and name not in self._wanted:
            return []
        return [land(self._archive, self._known, name, root, about_line)]


def _unexpected(kind: bytes) -> Damaged:
    return Damaged("the export file is damaged", f"an unexpected section {kind!r}")
