"""The lines in which two versions of a text input differ, each as a change that can be made or left out."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Iterator, Sequence

TEXT_BYTES = 4 << 20
_MOST_LINES = 50_000
_EXACT_LINES = 2_000     # above, frequent lines are not aligned with each other: that would take the square of their number
_SHOWN_CHARS = 40


@dataclass(frozen=True)
class Edit:
    """Lines of the good version that have others in their place.

    Attributes:
        begin, end: of the lines in the good version, from 0 on; equal where lines were only added.
        lines: those of the bad version.
    """

    begin: int
    end: int
    old: tuple[bytes, ...]
    lines: tuple[bytes, ...]

    def describe(self) -> str:
        """It in words."""
        if not self.old:
            return f"{_count(self.lines)} added behind line {self.begin} ({_shown(self.lines)})"
        where = f"line {self.begin + 1}" if len(self.old) == 1 else f"lines {self.begin + 1} to {self.end}"
        return f"{where} ({_shown(self.old)} {'became ' + _shown(self.lines) if self.lines else 'is missing'})"


def _count(lines: Sequence[bytes]) -> str:
    return "a line" if len(lines) == 1 else f"{len(lines)} lines"


def _shown(lines: Sequence[bytes]) -> str:
    text = lines[0].decode("utf-8", "replace").rstrip("\r\n")
    return repr(text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…") + ("" if len(lines) == 1 else f" and {len(lines) - 1} more")


def find_edits(old: bytes, new: bytes) -> list[Edit]:
    """The changes that make the bad version of the good one, in order; none where these are no texts, or too large."""
    ours, theirs = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if b"\0" in old or b"\0" in new or max(len(old), len(new)) > TEXT_BYTES or max(len(ours), len(theirs)) > _MOST_LINES:
        return []
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=max(len(ours), len(theirs)) > _EXACT_LINES)
    return [edit for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal" for edit in _single(i1, ours[i1:i2], theirs[j1:j2])]


def _single(begin: int, old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[Edit]:
    """A block of changed lines, line by line where as many stand in their place; of added or missing lines each alone."""
    if old and new and len(old) != len(new):
        yield Edit(begin, begin + len(old), tuple(old), tuple(new))
        return
    for at in range(max(len(old), len(new))):
        place = begin + (at if old else 0)
        yield Edit(place, place + len(old[at:at + 1]), tuple(old[at:at + 1]), tuple(new[at:at + 1]))


def edited(old: bytes, edits: Sequence[Edit]) -> bytes:
    """The good version with some of the changes."""
    lines, made, at = old.splitlines(keepends=True), [], 0
    for edit in sorted(edits, key=lambda each: (each.begin, each.end)):
        made += [*lines[at:edit.begin], *edit.lines]
        at = edit.end
    return b"".join([*made, *lines[at:]])
