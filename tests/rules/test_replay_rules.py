"""The tables of rules of a replay: names that a user can type, and reasons that a reader can follow."""

from __future__ import annotations

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "docs"))

import ruletables  # noqa: E402


def test_names_are_unique_over_all_tables() -> None:
    """--explain and REX_RULES name a row alone."""
    names = [row.name for table in ruletables.TABLES for row in ruletables.rows(table)]
    assert len(names) == len(set(names)) > 40
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in names)


def test_every_row_says_why_it_stands_there() -> None:
    assert not [row.name for table in ruletables.TABLES for row in ruletables.rows(table) if not row.reason]


def test_phases_of_match_rules_are_in_order() -> None:
    """The loop asks for what was skipped as it comes to the first row that falls back."""
    order = ["decide", "decide only", "find", "find only", "refine", "fall back"]
    ranks = [order.index(row.phase) for row in ruletables.rows("match_rules")]
    kinds = [0 if rank < 2 else 1 if rank < 4 else rank for rank in ranks]
    assert kinds == sorted(kinds)
