"""Verify an archive: every hash, and every reference from manifests to objects."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import stat
from dataclasses import dataclass
from typing import BinaryIO, Callable

from rex import codec
from rex.archive import logs
from rex.archive.archive import Archive
from rex.archive.rulesfile import read_rules
from rex.archive.topfiles import DEFAULT, EXPERIMENTS, FIRST_FILE, LOCK, PACKS, RULES
from rex.archive.content import Content
from rex.archive.experiment import BEGUN, COMPLETE, IDENTITY, INCOMPLETE, NAMES, Experiment
from rex.archive.gc import leftovers
from rex.archive.locks import FileLock, remove_if_there
from rex.archive.packs import HEADER, PackReader
from rex.archive.usage import needed_contents, reached
from rex.errors import Damaged, RexError

_BLOCK_BYTES = 1 << 20
_PACK_NAME = re.compile(r"[0-9a-f]{64}\.pack")
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
    look = _Check(archive, progress)
    if not repair:
        with archive.held():
            look.run()
        return look.problems + look.waste(False)
    lock = FileLock(archive.lock_path, exclusive=True, wait=False)
    try:
        look.run()
        return look.problems + look.waste(True)
    finally:
        lock.release()


class _Check:
    """One look at all of an archive, in which others may record and from which they may remove meanwhile."""

    def __init__(self, archive: Archive, progress: Progress | None) -> None:
        self._archive = archive
        self._progress = progress
        self.problems: list[Problem] = []
        self._whole: set[Content] = set()      # contents that were verified
        self._packs: list[PackReader] = []
        self._needed: set[bytes] | None = set()  # objects; None if nobody can tell

    def run(self) -> None:
        """Find everything that is wrong."""
        archive = self._archive
        try:
            experiments, packs = archive.experiments(), archive.store.packs()
        except Damaged as error:
            self._add("the archive", str(error))
            self._needed = None
            return
        self._packs = packs
        if packs and not archive.folder.has(EXPERIMENTS):
            self._add(EXPERIMENTS, "it is missing")
        self.problems += [Problem(f"packs/{name}", str(error)) for name, error in archive.store.damaged.items()]
        self._look_at_names()
        steps = [functools.partial(self._look_at_pack, pack) for pack in packs]
        steps += [functools.partial(self._look_at_experiment, experiment) for experiment in experiments]
        for done, step in enumerate(steps):
            step()
            if self._progress:
                self._progress(done + 1, len(steps))

    def _add(self, where: str, what: str, is_harmless: bool = False) -> None:
        self.problems.append(Problem(where, what, is_harmless))

    def _look_at_names(self) -> None:
        """The archive's own small files, and what Rex did not write."""
        archive = self._archive
        try:
            archive.explicit_default()
        except (Damaged, OSError) as error:
            self._add(DEFAULT, str(error))
        try:
            read_rules(archive)
        except (Damaged, OSError) as error:
            self._add(RULES, str(error))
        folders = {"": (archive.folder, {FIRST_FILE, EXPERIMENTS, PACKS, DEFAULT, LOCK, RULES}), PACKS: (archive.store.folder, None)}
        for where, (folder, known) in folders.items():
            for name in sorted(folder.names_if_there()):
                path = os.path.join(where, name)
                if not (name in known if known else _PACK_NAME.fullmatch(name)) and not name.startswith(".tmp-"):
                    self._add(path, "Rex did not write it, and does not read it", True)
        if archive.folder.has(LOCK) and not stat.S_ISREG(archive.folder.info(LOCK).st_mode):
            self._add(LOCK, "it is no plain file")

    def _look_at_pack(self, pack: PackReader) -> None:
        try:
            self.problems += _check_pack(pack)
        except FileNotFoundError:     # another process has removed it, after it made new ones of what is needed
            pass
        except (Damaged, OSError) as error:
            self._add(f"packs/{pack.name}", f"it cannot be read: {error}")

    def _look_at_experiment(self, experiment: Experiment) -> None:
        before = len(self.problems)
        needs = self._find_problems(experiment, f"experiments/{experiment.name}")
        if not experiment.is_there:   # another process has removed it
            del self.problems[before:]
        elif needs is None or self._needed is None:
            self._needed = None
        else:
            self._needed |= needs

    def _find_problems(self, experiment: Experiment, where: str) -> set[bytes] | None:
        """Report what is wrong with an experiment; the objects that it needs, None if nobody can tell."""
        try:
            state = experiment.state
            for name in sorted(set(experiment.folder.names()) - set(NAMES)):
                if not name.startswith(".tmp-"):
                    self._add(f"{where}/{name}", "Rex did not write it, and does not read it", True)
            if not experiment.begun and state == COMPLETE:
                self._add(where, f"its {BEGUN} is missing")
            if experiment.has_lost_identity:
                raise Damaged(f"its {IDENTITY} is missing")
            if state == INCOMPLETE:
                self._add(where, "incomplete: its recorder did not finish", True)
            contents = needed_contents(experiment)
            log = experiment.manifest.log if state == COMPLETE else None
        except (RexError, OSError) as error:
            self._add(where, str(error))
            return None
        is_broken = False
        for content in sorted(set(contents) - self._whole, key=lambda c: c.sha256):
            if problem := _check_content(self._archive, content):
                self._add(where, f"{_owner(experiment, content)}: {problem}", state != COMPLETE)
                is_broken = True
            else:
                self._whole.add(content)
        if log and not is_broken:
            try:
                logs.verify(log, self._archive.store)
            except (RexError, OSError) as error:
                self._add(where, f"its log: {error}")
        return None if is_broken else reached(self._archive, experiment)

    def waste(self, repair: bool) -> list[Problem]:
        """What crashes left; with repair, for somebody who holds the archive alone, also packs that nobody needs, and all of it is removed."""
        try:
            found = [(path, "a temporary file without a writer") for path in leftovers(self._archive)]
        except Damaged:
            found = []
        if not repair:   # while others use the archive, a file may be about to be locked by its writer
            return [self._waste(path, what) for path, what in found if _is_idle(self._archive) and os.path.lexists(path)]
        if self._needed is not None and _is_certain(self._archive):
            # Without the lock a recorder may be about to need these packs.
            found += [(pack.path, "no experiment needs anything of this pack") for pack in self._packs
                      if not self._needed & pack.places.keys()]
        for path, _ in found:
            remove_if_there(path)
        return [self._waste(path, what, True) for path, what in found]

    def _waste(self, path: str, what: str, is_removed: bool = False) -> Problem:
        return Problem(os.path.relpath(path, self._archive.path), what, True, is_removed)


def _is_idle(archive: Archive) -> bool:
    """Whether nobody uses the archive."""
    try:
        FileLock(archive.lock_path, exclusive=True, wait=False, is_made=False).release()
    except FileNotFoundError:
        return True
    except (OSError, RexError):
        return False
    return True


def _is_certain(archive: Archive) -> bool:
    """Whether it is certain which experiments there are."""
    try:
        archive.certain_experiments()
    except (Damaged, OSError):
        return False
    return True


def _hash_stream(stream: BinaryIO) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    while block := codec.read_stream(stream, _BLOCK_BYTES):
        digest.update(block)
        size += len(block)
    return digest.hexdigest(), size


def _check_pack(pack: PackReader) -> list[Problem]:
    where = f"packs/{pack.name}"
    with pack.open() as file:
        if pack.is_light:     # the objects' own hashes cover its frames
            digest = hashlib.sha256(file.read(HEADER.size))
            file.seek(pack.index_offset)
            digest.update(file.read())
            whole = digest.hexdigest()
        else:
            whole = _hash_stream(file)[0]
    bad_whole = [] if whole + ".pack" == pack.name else [Problem(where, "its bytes do not have the hash in its name")]
    by_frame: dict[int, list[bytes]] = {}
    for digest, place in pack.places.items():
        by_frame.setdefault(place.frame, []).append(digest)
    problems = []
    for number, digests in by_frame.items():
        try:
            frame = pack.read_frame(number)
        except Damaged as error:
            problems.append(Problem(where, f"frame {number} of {len(digests)} objects: {error}"))
            continue
        for digest in digests:
            place = pack.places[digest]
            if codec.sha256(frame[place.offset:place.offset + place.length]) != digest:
                problems.append(Problem(where, f"object {digest.hex()} has another hash"))
    return bad_whole + problems


def _owner(experiment: Experiment, content: Content) -> str:
    if experiment.state == COMPLETE:
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
    except (RexError, OSError) as error:
        return str(error)
    return ""
