"""The tables of rules of a replay: names that a user can type, and reasons that a reader can follow."""

from __future__ import annotations

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
sys.path.insert(0, os.path.join(ROOT, "docs"))

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
    order = ["decide", "find", "find only", "refine", "fall back"]
    ranks = [order.index(row.phase) for row in ruletables.rows("match_rules")]
    kinds = [1 if rank in (1, 2) else rank for rank in ranks]
    assert kinds == sorted(kinds)


def test_rows_have_a_test_without_tracees() -> None:
    tests = ""
    for name in ("test_rules.py", "test_entry_rules.py"):
        with open(os.path.join(ROOT, "tests", "unit", "engine", name), encoding="utf-8") as file:
            tests += file.read()
    names = {row.name for table in ruletables.TABLES for row in ruletables.rows(table)}
    assert {name for name in names if f'"{name}"' not in tests} == set()


def test_guests_that_need_a_row_exist() -> None:
    names = {row.name for table in ruletables.TABLES for row in ruletables.rows(table)}
    found = ruletables.needs()
    assert set(found) <= names
    assert not [guest for row in found.values() for guest in row["needed"] + row["free"]
                if not os.path.exists(os.path.join(ROOT, "tests", "guests", guest))]


def test_points_in_time_have_one_place() -> None:
    """A replay's delays are in delays.h, where each is derived from a measured unit; a number of units per second is none."""
    per_second = {"1000000", "1000000000"}
    found = []
    for base, _, names in os.walk(os.path.join(ROOT, "rex", "native", "replay")):
        for name in sorted(set(names) - {"delays.h"}):
            with open(os.path.join(base, name), encoding="utf-8") as file:
                found += [f"{name}: {match[0]}" for match in re.finditer(r"\b\w*[NUM]S\b(?: = | )(\d+)\b", file.read())
                          if match[1] not in per_second]
    assert not found
