"""How a comparison of many experiments is shown: letters for groups, and counts in words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rex.expdiff.many import KINDS, grouped

if TYPE_CHECKING:
    from rex.expdiff.many import Groups, Table


def letter(group: int) -> str:
    """A, B, ... Z, AA, ... for a group."""
    return (letter(group // 26 - 1) if group >= 26 else "") + chr(ord("A") + group % 26)


def count_text(groups: "Groups") -> str:
    """How many distinct results there are, and how often each of the first few."""
    counts = Counter(groups)
    told = ", ".join(f"{letter(group)}: {counts[group]}" for group in sorted(counts)[:6])
    return f"{len(counts)} distinct results ({told}{', ...' if len(counts) > 6 else ''})"


def given_groups(table: "Table") -> "dict[str, Groups]":
    """By kind, which experiments were given the same of that kind."""
    return {kind: grouped("\0".join(values[at] for fact, values in table.facts.items() if fact[0] == kind) for at in range(len(table.subjects)))
            for kind in KINDS if any(fact[0] == kind for fact in table.facts)}


def differing(table: "Table") -> list[str]:
    """Outputs of which there is more than one result."""
    return [name for name, groups in table.results.items() if any(groups)]


def same_text(table: "Table") -> str:
    """How many outputs are the same in all experiments."""
    return f"{len(table.results) - len(differing(table))} of {len(table.results)} outputs are the same in all {len(table.subjects)} experiments"


def within_texts(table: "Table") -> list[str]:
    """For each output of which the rules made different contents the same, how many."""
    return [f"{name}: {count} different contents, {len(set(table.results[name]))} distinct result{'s' * (len(set(table.results[name])) > 1)} within tolerance"
            for name, count in table.contents.items()]


NO_RULE = "no single argument, input, library or variable separates them"
