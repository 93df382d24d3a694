"""Which one thing that experiments were given separates their results best."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Iterator, Sequence

from rex.expdiff.many import ABSENT, ARGUMENT, KINDS, LIBRARY, Fact, Groups, Table

_HEX = 64
_SHOWN_CHARS = 40


@dataclass(frozen=True)
class Rule:
    """A fact that goes with the results of one output.

    Attributes:
        wrong: how many experiments it does not explain; 0: the results differ exactly where the fact does.
        as_well: other facts that separate the experiments in the same way.
        sentence: it in words.
    """

    output: str
    fact: Fact
    wrong: int
    as_well: tuple[Fact, ...]
    sentence: str


def misplaced(given: Sequence[object], asked: Sequence[object]) -> int:
    """How many are not predicted by the most frequent answer among those that were given the same."""
    pairs = Counter(zip(given, asked))
    best: dict[object, int] = {}
    for (value, _), count in pairs.items():
        best[value] = max(best.get(value, 0), count)
    return len(given) - sum(best.values())


@dataclass(frozen=True)
class _Candidate:
    """A fact that may separate results, or one value of it against all others."""

    fact: Fact
    split: tuple[int, ...]
    value: str | None = None


def _candidates(table: Table, is_binary: bool) -> Iterator[_Candidate]:
    for fact, values in table.facts.items():
        yield _Candidate(fact, _partition(values))
        if is_binary and len(set(values)) > 2:
            for value in dict.fromkeys(values):
                yield _Candidate(fact, _partition([str(each == value) for each in values]), value)


def separate(name: str, groups: Groups, table: Table) -> Rule | None:
    """The fact that separates the results of an output best; None if none tells more than nothing.

    Where there are two results, one value of a fact may separate them as well. What has another value in each experiment
    explains nothing, unless each has another result too, or nothing else explains as much.
    """
    if len(set(groups)) < 2:
        return None
    blind = len(groups) - max(Counter(groups).values())
    found = []
    for number, each in enumerate(_candidates(table, len(set(groups)) == 2)):
        wrong, more = misplaced(each.split, groups), misplaced(groups, each.split)
        is_unique = len(set(table.facts[each.fact])) == len(groups) > len(set(groups))
        if wrong < blind and (each.value is not None or not is_unique):
            found.append((wrong + more, wrong, is_unique, KINDS.index(each.fact[0]), number, each))
    if not found:
        return None
    cost, wrong, *_, best = min(found, key=lambda each: each[:5])
    others = (other.fact for *_, is_unique, _, _, other in sorted(found, key=lambda each: each[:5]) if other.split == best.split and not is_unique)
    as_well = tuple(fact for fact in dict.fromkeys(others) if fact != best.fact)
    sentence = _sentence(name, groups, best, table.facts[best.fact], cost, wrong)
    if as_well:
        sentence += f"; {_named(as_well[0])} separates them in the same way" + (f", and {len(as_well) - 1} more" if len(as_well) > 1 else "")
    return Rule(name, best.fact, wrong, as_well, sentence)


def _partition(values: Sequence[str]) -> tuple[int, ...]:
    known: dict[str, int] = {}
    return tuple(known.setdefault(value, len(known)) for value in values)


def _named(fact: Fact) -> str:
    kind, name = fact
    if kind == ARGUMENT:
        return f"the option {name}" if name.startswith("-") else f"argument {name}"
    return name if kind == LIBRARY else f"the {kind} {name}"


def shown(value: str) -> str:
    """A value as people read it: of a digest the beginning, of a library its version."""
    first, _, last = value.rpartition(" ")
    if len(last) == _HEX and all(digit in "0123456789abcdef" for digit in last):
        return first or last[:10]
    return value if len(value) <= _SHOWN_CHARS else value[:_SHOWN_CHARS] + "…"


def _sentence(name: str, groups: Groups, best: _Candidate, values: list[str], cost: int, wrong: int) -> str:
    fact = best.fact
    if cost == 0 and len(set(groups)) == 2:
        fewer = min((1, 0), key=groups.count)
        value = best.value or next(value for value, group in zip(values, groups) if group == fewer)
        return f"{name} differs exactly where {_named(fact)} is {'not there' if value == ABSENT else shown(value)}"
    if best.value is not None:
        return f"{name} goes best with whether {_named(fact)} is {shown(best.value)}: that explains {len(groups) - wrong} of {len(groups)} experiments"
    if cost == 0:
        return f"{name} has another result exactly for each value of {_named(fact)}"
    if wrong == 0:
        return f"{name} has one result for each value of {_named(fact)}, and some values have the same"
    return f"{name} goes best with {_named(fact)}: that explains {len(groups) - wrong} of {len(groups)} experiments"
