"""What a process of the replay has to run: a node of the tree as one of its versions has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rex.archive import Archive, Manifest
from rex.cells.split import SCRIPT
from rex.errors import NotFound
from rex.multiversion.merge import CellNode
from rex.multiversion.versions import Version


@dataclass
class State:
    """What is known of the state that a process has.

    Attributes:
        node: the last cell that it has run; None before the first.
        version: the version whose variables and files it has.
        written: variables that its cells have set themselves: these stay.
    """

    node: str | None = None
    version: str | None = None
    written: set[str] = field(default_factory=set)

    def copy(self) -> "State":
        """A copy that shares nothing with it."""
        return State(self.node, self.version, set(self.written))


class Orders:
    """Makes the orders for the nodes of a tree.

    Attributes:
        bases: the versions that start from the same state; such share processes.
        worlds: the place of each version among those, which says whose files a process sees.
    """

    def __init__(self, archive: Archive, versions: list[Version]) -> None:
        self._archive = archive
        self.bases: dict[str, list[Version]] = {}
        for version in versions:
            self.bases.setdefault(version.base, []).append(version)
        self.worlds = {version.name: place for group in self.bases.values() for place, version in enumerate(group)}
        self._manifests: dict[str, Manifest] = {}
        self._texts: dict[str, str] = {}

    def manifest(self, name: str) -> Manifest:
        """The manifest of a version's experiment."""
        if name not in self._manifests:
            self._manifests[name] = self._archive.experiment(name).manifest
        return self._manifests[name]

    def text(self, version: Version) -> str:
        """The whole script of a version: its cells are ranges of it."""
        if version.kind != SCRIPT:
            return ""
        if version.name not in self._texts:
            entry = self.manifest(version.name).files.get(version.program)
            if entry is None or entry.initial is None or entry.initial.content is None:
                raise NotFound(f"the archive lacks {version.program} of {version.name}")
            data = self._archive.read(entry.initial.content)
            self._texts[version.name] = data.decode("utf-8", "surrogateescape")
        return self._texts[version.name]

    def make(self, node: CellNode, state: State) -> dict[str, Any]:
        """The order that takes a process with this state to a node, whose parent it is at.

        The state is then that after the order.
        """
        version, place = self._member(node, state)
        cell = version.cells[place]
        variables = self._variables(version.name, state)
        world = self.worlds[version.name] if state.version != version.name else None
        state.node, state.version = node.id, version.name
        return {"number": place, "kind": version.kind, "path": version.path, "source": cell.source,
                "text": self.text(version), "first": cell.first, "last": cell.last, "may_raise": cell.may_raise,
                "arguments": version.arguments, "variables": variables, "world": world, "is_first": place == 0}

    def _member(self, node: CellNode, state: State) -> tuple[Version, int]:
        """The version that the process is at already, if it is one of the node's."""
        for version, place in node.members:
            if version.name == state.version:
                return version, place
        return node.members[0]

    def _variables(self, name: str, state: State) -> dict[str, str | None]:
        """What must change in the environment; what cells have set stays as they did."""
        if state.version is None or state.version == name:
            return {}
        old, new = self.manifest(state.version).environment, self.manifest(name).environment
        return {key: new.get(key) for key in {*old, *new}
                if old.get(key) != new.get(key) and key not in state.written}
