"""Where many experiments parted from the first of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Sequence

from rex.contents.rules import Rules
from rex.expdiff.compare import Side, compare
from rex.expdiff.difference import Cause, Parting

if TYPE_CHECKING:
    from rex.expdiff.many import Subject


@dataclass
class Parted:
    """Experiments that parted from the first at the same places.

    Attributes:
        names: those experiments.
        partings, causes: of the first of them: where each process parted, and why each output differs.
    """

    names: list[str]
    partings: list[Parting] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """It for machines."""
        return {"experiments": self.names, "processes": [each.as_json() for each in self.partings], "causes": [each.as_json() for each in self.causes]}


def find_parted(subjects: "Sequence[Subject]", rules: Rules = Rules()) -> list[Parted]:
    """Compare each experiment with the first; those that differ from it at the same places are together, in order of appearance.

    Raises:
        Damaged, TooNew: a log cannot be read.
    """
    groups: dict[tuple[object, ...], Parted] = {}
    first, *others = subjects
    for each in others:
        found = compare(Side(first.archive, first.experiment), Side(each.archive, each.experiment), 1, rules)
        if found.is_same:
            continue
        places = tuple((parting.process, parting.component, parting.item) for parting in found.partings)
        reasons = tuple((cause.output, cause.suspect.item if cause.suspect else "") for cause in found.causes)
        groups.setdefault((places, reasons), Parted([], found.partings, found.causes)).names.append(each.name)
    return list(groups.values())
