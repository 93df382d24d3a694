"""What a step has made or removed so far, so that what it learns of that is no input."""

from __future__ import annotations

import os

from rex.trees.facts import ABSENT, FILE, LIST, LOOK, REMOVE, Use
from rex.trees.looks import follows

_MOST_LINKS = 40


class Made:
    """Takes a step's changes in their order.

    Attributes:
        paths: all that it has changed.
    """

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self._tops: set[str] = set()               # directories whose contents are the step's own, and what is gone
        self._links: dict[str, str] = {}
        self._below: dict[str, bool] = {}          # by directory: whether it is one of these, or below one

    def take(self, use: Use) -> None:
        """The next change."""
        self.paths.add(use.path)
        self._links.pop(use.path, None)
        kind, _, target = use.value.partition(" ")
        if kind == "link":
            self._links[use.path] = target
        elif kind == "dir" or use.kind == REMOVE:
            self._tops.add(use.path)
            self._below.clear()

    def is_rewritten(self, path: str) -> bool:
        """Whether the step has written a file, and neither removed nor replaced it."""
        return path in self.paths and path not in self._tops and path not in self._links

    def is_led_to(self, use: Use) -> bool:
        """Whether a link of others led to the step's own work."""
        if not use.name and "/." not in use.path:
            return False
        plain = os.path.normpath(use.name or use.path)
        return (use.path != plain and self._is_own(use.path) and not self._is_own(plain) and self._follow(plain, True) == plain)

    def _is_own(self, path: str) -> bool:
        return path in self.paths or self._is_below(path)

    def outer_name(self, use: Use) -> str:
        """The name by which something that the step is given can be found before it runs; "" if it is its own work."""
        is_own = self._is_own_directory if use.kind == LIST else self._is_own
        if is_own(use.path):
            return ""
        name = use.name or use.path
        led = self._follow(name, _follows(use))
        if led == name:
            return "" if is_own(os.path.normpath(name)) else name
        if use.kind in (FILE, LIST):               # their paths are where links lead
            return use.path
        return "" if is_own(led) else led

    def _is_own_directory(self, path: str) -> bool:
        """Whether a directory is the step's own: one whose mode or time it has set has the names of others."""
        return path in self._tops or self._is_below(path)

    def _is_below(self, path: str) -> bool:
        if not self._tops or len(path) < 2:
            return False
        directory = path[:path.rfind("/")] or "/"
        found = self._below.get(directory)
        if found is None:
            found = self._below[directory] = directory in self._tops or self._is_below(directory)
        return found

    def _follow(self, name: str, is_to_end: bool) -> str:
        """Where a name leads by the links that the step has made."""
        for _ in range(_MOST_LINKS if self._links else 0):
            parts = name.split("/")
            ends = range(2, len(parts) + is_to_end)
            found = next((end for end in ends if "/".join(parts[:end]) in self._links), 0)
            if not found:
                break
            link = "/".join(parts[:found])
            name = os.path.normpath(os.path.join(os.path.dirname(link), self._links[link], *parts[found:]))
        return name


def _follows(use: Use) -> bool:
    """Whether a link at the end of the name was followed."""
    return use.kind not in (ABSENT, LOOK) or follows(use.value)
