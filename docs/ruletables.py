"""The tables of rules of a replay, read from the engine's sources."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REPLAY = os.path.join(ROOT, "rex", "native", "replay")
NEEDS = os.path.join(ROOT, "tests", "guest_runs", "rule_needs.json")

# table -> its file, and what it decides.
TABLES = {
    "entry_rules": ("entry_rules.c", "A call goes down this table until a row acts."),
    "match_rules": ("match_rules.c", "The logged event that answers a call is found by this table."),
    "gates": ("gates.c", "An event happens once no row of this table holds it."),
    "unlogged_rules": ("unlogged_rules.c", "A call for which the log has no event goes down this table until a row acts."),
}


# Rows that no guest can show, and what needs them.
ELSEWHERE = {
    **dict.fromkeys(("futex", "kind", "logged-event", "next-in-queue", "order", "pool-child-executes", "unlogged-call", "without-event"),
                    "every program"),
    **dict.fromkeys(("divergence", "as-if-alone"), "replays that diverge"),
    "skipped-step": "replays of single steps (`rex replay --all`)",
    "unknown-call": "calls of kernels to come",
    "turn": "programs recorded with `--serialize`",
}


@dataclass(frozen=True)
class Row:
    """A row of a table; reason: why it stands where it stands, may be empty; phase: of match_rules."""

    name: str
    phase: str
    reason: str


def rows(table: str) -> list[Row]:
    """The rows of a table, in their order."""
    with open(os.path.join(REPLAY, TABLES[table][0]), encoding="utf-8") as file:
        body = re.search(rf"\b{table}\[\] = \{{\n(.*?)^\}};", file.read(), flags=re.MULTILINE | re.DOTALL)
    assert body, table
    found, reason = [], ""
    for line in body.group(1).splitlines():
        if comment := re.fullmatch(r"\s*/\* (.*) \*/", line):
            reason = comment.group(1)
        elif row := re.match(r'\s*\{"([^"]+)", (\w+)', line):
            phase = row.group(2).lower().replace("_", " ") if table == "match_rules" else ""
            found.append(Row(row.group(1), phase, reason))
            reason = ""
    return found


def needs() -> dict[str, dict[str, list[str]]]:
    """By row: the guests that fail without it (`needed`), and those that replay without it though it acts (`free`)."""
    with open(NEEDS, encoding="utf-8") as file:
        found: dict[str, dict[str, list[str]]] = json.load(file)
        return found


def _guests(row: str, found: dict[str, dict[str, list[str]]]) -> str:
    if row not in found or not found[row]["needed"]:
        return ELSEWHERE.get(row, f"none of {len(found[row]['free'])}" if row in found else "")
    return ", ".join(found[row]["needed"])


def page() -> str:
    """docs/rules.md"""
    lines = ["# The rules of a replay", "",
             "Generated from `rex/native/replay/*_rules.c` and `gates.c`. The order of the rows is the order in which the engine asks them.",
             "`rex replay --explain` names the rows that acted. `REX_RULES=-name,-name` leaves rows out, for tests.", "",
             "The last column names programs of `tests/guests` that fail without the row, three at most; of a row that none of",
             "them can show, what needs it. `tests/guest_runs/rule_needs.py` finds out.", ""]
    found = needs()
    for table, (file, meaning) in TABLES.items():
        with_phase = table == "match_rules"
        columns = ["row", *["phase"] * with_phase, "why here", "guests that need it"]
        lines += [f"## {table}", "", f"{meaning} (`replay/{file}`)", "", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
        for row in rows(table):
            words = [row.name, *[row.phase] * with_phase, row.reason, _guests(row.name, found)]
            lines.append(f"| {' | '.join(words)} |".replace("|  |", "| |"))
        lines.append("")
    return "\n".join(lines)
