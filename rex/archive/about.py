"""What is said of experiments afterwards: labels, a note, what a replay found; and names, which people may change.

What is said at the recording stands in the manifest, under `extra.about`; what is said afterwards stands beside it, and is no part of
what tells an experiment from all others. Both travel with the experiment.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any, Callable, Iterator, Mapping, Protocol

from rex.archive.amendments import ABOUT, ANCESTOR, MAX_ABOUT_BYTES, decode, encode
from rex.archive.archive import Archive
from rex.archive.experiment import COMPLETE, LOCK
from rex.archive.lineage import ancestor
from rex.archive.locks import FileLock, sync_directory, write_atomically
from rex.archive.topfiles import EXPERIMENTS
from rex.errors import Damaged, UsageError


class Described(Protocol):
    """A manifest, or what a list reads of one."""

    @property
    def extra(self) -> dict[str, Any]:
        """Facts beside the files, by kind."""
        ...


def _part(manifest: Described, name: str, kind: type) -> Any:
    about = manifest.extra.get(ABOUT)
    found = about.get(name) if isinstance(about, dict) else None
    return found if isinstance(found, kind) else kind()


def _texts(labels: object) -> dict[str, str]:
    return {key: value for key, value in labels.items() if isinstance(value, str)} if isinstance(labels, dict) else {}


def labels_of(manifest: Described) -> dict[str, str]:
    """The labels of an experiment; archives come from strangers, so only text counts."""
    return _texts(_part(manifest, "labels", dict))


def note_of(manifest: Described) -> str:
    """The note on an experiment; "" for none."""
    return str(_part(manifest, "note", str))


def verified_of(manifest: Described) -> dict[str, Any]:
    """What a replay right after the recording found: is_identical, reason, time_ns, engine; {} if there was none."""
    found = _part(manifest, "verified", dict)
    return found if isinstance(found.get("is_identical"), bool) else {}


def facts(labels: Mapping[str, str], note: str) -> dict[str, Any]:
    """What `extra` of a new manifest has of labels and a note."""
    about = {**({"labels": dict(labels)} if labels else {}), **({"note": note} if note else {})}
    return {ABOUT: about} if about else {}


@contextlib.contextmanager
def _held(archive: Archive, name: str) -> Iterator[None]:
    """Keep gc, and others who change the experiment, away from it."""
    experiment = archive.experiment(name)
    if experiment.state != COMPLETE:
        raise UsageError(f"experiment {name} cannot be changed", f"it is {experiment.state}", "wait until it is finished")
    with contextlib.ExitStack() as stack:
        for path, is_exclusive in ((archive.lock_path, False), (os.path.join(experiment.directory, LOCK), True)):
            stack.callback(FileLock(path, is_exclusive).release)
        yield


def _amend(archive: Archive, name: str, change: Callable[[dict[str, Any]], None], ancestor_name: str | None = None) -> None:
    """Change what is said of an experiment, or its ancestor's name; at any instant the old is there or the new."""
    experiment = archive.experiment(name)
    about = dict(experiment.manifest.extra.get(ABOUT, {}))
    change(about)
    changes = {**experiment.changes, **({ABOUT: about} if about else {}), **({ANCESTOR: ancestor_name} if ancestor_name else {})}
    line = encode(changes)
    _check_readable(line)
    write_atomically(os.path.join(experiment.directory, ABOUT), line)


def _check_readable(line: bytes) -> None:
    """Refuse what could not be read again: too much of it, or characters that no archive has; raises UsageError."""
    if len(line) > MAX_ABOUT_BYTES:
        raise UsageError("labels and note are too long", f"together they may take {MAX_ABOUT_BYTES >> 20} MiB", "shorten them")
    try:
        decode(line, ABOUT)
    except Damaged as error:
        raise UsageError("that cannot be a label or a note", str(error)) from error


def set_labels(archive: Archive, name: str, labels: Mapping[str, str | None]) -> None:
    """Set labels of a finished experiment; None removes one.

    Raises:
        NotFound: there is no such experiment.
        UsageError: it is not finished.
    """
    def change(about: dict[str, Any]) -> None:
        new = {**_texts(about.get("labels")), **labels}
        about["labels"] = {key: value for key, value in new.items() if value is not None}

    with _held(archive, name):
        _amend(archive, name, change)


def set_verified(archive: Archive, name: str, is_identical: bool, reason: str, engine: str) -> None:
    """Note what a replay found.

    Raises:
        NotFound, UsageError: as `set_labels`.
    """
    found = {"is_identical": is_identical, "reason": reason, "time_ns": time.time_ns(), "engine": engine}
    with _held(archive, name):
        _amend(archive, name, lambda about: about.update(verified=found))


def set_note(archive: Archive, name: str, note: str) -> None:
    """Set the note on a finished experiment.

    Raises:
        NotFound, UsageError: as `set_labels`.
    """
    with _held(archive, name):
        _amend(archive, name, lambda about: about.update(note=note))


def rename(archive: Archive, name: str, new: str) -> None:
    """Give a finished experiment another name; those that were made from it follow, and so does the default.

    Raises:
        NotFound: there is no such experiment.
        UsageError: it is not finished; the new name is taken or cannot be one.
    """
    archive.check_name(new)
    is_default = archive.explicit_default() == name
    with _held(archive, name):
        folder = os.path.join(archive.path, EXPERIMENTS)
        os.rename(os.path.join(folder, name), os.path.join(folder, new))
        sync_directory(folder)
    if is_default:
        archive.set_default(new)
    for child in archive.experiments():
        if child.state == COMPLETE and ancestor(child.manifest.extra) == name:
            with _held(archive, child.name):
                _amend(archive, child.name, lambda about: None, new)
