"""The parts that a content is made of, and how each kind is compared with its counterpart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable

from rex.contents.judge import Judge
from rex.contents.rules import Rules
from rex.contents.tally import Group, Tally


@dataclass
class Part:
    """A part of a content; two of one kind can be compared."""

    def compare(self, other: Any, name: str, judge: Judge) -> None:
        """Compare with a part of the same kind and name, and count."""
        raise NotImplementedError


@dataclass
class Blob(Part):
    """Bytes that mean nothing to us."""

    digest: str
    size: int

    def compare(self, other: Any, name: str, judge: Judge) -> None:
        group = judge.tally.group(name or "bytes", "bytes")
        group.compared += 1
        if (self.digest, self.size) != (other.digest, other.size):
            group.count(False, None, "")


@dataclass
class Leaves(Part):
    """Values with a path each.

    Attributes:
        names: what values of many places are counted as, by path: the path without the numbers in it.
    """

    values: dict[str, Any] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def compare(self, other: Any, name: str, judge: Judge) -> None:
        groups: dict[str, Group] = {}
        for path, one in self.values.items():
            if path in other.values:
                inner = self.names.get(path, path)
                group = groups.get(inner) or groups.setdefault(inner, judge.tally.group(f"{name}{inner}" if name else inner))
                judge.compare(group, one, other.values[path], lambda path=path, group=group: path if path != group.name else "")   # type: ignore[misc]
        for side, (ours, theirs) in enumerate(((self.values, other.values), (other.values, self.values))):
            for path in ours:
                if path not in theirs:
                    text = f"{name}{path}: {ours[path]}"
                    if judge.strip(text).strip() == "":
                        judge.tally.ignored += 1
                    else:
                        judge.tally.miss(f"{name}{path}", side)


@dataclass
class Values(Part):
    """A sequence of values, or a numpy array of any shape."""

    values: Any
    noun: str = "value"
    places: Callable[[int], str] | None = None

    def compare(self, other: Any, name: str, judge: Judge) -> None:
        group = judge.tally.group(name or self.noun + "s", "" if name else self.noun, name)
        if hasattr(self.values, "dtype") and hasattr(other.values, "dtype"):
            from rex.contents.arrays import compare_arrays
            compare_arrays(self.values, other.values, group, judge, self.places)
            return
        ours, theirs = list(self.values), list(other.values)
        for at, (one, two) in enumerate(zip(ours, theirs)):
            judge.compare(group, one, two, lambda at=at: self.places(at) if self.places else f"{self.noun} {at + 1}")   # type: ignore[misc]
        extra = len(ours) - len(theirs)
        if extra:
            judge.tally.miss(f"{abs(extra):,} {self.noun}{'' if abs(extra) == 1 else 's'}{' of ' + name if name else ''}", int(extra < 0), abs(extra))


Parts = dict[str, Part]


def compare_parts(left: Parts, right: Parts, rules: Rules) -> Tally:
    """Compare two contents, part by part."""
    tally = Tally()
    judge = Judge(rules, tally)
    for name, one in left.items():
        two = right.get(name)
        if two is None:
            tally.miss(name or "the content", 0)
        elif type(one) is not type(two):
            tally.note(f"{name or 'the content'} is of another kind")
        else:
            one.compare(two, name, judge)
    for name in right:
        if name not in left:
            tally.miss(name or "the content", 1)
    return tally

