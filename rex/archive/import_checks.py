"""Add experiments that were recorded elsewhere, and check all that they bring."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Iterable

from rex.archive import amendments, logs, manifest as manifests
from rex.archive.amendments import ABOUT
from rex.archive.archive import Archive
from rex.archive.content import Content
from rex.archive.experiment import COMPLETE, MAX_MANIFEST_BYTES
from rex.archive.manifest import Manifest
from rex.archive.rulesfile import read_rules, write_rules
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


def identities(archive: Archive) -> dict[str, str]:
    """The names of complete experiments by identity; damaged ones are left out."""
    found = {}
    for experiment in reversed(archive.experiments()):
        try:
            if experiment.state == COMPLETE:
                found[experiment.identity] = experiment.name
        except RexError:
            continue
    return found


def begun_facts(manifest: Manifest) -> dict[str, Any]:
    """The facts of `begun`, from the manifest."""
    return {"command": list(manifest.command), "cwd": manifest.cwd, "user": manifest.user,
            "host": manifest.host, "start_ns": manifest.start_ns}


def without_log(manifest_json: bytes) -> bytes:
    """The manifest of the same experiment without its log."""
    facts = json.loads(manifest_json)
    facts.pop("log", None)
    return json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()


def verify_references(store: Store, contents: Iterable[Content]) -> None:
    """Make sure that a store holds every object of these contents.

    Raises:
        Damaged: one is missing, or its size is another.
    """
    for content in set(contents):
        for digest, length in store.needs(content):
            place = store.place(digest)
            if place is None or place.length != length:
                raise Damaged(f"object {digest.hex()[:16]} is missing", "an experiment needs it",
                              "get the experiment again")


def land(archive: Archive, known: dict[str, str], source: str, root: Content, about_line: bytes = b"") -> Landed:
    """Add an experiment whose objects are all in the archive, unless it is there already.

    Args:
        known: `identities` of the archive; the new one is added.
        source: its name where it comes from; another one is taken if this one is in use.
        root: its manifest.
        about_line: what people changed of it since the recording; empty for nothing.
    Raises:
        Damaged, TooNew: what came does not hold together; nothing but objects was added.
    """
    if root.sha256 in known:
        return Landed(source, known[root.sha256], False)
    manifest = manifests.decode(archive.store.read(root, MAX_MANIFEST_BYTES), archive.store.read)
    if about_line:
        amendments.decode(about_line, f"{ABOUT} of {source}")
    verify_references(archive.store, [root, *manifest.contents()])
    if manifest.log:
        logs.verify(manifest.log, archive.store)
    taken = {experiment.name for experiment in archive.experiments()}
    recording = archive.begin(None if source in taken else source, begun_facts(manifest))
    try:
        with recording:
            recording.finish_as(root, about_line)
    except BaseException:
        archive.remove(recording.name)   # what did not come whole was never here
        raise
    known[root.sha256] = recording.name
    return Landed(source, recording.name, True)


def take_settings(archive: Archive, landed: Iterable[Landed], default: str | None, rules: dict[str, Any] | None) -> None:
    """Set the default experiment and the rules that came with the first experiments; rules that are there already stay.

    Args:
        default: its name where it comes from; None: there is none.
    Raises:
        TooLarge: as `write_rules`.
    """
    for each in landed:
        if each.source == default:
            archive.set_default(each.name)
    if rules is not None and read_rules(archive) is None:
        write_rules(archive, rules)
