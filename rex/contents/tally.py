"""What a comparison of two contents has counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SAME, WITHIN, DIFFERENT = "same", "within", "different"
_NAMES_KEPT = 1000     # groups that are distinguished; the others are counted together
_OTHERS = "others"
_SHOWN = 3
_NAME_CHARS = 60


@dataclass
class Group:
    """The values of one name: a column, a dataset, the numbers of a text.

    Attributes:
        noun: what one of them is called; "" for values that have a name of their own.
        label: what to say behind a place, where that does not tell the name: "column p".
        compared: how many have a counterpart.
        differing, within: how many of these differ beyond the tolerance, and within it.
        largest_abs, largest_rel: of all that differ as numbers.
        place: where the largest relative difference beyond the tolerance is, or, where there is none, the largest absolute one within.
    """

    name: str
    noun: str = ""
    label: str = ""
    compared: int = 0
    differing: int = 0
    within: int = 0
    largest_abs: float = 0.0
    largest_rel: float = 0.0
    place: str = ""
    _worst: tuple[bool, float] = (False, -1.0)

    def count(self, is_within: bool, apart: tuple[float, float] | None, place: str) -> None:
        """Count a value that differs; apart: its absolute and relative difference, where both sides are numbers."""
        if is_within:
            self.within += 1
        else:
            self.differing += 1
        self.mark(not is_within, apart[int(not is_within)] if apart else 0.0, place)
        if apart:
            self.largest_abs, self.largest_rel = max(self.largest_abs, apart[0]), max(self.largest_rel, apart[1])

    def mark(self, is_beyond: bool, apart: float, place: str) -> None:
        """Keep the place of the worst difference; of equal ones the first."""
        if (is_beyond, apart) > self._worst:
            self._worst, self.place = (is_beyond, apart), place


@dataclass
class Tally:
    """The counts of a whole comparison.

    Attributes:
        missing: what only one side has, a phrase each.
        ignored: differences that a rule ignores.
    """

    groups: dict[str, Group] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    missing_count: int = 0
    ignored: int = 0

    def group(self, name: str, noun: str = "", label: str = "") -> Group:
        """The group of a name."""
        if name not in self.groups and len(self.groups) >= _NAMES_KEPT:
            name = _OTHERS
        return self.groups.setdefault(name, Group(name, noun, label))

    def miss(self, what: str, side: int, count: int = 1) -> None:
        """Count something that only one side has; side: 0 for the first."""
        self.missing_count += count
        if len(self.missing) < 2 * _SHOWN:
            self.missing.append(f"only in the {('first', 'second')[side]}: {_short(what)}")

    def note(self, what: str) -> None:
        """Count a difference of form that is neither a value nor a missing part."""
        self.missing_count += 1
        if len(self.missing) < 2 * _SHOWN:
            self.missing.append(what)

    @property
    def differing(self) -> int:
        """How many values differ beyond the tolerance."""
        return sum(group.differing for group in self.groups.values())

    @property
    def within(self) -> int:
        """How many differ within it."""
        return sum(group.within for group in self.groups.values())

    @property
    def compared(self) -> int:
        """How many had a counterpart."""
        return sum(group.compared for group in self.groups.values())

    @property
    def outcome(self) -> str:
        """SAME, WITHIN or DIFFERENT."""
        if self.differing or self.missing_count:
            return DIFFERENT
        return WITHIN if self.within or self.ignored else SAME

    def sentence(self) -> str:
        """The verdict, as a scientist would write it."""
        outcome = self.outcome
        if outcome == SAME:
            return "same values, other bytes"
        if outcome == WITHIN:
            return f"same within tolerance ({self._within()})"
        worst = sorted((each for each in self.groups.values() if each.differing), key=lambda each: (-each.differing, each.name))
        parts = [_verdict_of(group) for group in worst[:_SHOWN]]
        if len(worst) > _SHOWN:
            parts.append(f"{len(worst) - _SHOWN:,} more that differ")
        parts += self.missing[:_SHOWN]
        if self.missing_count > _SHOWN:
            parts.append(f"{self.missing_count - _SHOWN:,} more that only one has")
        if self.within:
            parts.append(f"{self.within:,} more within tolerance")
        return "; ".join(parts)

    def _within(self) -> str:
        parts = []
        if self.within:
            worst = max(self.groups.values(), key=lambda each: each.largest_abs)
            where = ", ".join(filter(None, (worst.place, _short(worst.label))))
            compared = sum(each.compared for each in self.groups.values() if each.within)
            parts.append(f"{self.within:,} of {compared:,} differ, largest {worst.largest_abs:.2g}{' at ' + where if where else ''}")
        if self.ignored:
            parts.append(f"{self.ignored:,} ignored")
        return ", ".join(parts)

    def as_json(self) -> dict[str, Any]:
        """The counts for machines."""
        return {"compared": self.compared, "differing": self.differing, "within": self.within, "ignored": self.ignored,
                "only_one_has": self.missing_count,
                "groups": [{"name": each.name, "compared": each.compared, "differing": each.differing, "within": each.within,
                            "largest_abs": _finite(each.largest_abs), "largest_rel": _finite(each.largest_rel), "place": each.place}
                           for each in self.groups.values() if each.differing or each.within][:_NAMES_KEPT]}


def _verdict_of(group: Group) -> str:
    name = group.label if group.label and group.name.isdigit() else group.name     # of a table without names
    text = f"{_short(name)}: {group.differing:,} of {group.compared:,} differ"
    if group.largest_abs:
        text += f", largest relative {_relative(group.largest_rel)}"
    return text + (f" at {group.place}" if group.place else "")


def _relative(value: float) -> str:
    percent = 100 * value
    return f"{value:.2g}" if not 1e-4 <= value <= 100 else f"{percent:.2g} %" if percent < 10 else f"{percent:.0f} %"


def _short(name: str) -> str:
    return name if len(name) <= _NAME_CHARS else name[:_NAME_CHARS] + "…"


def _finite(value: float) -> float | None:
    return value if value - value == 0 else None
