"""Give back the space of objects that no experiment needs."""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from typing import Callable, Iterator

from rex.archive.archive import Archive
from rex.archive.content import Entry
from rex.archive.experiment import DAMAGED, INCOMPLETE, RECORDING
from rex.archive.folder import Folder
from rex.archive.locks import FileLock, is_locked, remove_if_there, sync_directory
from rex.archive.packs import PackReader
from rex.archive.packer import DENSE_FRAME_BYTES, DENSE_LEVEL, INCOMPRESSIBLE, Packer
from rex.archive.pipeline import Pipeline
from rex.archive.usage import reached
from rex.codec import sha256
from rex.errors import Damaged

# A pack is rewritten when more than this part of its bytes is not needed.
_WASTE = 1 / 8

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Collected:
    """What `collect` did, and what it left.

    Attributes:
        left_objects, left_bytes: what no experiment needs, in packs of which most is needed; bytes are not compressed.
        unfinished: names of experiments that a crash left; `rm` removes them.
        other_files: what lies among the packs and is not Rex's.
    """

    freed_bytes: int
    removed_objects: int
    removed_packs: int
    rewritten_packs: int
    left_objects: int = 0
    left_bytes: int = 0
    unfinished: tuple[str, ...] = ()
    other_files: tuple[str, ...] = ()


def collect(archive: Archive, waste: float = _WASTE, recompress: bool = False,
            progress: Progress | None = None, may_be_none: bool = False) -> Collected:
    """Remove objects that no experiment needs, and what crashes left behind.

    New packs are durable before old ones go: a crash at any instant loses nothing.

    Args:
        archive: readers may be at work in it, recorders not.
        waste: rewrite packs of whose raw bytes more than this part is not needed.
        recompress: rewrite all packs but those that are as small as can be; frames that do not compress are copied.
        progress: called with the bytes rewritten and the bytes in all.
        may_be_none: go on where no experiment is left.
    Raises:
        Locked: somebody uses the archive.
        Damaged: nobody can tell what is needed; nothing is removed.
    """
    lock = FileLock(archive.lock_path, exclusive=True, wait=False)
    try:
        os.makedirs(archive.store.directory, exist_ok=True)
        return collect_alone(archive, waste, recompress, progress, may_be_none=may_be_none)
    finally:
        lock.release()


def collect_alone(archive: Archive, waste: float = _WASTE, recompress: bool = False,
                  progress: Progress | None = None, has_threads: bool = True, may_be_none: bool = False) -> Collected:
    """As `collect`, for somebody who holds the archive's lock alone; no thread can be started while the interpreter ends."""
    before = archive.store.folder.size_bytes()
    live: set[bytes] = set()
    experiments = archive.certain_experiments(may_be_none)
    for name in (each.name for each in experiments if each.has_lost_identity):
        raise Damaged(f"the identity of {name} is missing", "nobody can tell what it needs", f"put it back; or give it up: rex rm {archive.path}:{name}")
    for experiment in experiments:
        live |= reached(archive, experiment)
    replace, removed = _choose_packs(archive.store.packs(), live, waste, recompress)
    sealed = _rewrite(archive, replace, recompress, progress, has_threads)
    gone = [pack for pack, _ in replace if pack.name not in sealed]   # the same bytes have the same name
    for pack in gone:
        remove_if_there(pack.path)
    sync_directory(archive.store.directory)
    for path in leftovers(archive):
        remove_if_there(path)
    archive.store.refresh()
    left = _not_needed(archive.store.packs(), live)
    others = [name for name in archive.store.pack_names() if not name.endswith(".pack")]
    return Collected(before - archive.store.folder.size_bytes(), removed, len(gone), sum(bool(needed) for _, needed in replace),
                     len(left), sum(left.values()), tuple(each.name for each in experiments if each.state == INCOMPLETE),
                     tuple(others))


def _not_needed(packs: list[PackReader], live: set[bytes]) -> dict[bytes, int]:
    """The objects of packs that no experiment needs, with their sizes."""
    return {digest: place.length for pack in packs for digest, place in pack.places.items() if digest not in live}


def _choose_packs(packs: list[PackReader], live: set[bytes], waste: float, recompress: bool
                  ) -> tuple[list[tuple[PackReader, list[bytes]]], int]:
    """The packs to replace, each with what is needed of it, and how many objects go."""
    kept: set[bytes] = set()
    replace: list[tuple[PackReader, list[bytes]]] = []
    removed = 0
    # Large packs first: copies of an object stay where most of its company is.
    for pack in sorted(packs, key=lambda p: -p.size_bytes):
        needed = (live & pack.places.keys()) - kept
        kept |= needed
        total = sum(place.length for place in pack.places.values())
        used = sum(pack.places[digest].length for digest in needed)
        if needed and total - used <= waste * total and (_is_dense(pack) or not recompress):
            continue
        removed += len(pack.places) - len(needed)
        replace.append((pack, sorted(needed, key=lambda digest: pack.places[digest].order)))
    return replace, removed


def _is_dense(pack: PackReader) -> bool:
    """Whether a pack is as small as can be: it has frames that no recorder writes, or nothing in it compresses."""
    return max((size for _, _, size in pack.frames), default=0) >= DENSE_FRAME_BYTES // 2 or \
        all(_is_incompressible(pack, number) for number in range(len(pack.frames)))


def _is_incompressible(pack: PackReader, number: int) -> bool:
    _, stored, size = pack.frames[number]
    return stored >= INCOMPRESSIBLE * size and not pack.is_light     # in a light one nobody tried


def _rewrite(archive: Archive, packs: list[tuple[PackReader, list[bytes]]], recompress: bool,
             progress: Progress | None, has_threads: bool) -> set[str]:
    """Put objects into new packs; the names of these."""
    is_dense = recompress or any(_is_dense(pack) for pack, _ in packs)
    packer = (Packer(archive.store, DENSE_LEVEL, True, DENSE_FRAME_BYTES) if is_dense else
              Packer(archive.store, is_fresh=True))
    total = sum(pack.places[digest].length for pack, needed in packs for digest in needed)
    done = 0
    try:
        with packer.helpers() if has_threads else contextlib.nullcontext() as helpers:
            for size in _copies(archive, packer, packs, recompress, helpers):
                done += size
                if progress:
                    progress(done, total)
        packer.flush()
    except BaseException:
        packer.abandon()
        raise
    return packer.sealed


def _copies(archive: Archive, packer: Packer, packs: list[tuple[PackReader, list[bytes]]], recompress: bool,
            helpers: Pipeline | None) -> Iterator[int]:
    """Copy all that is needed, in order: neighbours compress well together. Yields how many bytes each step copied."""
    for pack, needed in packs:
        whole = {number: objects for number, objects in _whole_frames(pack, needed).items()
                 if not recompress or _is_incompressible(pack, number)}
        for number, objects in whole.items():
            yield _copy_frame(pack, number, objects, archive, packer)
        for digest in needed:
            if pack.places[digest].frame not in whole:
                data = archive.store.read_object(digest)
                packer.add(data, helpers=helpers)
                yield len(data)


def _whole_frames(pack: PackReader, needed: list[bytes]) -> dict[int, list[Entry]]:
    """The frames of which all is needed, with the objects that they hold, in order."""
    found: dict[int, list[Entry]] = {}
    ends: dict[int, int] = {}
    for digest in needed:      # they are in order
        place = pack.places[digest]
        if place.offset == ends.get(place.frame, 0):
            found.setdefault(place.frame, []).append((digest, place.length))
            ends[place.frame] = place.offset + place.length
    return {number: objects for number, objects in found.items() if ends[number] == pack.frames[number][2]}


def _copy_frame(pack: PackReader, number: int, objects: list[Entry], archive: Archive, packer: Packer) -> int:
    """Take a frame over as it is stored; if it is damaged, whatever else the archive has of each object."""
    if not (_is_sound(pack, number, objects) and packer.add_frames([(pack.read_stored(number), objects)])):
        for digest, _ in objects:
            packer.add(archive.store.read_object(digest))
    return sum(length for _, length in objects)


def _is_sound(pack: PackReader, number: int, objects: list[Entry]) -> bool:
    try:
        data, at = memoryview(pack.read_frame(number)), 0
    except (Damaged, FileNotFoundError):
        return False
    for digest, length in objects:
        if sha256(data[at:at + length]) != digest:
            return False
        at += length
    return True


def leftovers(archive: Archive) -> list[str]:
    """Temporary files whose writer is gone.

    Only names that Rex gives and places where it writes them count.
    """
    experiments = [e.folder for e in archive.experiments() if e.state not in (RECORDING, DAMAGED)]
    return [os.path.join(folder.path, name) for folder in [archive.store.folder, *experiments]
            for name in folder.names_if_there() if name.startswith(".tmp-") and _is_left(folder, name)]


def _is_left(folder: Folder, name: str) -> bool:
    try:
        return stat.S_ISREG(folder.info(name).st_mode) and not is_locked(os.path.join(folder.path, name))
    except FileNotFoundError:
        return False
