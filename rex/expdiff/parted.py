"""Where many experiments parted from the first of them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from rex.contents.rules import Rules
from rex.expdiff.compare import Side, compare
from rex.expdiff.cause import Prefer
from rex.expdiff.difference import COMMAND, Cause, Parting, Suspect
from rex.expdiff.many import ARGUMENT, INPUT_FILE, LIBRARY

if TYPE_CHECKING:
    from rex.expdiff.many import Subject
    from rex.expdiff.separating import Rule


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


def find_parted(subjects: "Sequence[Subject]", rules: Rules = Rules(), separating: "Mapping[str, Rule | None]" = MappingProxyType({})) -> list[Parted]:
    """Compare each experiment with the first; those that differ from it at the same places are together, in order of appearance.

    Args:
        separating: by output, what separates its results in all experiments: a better reason than what differs in two of them.
    Raises:
        Damaged, TooNew: a log cannot be read.
    """
    groups: dict[tuple[object, ...], Parted] = {}
    first, *others = subjects
    for each in others:
        found = compare(Side(first.archive, first.experiment), Side(each.archive, each.experiment), 1, rules, _preferring(separating))
        if found.is_same:
            continue
        places = tuple((parting.process, parting.component, parting.item) for parting in found.partings)
        reasons = tuple((cause.output, cause.suspect.item if cause.suspect else "") for cause in found.causes)
        groups.setdefault((places, reasons), Parted([], found.partings, found.causes)).names.append(each.name)
    return list(groups.values())


def _preferring(separating: "Mapping[str, Rule | None]") -> Prefer:
    """Whether something is what separates all results of an output exactly."""
    exact = {name: (rule.fact, *rule.as_well) for name, rule in separating.items() if rule and not rule.wrong}

    def prefer(output: str, suspect: Suspect) -> bool:
        facts = next((facts for name, facts in exact.items() if output == name or output.endswith("/" + name)), ())
        return any(_is_of(suspect, kind, name) for kind, name in facts)
    return prefer


def _is_of(suspect: Suspect, kind: str, name: str) -> bool:
    """Whether a difference is that of a fact."""
    if kind == ARGUMENT:
        return suspect.component == COMMAND and (name.startswith("-") or suspect.item == f"argument {name}")
    if kind == LIBRARY:
        return os.path.basename(suspect.item).startswith(os.path.basename(name))
    return suspect.item == name or kind == INPUT_FILE and suspect.item.endswith("/" + name)
