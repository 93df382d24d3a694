"""Texts with numbers: lines are aligned by what is no number, numbers are compared as numbers."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from rex.contents.judge import Judge
from rex.contents.parts import Part, Parts
from rex.contents.reading import Reading, Unreadable

# A date, a time, a range or a version is no number, nor is one that touches a letter.
TOKEN = re.compile(r"(?P<text>\d+(?:[-:/]\d+)+|\d+(?:\.\d+){2,})|(?<![\w.])(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?)(?![\w]|\.\d)")
_SPACES = re.compile(r"[ \t]+")
_ALIGNED_LINES = 4000      # that differ, on one side: difflib's time grows with their square


def decode(data: bytes) -> str:
    """The bytes as text.

    Raises:
        Unreadable: they are none.
    """
    if b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable("it is no text")
    try:
        return data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("it is no text in UTF-8") from None


def read(data: bytes, reading: Reading) -> Parts:
    """The lines of a text."""
    reading.take(2 * len(data), data.count(b"\n"))
    return {"": Lines(decode(data).splitlines())}


@dataclass
class Lines(Part):
    """The lines of a text."""

    lines: list[str]

    def compare(self, other: "Lines", name: str, judge: Judge) -> None:
        ours = [_split(judge.strip(line)) for line in self.lines]
        theirs = [ours[at] if at < len(ours) and line == self.lines[at] else _split(judge.strip(line)) for at, line in enumerate(other.lines)]
        self._count_ignored(other, judge, [line for line, _ in ours], [line for line, _ in theirs])
        prefix = f"{name}: " if name else ""
        numbers, lines = judge.tally.group(prefix + "numbers", "number"), judge.tally.group(prefix + "lines of text", "line")
        for i, j in _aligned([line for line, _ in ours], [line for line, _ in theirs]):
            if i is None or j is None:
                if ours[i][0] if i is not None else theirs[j][0]:   # type: ignore[index]
                    judge.tally.miss(f"{prefix}line {(i if i is not None else j) + 1}", int(i is None))   # type: ignore[operator]
                continue
            lines.compared += 1
            if ours[i] is theirs[j]:
                numbers.compared += len(ours[i][1])
                continue
            if ours[i][0] != theirs[j][0]:
                lines.count(False, None, f"line {i + 1}")
                continue
            for one, two in zip(ours[i][1], theirs[j][1]):
                judge.compare(numbers, one, two, lambda i=i: f"line {i + 1}")   # type: ignore[misc]

    def _count_ignored(self, other: "Lines", judge: Judge, ours: list[str], theirs: list[str]) -> None:
        """Lines that differ only in what does not count."""
        if judge.rules.ignore and len(self.lines) == len(other.lines):
            judge.tally.ignored += sum(one != two and ours[at] == theirs[at] and judge.strip(one) == judge.strip(two)
                                       for at, (one, two) in enumerate(zip(self.lines, other.lines)))


def _split(line: str) -> tuple[str, list[str]]:
    """What a line says without its numbers, and the numbers; how wide its blanks are does not count."""
    numbers = []

    def take(match: re.Match[str]) -> str:
        if match["number"] is None:
            return match[0]
        numbers.append(match["number"])
        return "\0"
    return _SPACES.sub(" ", TOKEN.sub(take, line)).strip(), numbers


def _aligned(ours: list[str], theirs: list[str]) -> list[tuple[int | None, int | None]]:
    """Which lines belong together; None where one has no counterpart."""
    if len(ours) == len(theirs):
        return list(zip(range(len(ours)), range(len(theirs))))
    if (len(ours), ours) > (len(theirs), theirs):     # difflib is not symmetric, a comparison is
        return [(i, j) for j, i in _aligned(theirs, ours)]
    begin = end = 0
    while begin < len(ours) and ours[begin] == theirs[begin]:
        begin += 1
    while end < len(ours) - begin and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    found: list[tuple[int | None, int | None]] = [(at, at) for at in range(begin)]
    middle = ours[begin:len(ours) - end], theirs[begin:len(theirs) - end]
    if max(map(len, middle)) > _ALIGNED_LINES:
        blocks = [("replace", 0, len(middle[0]), 0, len(middle[1]))]
    else:
        blocks = list(difflib.SequenceMatcher(None, *middle, autojunk=False).get_opcodes())
    for _, i1, i2, j1, j2 in blocks:
        for at in range(max(i2 - i1, j2 - j1)):
            found.append((begin + i1 + at if i1 + at < i2 else None, begin + j1 + at if j1 + at < j2 else None))
    return found + [(len(ours) - at, len(theirs) - at) for at in range(end, 0, -1)]
