"""Send experiments to a remote archive and fetch them: only missing objects travel."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator

from rex import codec
from rex.archive import Archive, Experiment
from rex.archive import manifest as manifests
from rex.archive.amendments import ABOUT
from rex.archive.topfiles import EXPERIMENTS, PACKS
from rex.archive.content import Content
from rex.archive.experiment import BEGUN, IDENTITY, MAX_MANIFEST_BYTES
from rex.archive.exportfile import Object, grouped
from rex.archive.exporting import choose, needed
from rex.archive.jsonform import read_json
from rex.archive.import_checks import Landed, begun_facts, identities, land, take_settings
from rex.archive.locks import FileLock
from rex.archive.packs import PackReader, PackWriter, Place
from rex.archive.packer import FRAME_BYTES, LEVEL, Packer
from rex.archive.recording import begun_line
from rex.archive.rulesfile import read_rules
from rex.archive.sealed import seal_content, unseal
from rex.errors import Damaged, NotFound, RexError, UsageError
from rex.transfer.remote import RemoteArchive

# What an interrupted transfer has to send again is at most one of these.
PART_BYTES = 32 << 20
RANGE_BYTES = 16 << 20     # frames that lie side by side are fetched together up to this
_MAX_NAMES = 10_000
_MARK = "identity"

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Moved:
    """What a push or pull did.

    Attributes:
        objects: how many objects were missing.
        size_bytes: compressed bytes of objects and logs that travelled.
    """

    experiments: tuple[Landed, ...]
    objects: int
    size_bytes: int


def push(archive: Archive, there: RemoteArchive, names: Iterable[str] = (),
         progress: Progress | None = None, is_alone: bool = False) -> Moved:
    """Send experiments, all complete ones by default.

    Objects come first, an experiment's manifest last: nobody ever sees half of
    one. What was sent before an interruption is not sent again. Any number may
    push at once: packs are named by what they hold, and of those who want
    a name for an experiment the first one gets it.

    Args:
        is_alone: nobody else pushes meanwhile: the server need not know conditional writes.
    Raises:
        UsageError: the server ignores conditional writes.
        NotFound, Damaged: the experiments cannot be read.
        RexError: the remote archive cannot be written.
    """
    with archive.held(), there.kept():
        experiments = choose(archive, names)
        known = _identities(there)
        fresh = [e for e in experiments if e.identity not in known]
        if fresh and not is_alone:
            there.remote.check_exclusive()
        objects = needed(archive, fresh)
        there.store.refresh()
        missing = [digest for digest in objects if there.store.place(digest) is None]
        size = _send_objects(archive, there, missing, progress)
        landed = []
        for experiment in experiments:
            each, sent = _send_experiment(experiment, there, known)
            landed.append(each)
            size += sent
        there.offer_rules(read_rules(archive))
    return Moved(tuple(landed), len(missing), size)


def _identities(there: RemoteArchive) -> dict[str, str]:
    """The names of complete experiments by identity; damaged ones are left out."""
    found: dict[str, str] = {}
    for name in reversed(there.experiments()):
        try:
            if there.is_complete(name):
                found[there.root(name).sha256] = name
        except RexError:
            continue
    return found


def _claim(begun: bytes) -> str:
    try:
        mark = read_json(unseal(begun, BEGUN), BEGUN)[_MARK]
    except (Damaged, ValueError, TypeError, KeyError):
        return ""
    return mark if isinstance(mark, str) else ""


def _send_objects(archive: Archive, there: RemoteArchive, missing: list[bytes],
                  progress: Progress | None) -> int:
    """Send objects in packs of their own; the bytes sent."""
    sent = done = 0
    with tempfile.TemporaryDirectory(prefix="rex-push-") as work:
        pack: PackWriter | None = None
        for group in grouped(_read_all(archive, missing), FRAME_BYTES):
            pack = pack or PackWriter(work)
            frame = codec.compress(b"".join([data for _, data in group]), LEVEL)
            pack.add_frame(frame, [(digest, len(data)) for digest, data in group])
            done += len(group)
            if pack.size_bytes >= PART_BYTES or done == len(missing):
                sent += _send_pack(there, pack, work)
                pack = None
            if progress:
                progress(done, len(missing))
    return sent


def _read_all(archive: Archive, digests: Iterable[bytes]) -> Iterator[Object]:
    for digest in digests:
        yield digest, archive.store.read_object(digest)


def _send_pack(there: RemoteArchive, pack: PackWriter, work: str) -> int:
    name = pack.seal()
    path = os.path.join(work, name)
    there.remote.put(path, PACKS, name)
    os.unlink(path)
    return pack.size_bytes


def _send_experiment(experiment: Experiment, there: RemoteArchive, known: dict[str, str]
                     ) -> tuple[Landed, int]:
    mark = experiment.identity
    if mark in known:
        return Landed(experiment.name, known[mark], False), 0
    begun = begun_line({_MARK: mark, **begun_facts(experiment.manifest)})
    name = _take_name(there, experiment.name, begun, mark)
    lines = {ABOUT: experiment.about_line(), IDENTITY: seal_content(experiment.root)}
    for path, line in lines.items():
        if line:
            with tempfile.NamedTemporaryFile(prefix="rex-push-") as file:
                file.write(line)
                file.flush()
                there.remote.put(file.name, EXPERIMENTS, name, path)
    known[mark] = name
    return Landed(experiment.name, name, True), sum(map(len, lines.values()))


def _take_name(there: RemoteArchive, wanted: str, begun: bytes, mark: str) -> str:
    """The name under which an experiment is ours to write: by `begun`, which nobody replaces."""
    number = -1
    for _ in range(_MAX_NAMES):
        name = wanted if number < 0 else f"exp{number}"
        if there.remote.create(begun, EXPERIMENTS, name, BEGUN):
            return name
        # Ours from before, or of somebody who sends the very same: then both write the same bytes.
        if _claim(there.begun(name)) == mark:
            return name
        numbers = [int(n[3:]) for n in there.experiments() if n[:3] == "exp" and n[3:].isdecimal()]
        number = max([number, *numbers]) + 1
    raise UsageError(f"no name is free at {there.remote.url}")


def pull(archive: Archive, there: RemoteArchive, names: Iterable[str] = (),
         progress: Progress | None = None) -> Moved:
    """Fetch experiments, all complete ones by default; everything is verified.

    What came before an interruption stays and is not fetched again.

    Raises:
        NotFound: there is no such experiment.
        Damaged, TooNew: what came does not hold together.
    """
    wanted = sorted(set(names)) or [n for n in there.experiments() if there.is_complete(n)]
    if not wanted:
        raise NotFound(f"no finished experiment at {there.remote.url}")
    was_empty, default = not archive.experiments(), there.default()
    known = identities(archive)
    roots = {name: there.root(name) for name in wanted}
    lock = FileLock(archive.lock_path)   # keeps gc away from objects that nobody needs yet
    try:
        fetcher = _Fetcher(archive, there)
        for root in roots.values():
            if root.sha256 not in known:
                fetcher.need(root)
        fetcher.fetch(progress)
        landed = [land(archive, known, name, root, there.about_line(name)) for name, root in roots.items()]
    finally:
        lock.release()
    if was_empty:
        take_settings(archive, landed, default, there.rules())
    return Moved(tuple(landed), len(fetcher.missing), fetcher.size_bytes)


class _Fetcher:
    """Fetches the frames of remote packs that hold missing objects."""

    def __init__(self, archive: Archive, there: RemoteArchive) -> None:
        self._archive = archive
        self._there = there
        self.missing: dict[bytes, Place] = {}
        self.size_bytes = 0

    def need(self, root: Content) -> None:
        """Find out which objects of an experiment, by its manifest, are missing here."""
        manifest = manifests.decode(self._there.store.read(root, MAX_MANIFEST_BYTES), self._there.store.read)
        for content in {root, *manifest.contents()}:
            for digest, _ in self._there.store.needs(content):
                if digest in self.missing or self._archive.store.place(digest):
                    continue
                place = self._there.store.place(digest)
                if place is None:
                    raise Damaged(f"object {digest.hex()[:16]} is missing",
                                  f"an experiment at {self._there.remote.url} needs it",
                                  "push it again")
                self.missing[digest] = place

    def fetch(self, progress: Progress | None) -> None:
        """Store all of them, durably after each part."""
        frames: dict[str, dict[int, list[bytes]]] = {}
        for digest, place in self.missing.items():
            frames.setdefault(place.pack, {}).setdefault(place.frame, []).append(digest)
        packer, done, part = Packer(self._archive.store, LEVEL), 0, 0
        packs = {pack.name: pack for pack in self._there.store.packs()}
        try:
            for name in sorted(frames):
                for number, raw in self._read_frames(packs[name], sorted(frames[name])):
                    for digest in frames[name][number]:
                        self._add(packer, packs[name], raw, digest)
                    done += len(frames[name][number])
                    part += packs[name].frames[number][1]
                    if part >= PART_BYTES:
                        packer.flush()
                        part = 0
                    if progress:
                        progress(done, len(self.missing))
            packer.flush()
        finally:
            packer.abandon()

    def _add(self, packer: Packer, pack: PackReader, raw: bytes, digest: bytes) -> None:
        place = pack.places[digest]
        if packer.add(raw[place.offset:place.offset + place.length]) != digest:
            raise Damaged(f"object {digest.hex()[:16]} is damaged", f"in {pack.path}",
                          f"see: rex check, on a copy of {self._there.remote.url}")

    def _read_frames(self, pack: PackReader, numbers: list[int]) -> Iterator[tuple[int, bytes]]:
        """Frames of a pack, neighbours in one request."""
        while numbers:
            begin = end = pack.frames[numbers[0]][0]
            count = 0
            for number in numbers:
                offset, stored, _ = pack.frames[number]
                if offset != end or offset + stored - begin > RANGE_BYTES and count:
                    break
                end = offset + stored
                count += 1
            data = pack.read_at(begin, end - begin)
            self.size_bytes += len(data)
            for number in numbers[:count]:
                offset, stored, _ = pack.frames[number]
                yield number, pack.unpack_frame(number, data[offset - begin:offset - begin + stored])
            numbers = numbers[count:]


def parse_options(pairs: Iterable[str]) -> dict[str, Any]:
    """Options for a file system, written NAME=VALUE; a value that is JSON is taken as such.

    Raises:
        UsageError: one has no name.
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise UsageError(f"{pair!r} is no option", "", "write NAME=VALUE")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found
