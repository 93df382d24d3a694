"""Verify an archive: every hash, and every reference from manifests to objects."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import BinaryIO, Callable

from rex import codec
from rex.archive.archive import Archive
from rex.archive.content import Content
from rex.archive.experiment import COMPLETE, INCOMPLETE, Experiment
from rex.archive.gc import leftovers
from rex.archive.locks import FileLock, remove_if_there
from rex.archive.packs import PackReader
from rex.archive.usage import reached
from rex.errors import Damaged, NotFound, RexError

_BLOCK_BYTES = 1 << 20
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        where: a pack, an experiment, or a path below the archive.
        what: what is wrong with it.
        is_harmless: no finished experiment suffers from it.
        is_repaired: it has been removed.
    """

    where: str
    what: str
    is_harmless: bool = False
    is_repaired: bool = False


def check(archive: Archive, repair: bool = False, progress: Progress | None = None
          ) -> list[Problem]:
    """Everything that is wrong with an archive; an empty list is a clean bill.

    Args:
        archive: needs to be writable only for repair.
        repair: remove temporary files without a writer, and packs of which no
            experiment needs anything; nothing else is ever touched.
        progress: called with the steps done and the steps in all.
    Raises:
        Locked: repair was asked for while somebody records.
    """
    lock = FileLock(archive.lock_path, exclusive=True, wait=False) if repair else None
    try:
        packs, experiments = archive.store.packs(), archive.experiments()
        problems = [Problem(f"packs/{name}", str(error))
                    for name, error in archive.store.damaged.items()]
        needed: set[bytes] | None = set()
        steps = len(packs) + len(experiments)
        for done, pack in enumerate(packs):
            problems += _check_pack(pack)
            if progress:
                progress(done + 1, steps)
        for done, experiment in enumerate(experiments, len(packs)):
            found, needs = _check_experiment(archive, experiment)
            problems += found
            needed = None if needs is None or needed is None else needed | needs
            if progress:
                progress(done + 1, steps)
        return problems + _check_orphans(archive, packs, needed, repair)
    finally:
        if lock:
            lock.release()


def _hash_stream(stream: BinaryIO) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    while block := codec.read_stream(stream, _BLOCK_BYTES):
        digest.update(block)
        size += len(block)
    return digest.hexdigest(), size


def _check_pack(pack: PackReader) -> list[Problem]:
    where = f"packs/{pack.name}"
    try:
        with open(pack.path, "rb") as file:
            if _hash_stream(file)[0] + ".pack" == pack.name:
                bad_whole = []
            else:
                bad_whole = [Problem(where, "its bytes do not have the hash in its name")]
    except OSError as error:
        return [Problem(where, f"cannot be read: {error.strerror}")]
    by_frame: dict[int, list[bytes]] = {}
    for digest, place in pack.places.items():
        by_frame.setdefault(place.frame, []).append(digest)
    problems = []
    for number, digests in by_frame.items():
        try:
            frame = pack.read_frame(number)
        except (Damaged, OSError) as error:
            problems.append(Problem(where, f"frame {number} of {len(digests)} objects: {error}"))
            continue
        for digest in digests:
            place = pack.places[digest]
            if codec.sha256(frame[place.offset:place.offset + place.length]) != digest:
                problems.append(Problem(where, f"object {digest.hex()} has another hash"))
    return bad_whole + problems


def _check_experiment(archive: Archive, experiment: Experiment
                      ) -> tuple[list[Problem], set[bytes] | None]:
    """Problems, and the objects that it needs; None if nobody can tell."""
    where = f"experiments/{experiment.name}"
    if experiment.state != COMPLETE:
        problems = [Problem(where, "incomplete: its recorder did not finish", is_harmless=True)
                    ] if experiment.state == INCOMPLETE else []
        try:
            return problems, reached(archive, experiment)
        except Damaged as error:
            return [*problems, Problem(where, str(error), is_harmless=True)], None
    try:
        manifest = experiment.manifest
    except (RexError, OSError) as error:
        return [Problem(where, str(error))], None
    problems = _check_log(experiment, where)
    broken = False
    for content in sorted(set(manifest.contents()), key=lambda c: c.sha256):
        if problem := _check_content(archive, content):
            problems.append(Problem(where, f"{_owner(experiment, content)}: {problem}"))
            broken = True
    return problems, None if broken else reached(archive, experiment)


def _owner(experiment: Experiment, content: Content) -> str:
    for path, entry in experiment.manifest.files.items():
        if content in entry.contents():
            return path
    return f"content {content.sha256[:16]}"


def _check_content(archive: Archive, content: Content) -> str:
    try:
        if content.depth == 0:
            # The object's own hash is verified with its pack.
            place = archive.store.place(content.root[0])
            if content.size and (place is None or place.length != content.size):
                return "its object is missing"
        else:
            for _ in archive.store.read_pieces(content):
                pass
    except Damaged as error:
        return str(error)
    return ""


def _check_log(experiment: Experiment, where: str) -> list[Problem]:
    facts = experiment.manifest.log
    if facts is None:
        return []
    try:
        with experiment.open_log() as stream:
            sha256, size = _hash_stream(stream)
    except (Damaged, NotFound, OSError) as error:
        return [Problem(where, f"its log: {error}")]
    if (sha256, size) != (facts.sha256, facts.size):
        return [Problem(where, "its log does not have the hash in the manifest")]
    return []


def _check_orphans(archive: Archive, packs: list[PackReader], needed: set[bytes] | None,
                   repair: bool) -> list[Problem]:
    found = [(path, "a temporary file without a writer") for path in leftovers(archive)]
    if repair and needed is not None:
        # Without the lock a recorder may be about to need these packs.
        found += [(pack.path, "no experiment needs anything of this pack") for pack in packs
                  if not needed & pack.places.keys()]
    problems = []
    for path, what in found:
        if repair:
            remove_if_there(path)
        problems.append(Problem(os.path.relpath(path, archive.path), what, True, repair))
    return problems
