"""What experiments weigh: logically, stored, and stored for them alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rex.archive.archive import Archive
from rex.archive.content import Content
from rex.archive.experiment import COMPLETE, Experiment
from rex.errors import Damaged, RexError


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes of one experiment.

    Attributes:
        logical: sum of the sizes of all its files and attachments.
        stored: what its objects take in the packs, compressed, plus its own folder.
        unique: the part of `stored` that goes when it is removed and gc ran.
    """

    logical: int
    stored: int
    unique: int


def reached(archive: Archive, experiment: Experiment) -> set[bytes]:
    """Hashes of all objects that an experiment needs; of an unfinished one what it is known to need.

    Raises:
        Damaged: its manifest or a list of objects cannot be read.
    """
    found: set[bytes] = set()
    is_complete = experiment.state == COMPLETE
    for content in set(needed_contents(experiment)):
        try:
            found |= archive.store.reach(content)
        except Damaged:
            if is_complete:
                raise   # of an unfinished one a failure of the power may have taken some, and the others stay
    return found


def needed_contents(experiment: Experiment) -> list[Content]:
    """The contents that an experiment needs, the manifest first; raises Damaged as `reached`."""
    if experiment.state != COMPLETE:
        return experiment.kept()
    return [experiment.root, *experiment.manifest.contents()]


def usage(archive: Archive) -> dict[str, Usage]:
    """The usage of every complete experiment, by name.

    An object's share of its compressed frame counts as its stored size.

    Raises:
        Damaged: as `reached`.
    """
    needed = {}
    for experiment in archive.experiments():
        try:
            if experiment.state == COMPLETE:
                needed[experiment.name] = experiment, reached(archive, experiment), experiment.folder_bytes()
        except (RexError, FileNotFoundError):
            if experiment.is_there:   # otherwise another process has removed it
                raise
    users = Counter(digest for _, digests, _ in needed.values() for digest in digests)
    cost: dict[bytes, float] = {}
    for pack in archive.store.packs():
        for digest, place in pack.places.items():
            _, stored, raw = pack.frames[place.frame]
            cost[digest] = place.length * stored / raw if raw else 0.0
    return {name: _sum(experiment, digests, own, users, cost)
            for name, (experiment, digests, own) in needed.items()}


def _sum(experiment: Experiment, digests: set[bytes], own: int, users: Counter[bytes],
         cost: dict[bytes, float]) -> Usage:
    """own: bytes of the experiment's folder."""
    manifest = experiment.manifest
    logical = sum(c.size for c in [*manifest.attachments.values(), *[c for e in manifest.files.values() for c in e.contents()]])
    stored = sum(cost.get(digest, 0.0) for digest in digests)
    unique = sum(cost.get(digest, 0.0) for digest in digests if users[digest] == 1)
    return Usage(logical, own + round(stored), own + round(unique))
