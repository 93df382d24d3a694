"""The tables of rules of a replay, read from the engine's sources."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

REPLAY = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "rex", "native", "replay")

# table -> its file, and what it decides.
TABLES = {
    "entry_rules": ("entry_rules.c", "A call goes down this table until a row acts."),
    "match_rules": ("match_rules.c", "The logged event that answers a call is found by this table."),
    "gates": ("gates.c", "An event happens once no row of this table holds it."),
    "unlogged_rules": ("unlogged_rules.c", "A call for which the log has no event goes down this table until a row acts."),
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


def page() -> str:
    """docs/rules.md"""
    lines = ["# The rules of a replay", "",
             "Generated from `rex/native/replay/*_rules.c` and `gates.c`. The order of the rows is the order in which the engine asks them.",
             "`rex replay --explain` names the rows that acted. `REX_RULES=-name,-name` leaves rows out, for tests.", ""]
    for table, (file, meaning) in TABLES.items():
        with_phase = table == "match_rules"
        lines += [f"## {table}", "", f"{meaning} (`replay/{file}`)", "",
                  "| row | phase | why here |" if with_phase else "| row | why here |", "|---|---|---|" if with_phase else "|---|---|"]
        lines += [f"| {row.name} | {row.phase} | {row.reason} |" if with_phase else f"| {row.name} | {row.reason} |" for row in rows(table)]
        lines.append("")
    return "\n".join(lines)
