"""Add experiments that were recorded elsewhere, and check all that they bring."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Iterable

from rex.archive import logs, manifest as manifests
from rex.archive.archive import Archive
from rex.archive.experiment import COMPLETE
from rex.archive.manifest import Manifest
from rex.archive.store import Store
from rex.errors import Damaged, RexError


@dataclass(frozen=True, slots=True)
class Landed:
    """An experiment that came.

    Attributes:
        source: its name where it comes from.
        name: its name here.
        is_new: whether it was not here yet.
    """

    source: str
    name: str
    is_new: bool


def fingerprint(manifest_json: bytes) -> str:
    """What tells an experiment from all others: the hash of its manifest's text."""
    return hashlib.sha256(manifest_json).hexdigest()


def fingerprints(archive: Archive) -> dict[str, str]:
    """The names of complete experiments by fingerprint; damaged ones are left out."""
    found = {}
    for experiment in reversed(archive.experiments()):
        try:
            if experiment.state == COMPLETE:
                found[fingerprint(experiment.manifest_json())] = experiment.name
        except RexError:
            continue
    return found


def begun_facts(manifest: Manifest) -> dict[str, Any]:
    """The facts of begun.json, from the manifest."""
    return {"command": list(manifest.command), "cwd": manifest.cwd, "user": manifest.user,
            "host": manifest.host, "start_ns": manifest.start_ns}


def without_log(manifest_json: bytes) -> bytes:
    """The manifest of the same experiment without its log."""
    facts = json.loads(manifest_json)
    facts.pop("log", None)
    return json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()


def verify_references(store: Store, manifest: Manifest) -> None:
    """Make sure that a store holds every object of an experiment.

    Raises:
        Damaged: one is missing, or its size is another.
    """
    for content in set(manifest.contents()):
        for digest, length in store.needs(content):
            place = store.place(digest)
            if place is None or place.length != length:
                raise Damaged(f"object {digest.hex()[:16]} is missing", "an experiment needs it",
                              "get the experiment again")


def land(archive: Archive, known: dict[str, str], source: str, manifest_json: bytes,
         log: Iterable[bytes] | None) -> Landed:
    """Add an experiment whose objects are all in the archive, unless it is there already.

    Args:
        known: `fingerprints` of the archive; the new one is added.
        source: its name where it comes from; another one is taken if this one is in use.
        log: the log's compressed bytes.
    Raises:
        Damaged, TooNew: what came does not hold together; nothing but objects was added.
    """
    mark = fingerprint(manifest_json)
    if mark in known:
        return Landed(source, known[mark], False)
    manifest = manifests.decode(manifest_json, archive.store.read)
    verify_references(archive.store, manifest)
    if manifest.log and manifest.log.content and manifest.log.is_apart:
        with logs.open_content(manifest.log.content, manifest.log, archive.store) as stream:
            logs.verify(stream, manifest.log)
    in_file = manifest.log if manifest.log and not manifest.log.content else None
    if in_file and log is None:
        raise Damaged(f"experiment {source} is damaged", "its log is missing", "get it again")
    taken = {experiment.name for experiment in archive.experiments()}
    recording = archive.begin(None if source in taken else source, begun_facts(manifest))
    try:
        with recording:
            if in_file and log is not None:
                recording.take_log(log, in_file)
            recording.finish_as(manifest_json)
    except BaseException:
        archive.remove(recording.name)   # what did not come whole was never here
        raise
    known[mark] = recording.name
    return Landed(source, recording.name, True)
