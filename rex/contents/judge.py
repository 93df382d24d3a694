"""Compares two values by the rules."""

from __future__ import annotations

import re
from typing import Any, Callable

from rex.contents.closeness import as_number, distance, is_close, is_text_close, text_distance
from rex.contents.rules import Rules
from rex.contents.tally import Group, Tally


class Judge:
    """Compares values by the rules, and counts."""

    def __init__(self, rules: Rules, tally: Tally) -> None:
        self.rules, self.tally = rules, tally
        self._ignored = [re.compile(text) for text in rules.ignore]

    def strip(self, text: str) -> str:
        """A text without what does not count."""
        for pattern in self._ignored:
            text = pattern.sub("", text)
        return text

    def compare(self, group: Group, one: Any, two: Any, place: Callable[[], str]) -> None:
        """Compare two values of a group, and count."""
        group.compared += 1
        if one is two or type(one) is type(two) and one == two:
            return
        apart = None
        if isinstance(one, str) and isinstance(two, str):
            apart = text_distance(one, two)
            is_allowed = is_text_close(one, two, self.rules)
        else:
            a, b = as_number(one), as_number(two)
            is_allowed = a is not None and b is not None and is_close(a, b, self.rules)
            apart = distance(a, b) if a is not None and b is not None else None
        if is_allowed and apart and apart[0] == 0:
            return      # the same number, written otherwise
        if not is_allowed and self._ignored and self.strip(f"{group.name}: {one}") == self.strip(f"{group.name}: {two}"):
            self.tally.ignored += 1
            return
        group.count(is_allowed, apart, place())
