"""Give back the space of objects that no experiment needs."""

from __future__ import annotations

import os
from dataclasses import dataclass

from rex.archive.archive import Archive
from rex.archive.experiment import COMPLETE, Experiment
from rex.archive.locks import FileLock, is_locked, remove_if_there, sync_directory
from rex.archive.packs import PackReader
from rex.archive.store import LEVEL, Packer
from rex.archive.usage import reached
from rex.errors import Damaged

# A pack is rewritten when more than this part of its bytes is not needed.
_WASTE = 1 / 8


@dataclass(frozen=True, slots=True)
class Collected:
    """What `collect` did."""

    freed_bytes: int
    removed_objects: int
    removed_packs: int
    rewritten_packs: int


def collect(archive: Archive, waste: float = _WASTE, level: int = LEVEL) -> Collected:
    """Remove objects that no experiment needs, and what crashes left behind.

    New packs are durable before old ones go: a crash at any instant loses nothing.

    Args:
        archive: readers may be at work in it, recorders not.
        waste: rewrite packs of whose raw bytes more than this part is not needed.
        level: zstd level of rewritten packs.
    Raises:
        Locked: somebody records into the archive.
        Damaged: a manifest cannot be read, so that nobody knows what is needed.
    """
    lock = FileLock(archive.lock_path, exclusive=True, wait=False)
    try:
        os.makedirs(archive.store.directory, exist_ok=True)
        return collect_alone(archive, waste, level)
    finally:
        lock.release()


def collect_alone(archive: Archive, waste: float = _WASTE, level: int = LEVEL) -> Collected:
    """As `collect`, for somebody who holds the archive's lock alone."""
    before = _pack_bytes(archive)
    live: set[bytes] = set()
    for experiment in archive.experiments():
        live |= _needed(archive, experiment)
    done = _collect_packs(archive, live, waste, level)
    for path in leftovers(archive):
        remove_if_there(path)
    archive.store.refresh()
    return Collected(before - _pack_bytes(archive), *done)


def _needed(archive: Archive, experiment: Experiment) -> set[bytes]:
    try:
        return reached(archive, experiment)
    except Damaged:
        if experiment.state == COMPLETE:
            raise
        return set()   # an unfinished one must not stand in the way


def _pack_bytes(archive: Archive) -> int:
    return sum(entry.stat().st_size for entry in os.scandir(archive.store.directory))


def _collect_packs(archive: Archive, live: set[bytes], waste: float,
                   level: int) -> tuple[int, int, int]:
    packer = Packer(archive.store, level, is_fresh=True)
    kept: set[bytes] = set()
    gone: list[PackReader] = []
    removed_objects = rewritten = 0
    try:
        # Large packs first: copies of an object stay where most of its company is.
        for pack in sorted(archive.store.packs(), key=lambda p: -p.size_bytes):
            needed = (live & pack.places.keys()) - kept
            kept |= needed
            total = sum(place.length for place in pack.places.values())
            used = sum(pack.places[digest].length for digest in needed)
            if total - used <= waste * total and needed:
                continue
            gone.append(pack)
            removed_objects += len(pack.places) - len(needed)
            rewritten += bool(needed)
            for digest in sorted(needed, key=pack.places.__getitem__):
                packer.add(archive.store.read_object(digest))
        packer.flush()
    except BaseException:
        packer.abandon()
        raise
    for pack in gone:
        if pack.name not in packer.sealed:   # the same bytes have the same name
            remove_if_there(pack.path)
    sync_directory(archive.store.directory)
    return removed_objects, len(gone), rewritten


def leftovers(archive: Archive) -> list[str]:
    """Temporary files whose writer is gone.

    Only names that Rex gives and places where it writes them count.
    """
    experiments = [e.directory for e in archive.experiments() if e.state != "recording"]
    return [entry.path for directory in [archive.store.directory, *experiments]
            if os.path.isdir(directory) for entry in os.scandir(directory)
            if entry.name.startswith(".tmp-") and not is_locked(entry.path)]
