"""What the page shows of an archive: read once, because finished experiments never change."""

from __future__ import annotations

import collections
import os
import threading
from typing import Callable, TypeVar

from rex.archive import APPARATUS, COMPLETE, INPUT, OUTPUT, Archive, Content, Experiment, FileState, Manifest
from rex.archive.usage import Usage, usage
from rex.errors import Damaged, NotFound, RexError
from rex.expdiff.files import ROLES, has_role, is_removed, state_for
from rex.transfer.packages import identify
from rex.values import dataclass
from rex.web.cards import Card, finished_card, unfinished_card
from rex.web.programs import Apparatus, read_apparatus

_KEPT = 48   # large answers, such as manifests

T = TypeVar("T")


@dataclass(frozen=True)
class FileRow:
    """A file in a role.

    Attributes:
        place: its path from the working directory where it lies there, else the whole path.
    """

    path: str
    place: str
    role: str
    size: int
    is_own: bool
    change: str = ""
    has_content: bool = False


class Catalog:
    """One archive, as the page shows it; safe for several threads."""

    def __init__(self, path: str) -> None:
        self.archive = Archive.open(path)
        self._kept: collections.OrderedDict[tuple[object, ...], object] = collections.OrderedDict()
        self._cards: dict[tuple[object, ...], Card] = {}
        self._lock = threading.Lock()

    def once(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """A large answer that is kept for a while; key: what it depends on."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]   # type: ignore[return-value]
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made

    def cards(self) -> list[Card]:
        """Every experiment, the newest first."""
        cards, known = [], {}
        for experiment in self.archive.experiments():
            state = experiment.state
            if state != COMPLETE:
                cards.append(unfinished_card(experiment, state))
                continue
            identity = _identity(experiment)
            known[identity] = self._cards.get(identity) or finished_card(experiment)
            cards.append(known[identity])
        self._cards = known
        return sorted(cards, key=lambda card: card.start_ns, reverse=True)

    def known_cards(self) -> list[Card]:
        """The finished experiments as of the last call of `cards`."""
        return list(self._cards.values()) or self.cards()

    def default(self) -> str:
        """Name of the default experiment, as of the last call of `cards`; "" where none is finished, or nobody can tell."""
        try:
            if not self._cards:
                return self.archive.default()
            return self.once(("default", self.archive.explicit_default(), *self._cards), self.archive.default)
        except (Damaged, NotFound):
            return ""

    def experiment(self, name: str) -> Experiment:
        """A finished experiment, its manifest read.

        Raises:
            NotFound: there is none, or it never finished.
        """
        experiment = self.archive.experiment(name)
        if experiment.state != COMPLETE:
            raise NotFound(f"experiment {name} is {experiment.state}", "its recording did not finish",
                           "choose another one")

        def load() -> Experiment:
            assert experiment.manifest
            return experiment
        return self.once(("experiment", *_identity(experiment)), load)

    def is_usable(self, name: str) -> bool:
        """Whether there is a finished experiment of this name; names of ancestors are any text."""
        try:
            return bool(name) and self.archive.experiment(name).state == COMPLETE and not name.startswith("@")
        except RexError:
            return False

    def apparatus(self, name: str) -> Apparatus:
        """Its programs with their libraries."""
        experiment = self.experiment(name)
        return self.once(("apparatus", *_identity(experiment)), lambda: read_apparatus(experiment.manifest))

    def packages(self, name: str) -> dict[str, str]:
        """Package and version of each file of the apparatus of which this machine knows them."""
        experiment = self.experiment(name)

        def ask() -> dict[str, str]:
            contents: dict[str, Content] = {}
            for path in self.apparatus(name).paths():
                state = experiment.manifest.files[path].initial
                if state and state.content:
                    contents[path] = state.content
            return {path: f"{package.name} {package.version}"
                    for path, package in identify(self.archive, contents).items()}
        return self.once(("packages", *_identity(experiment)), ask)

    def files(self, name: str) -> list[FileRow]:
        """Inputs and outputs: first those below the working directory."""
        experiment = self.experiment(name)
        return self.once(("files", *_identity(experiment)), lambda: _rows(experiment.manifest, (INPUT, OUTPUT)))

    def all_files(self, name: str) -> list[FileRow]:
        """The same, and the apparatus."""
        return [*self.files(name), *_rows(self.experiment(name).manifest, (APPARATUS,))]

    def known_usages(self) -> dict[str, Usage] | None:
        """Sizes by experiment, if they were measured since the last recording; as of the last call of `cards`."""
        with self._lock:
            return self._kept.get(("usage", *self._cards))   # type: ignore[return-value]

    def usages(self) -> dict[str, Usage]:
        """Sizes by experiment; none where damage hides them. Takes a while: reads every manifest."""
        def measure() -> dict[str, Usage]:
            try:
                return usage(self.archive)
            except RexError:
                return {}
        self.cards()
        return self.once(("usage", *self._cards), measure)

    def disk_bytes(self) -> int:
        """What the whole archive takes on the disk."""
        total = 0
        for base, _, names in os.walk(self.archive.path):
            for name in names:
                try:
                    total += os.lstat(os.path.join(base, name)).st_size
                except OSError:   # a recorder is at work
                    continue
        return total

    def content(self, name: str, path: str, role: str) -> tuple[FileState, Content]:
        """An archived file of an experiment, in a role.

        Raises:
            NotFound: the experiment has no such file, or its bytes were not kept.
        """
        entry = self.experiment(name).manifest.files.get(path)
        state = state_for(entry, role) if entry and role in ROLES else None
        if state is None or state.content is None:
            raise NotFound("no such file in this experiment")
        return state, state.content


def _identity(experiment: Experiment) -> tuple[object, ...]:
    """Differs where an experiment was removed and another took its name."""
    info = os.stat(experiment.directory)
    return experiment.name, info.st_ino, info.st_mtime_ns


def _rows(manifest: Manifest, roles: tuple[str, ...]) -> list[FileRow]:
    top = manifest.cwd.rstrip("/") + "/"
    rows = []
    for path, entry in manifest.files.items():
        for role in roles:
            state = state_for(entry, role) or entry.initial or entry.final
            if not has_role(entry, role) or state is None or state.type == "dir":
                continue
            change = "" if role != OUTPUT else "removed" if is_removed(entry) else (
                "created" if entry.initial is None else "changed")
            is_own = path.startswith(top)
            rows.append(FileRow(path, path[len(top):] if is_own else path, role, state.size, is_own, change,
                                bool(state.content) and change != "removed"))
    return sorted(rows, key=lambda row: (not row.is_own, row.place, row.role))
