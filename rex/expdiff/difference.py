"""What a comparison finds: differences, gathered in components."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rex.expdiff.calls import Calls
    from rex.expdiff.cause import Cause

DIFFERS, ONLY_LEFT, ONLY_RIGHT = "differs", "only_left", "only_right"

COMMAND, ENVIRONMENT, MACHINE = "command", "environment", "machine"
APPARATUS, INPUTS, OUTPUTS = "apparatus", "inputs", "outputs"
STDOUT, STDERR, STATUS = "standard output", "standard error", "exit status"


@dataclass(frozen=True)
class Difference:
    """One thing that two experiments do not share.

    Attributes:
        item: what differs: a variable, a fact, a path.
        kind: differs, only_left or only_right.
        left, right: the two values as JSON knows them; None where it is not there.
        notes: what is known about the difference, one sentence each.
        details: more of it for machines; with depth 2 what `bytesdiff.detail_of` tells.
        left_path, right_path: of a file, its paths; "" where it is not there.
    """

    item: str
    kind: str = DIFFERS
    left: Any = None
    right: Any = None
    notes: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    left_path: str = ""
    right_path: str = ""

    def as_json(self) -> dict[str, Any]:
        """The difference as `--json` prints it."""
        told = {"item": self.item, "kind": self.kind, "left": self.left, "right": self.right,
                "notes": list(self.notes)}
        return {**told, **self.details}


@dataclass
class Comparison:
    """What was found, by component, in the order in which it is told.

    Attributes:
        by_nature: what differs between any two runs, such as times: counted, never decisive.
        causes: the most probable reason of each output that differs.
        calls: with depth 3, the calls of all processes; what differs in them is never decisive,
            because how a program gets at its inputs is no result.
    """

    depth: int
    components: dict[str, list[Difference]] = field(default_factory=dict)
    by_nature: list[Difference] = field(default_factory=list)
    causes: list["Cause"] = field(default_factory=list)
    calls: "Calls | None" = None

    @property
    def is_same(self) -> bool:
        """Whether nothing that matters differs."""
        return not any(self.components.values())

    def as_json(self) -> dict[str, Any]:
        """The comparison as `--json` prints it."""
        told = {"same": self.is_same, "depth": self.depth,
                "components": [{"name": name, "count": len(found),
                                "differences": [each.as_json() for each in found]}
                               for name, found in self.components.items()],
                "by_nature": [each.as_json() for each in self.by_nature],
                "causes": [each.as_json() for each in self.causes]}
        return {**told, "calls": self.calls.as_json()} if self.calls else told


def compare_values(left: dict[str, Any], right: dict[str, Any]) -> list[Difference]:
    """The differences of two sets of named values, by name."""
    found = []
    for name in sorted(left.keys() | right.keys()):
        if name not in right:
            found.append(Difference(name, ONLY_LEFT, left[name], None))
        elif name not in left:
            found.append(Difference(name, ONLY_RIGHT, None, right[name]))
        elif left[name] != right[name]:
            found.append(Difference(name, DIFFERS, left[name], right[name]))
    return found
