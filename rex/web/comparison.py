"""A comparison as the page shows it: what was changed, what came of it, texts side by side."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from typing import Any

from rex.expdiff.cause import Cause
from rex.expdiff.difference import (APPARATUS, COMMAND, ENVIRONMENT, INPUTS, MACHINE, ONLY_LEFT, ONLY_RIGHT, OUTPUTS,
                                    STATUS, STDERR, STDOUT, Comparison, Difference)
from rex.expdiff.pictures import is_named_picture
from rex.text import clean, command_text, status_text
from rex.types import format_size
from rex.web.links import Links

CHANGED = (COMMAND, APPARATUS, INPUTS, ENVIRONMENT, MACHINE)
CAME_OUT = (OUTPUTS, STDOUT, STDERR, STATUS)
_TITLES = {COMMAND: "Command", APPARATUS: "Programs and libraries", INPUTS: "Input files", ENVIRONMENT: "Environment",
           MACHINE: "Machine", OUTPUTS: "Output files", STDOUT: "Standard output", STDERR: "Standard error",
           STATUS: "Exit status"}
_ROLES = {APPARATUS: "apparatus", INPUTS: "input", OUTPUTS: "output"}
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_WORD = re.compile(r"\d+(?:\.\d+)*|\w+|\s+|.")
_SHOWN = 60          # differences of one component
_MARKED_CHARS = 500  # of a line in which single words are marked
_ALIGNED_PAIRS = 10_000   # of lines of one block that are compared with each other
_LIKE = 0.25
_STRIP = 1000        # units of the strip that shows where bytes differ

Span = tuple[str, bool]   # text, and whether it is what differs in its line


@dataclass(frozen=True)
class Cell:
    """A line of one side; number 0 for none."""

    number: int = 0
    spans: tuple[Span, ...] = ()
    kind: str = ""


@dataclass(frozen=True)
class Row:
    """Two lines beside each other, or a note across both."""

    left: Cell = Cell()
    right: Cell = Cell()
    note: str = ""


@dataclass
class Item:
    """One difference, ready to be shown.

    Attributes:
        title, name: what it is called here, and in full.
        left, right: values in a line; None where there is none.
        links: addresses of the two archived files, "" where there is none.
        picture: address of a picture of the difference, "" for none.
        marks: begin and width of each differing range, in thousandths of the file.
    """

    title: str
    name: str
    kind: str
    notes: list[str] = field(default_factory=list)
    left: str | None = None
    right: str | None = None
    links: tuple[str, str] = ("", "")
    picture: str = ""
    rows: list[Row] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)
    ranges_more: int = 0
    marks: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class Section:
    """One component: the same, or these differences."""

    title: str
    items: list[Item] = field(default_factory=list)
    count: int = 0


@dataclass(frozen=True)
class Why:
    """The most probable reason why an output differs; `way` tells how it got there."""

    output: str
    reason: str
    way: str


@dataclass
class Page:
    """Everything that the comparison page tells."""

    is_same: bool
    changed: list[Section]
    came_out: list[Section]
    causes: list[Why]
    by_nature: list[str]
    within: list[tuple[str, str]]
    parted: list[str]


def show(found: Comparison, names: tuple[str, str], links: Links, cwd: str = "/") -> Page:
    """The comparison of two experiments of one archive, for the page; paths below cwd are relative to it."""
    top = "" if cwd == "/" else clean(cwd.rstrip("/") + "/")
    def sections(components: tuple[str, ...]) -> list[Section]:
        made = []
        for name in components:
            differences = found.components.get(name, [])
            items = [_item(each, name, names, links, top) for each in differences[:_SHOWN]]
            made.append(Section(_TITLES[name], items, len(differences)))
        return made
    return Page(found.is_same, sections(CHANGED), sections(CAME_OUT),
                [_why(cause, top) for cause in found.causes], [clean(each.item) for each in found.by_nature],
                [(clean(each.item).removeprefix(top), clean(str(each.details["verdict"]["sentence"]))) for each in found.within],
                [clean(each.sentence) for each in found.partings[:_SHOWN]])


def _why(cause: Cause, top: str) -> Why:
    def told(text: str) -> str:
        return clean(text).replace(top, "") if top else clean(text)

    if cause.suspect is None:
        return Why(told(cause.output), "though nothing on the way to it differs in the records", "")
    return Why(told(cause.output), f"because {told(cause.suspect.what)}", told(", ".join(cause.way)))


def _item(difference: Difference, component: str, names: tuple[str, str], links: Links, top: str) -> Item:
    title = clean(difference.item)
    item = Item(title.removeprefix(top), title, difference.kind,
                [clean(note).replace(" -> ", " → ") for note in difference.notes])
    role = _ROLES.get(component)
    if component not in (STDOUT, STDERR) and not isinstance(difference.left or difference.right, dict):
        if difference.kind != ONLY_RIGHT:
            item.left = _value(difference.item, difference.left, component)
        if difference.kind != ONLY_LEFT:
            item.right = _value(difference.item, difference.right, component)
    elif role:
        item.links = tuple(   # type: ignore[assignment]
            links.preview(name, role, path) if isinstance(value, dict) and value.get("sha256") else ""
            for name, path, value in zip(names, (difference.left_path, difference.right_path),
                                         (difference.left, difference.right)))
        if component == OUTPUTS and all(item.links) and is_named_picture(difference.right_path):
            item.picture = links.picture(*names, difference.left_path, difference.right_path)
        if difference.kind != "differs":
            size = (difference.left or difference.right or {}).get("size")
            item.notes += [format_size(size)] if isinstance(size, int) else []
    _add_bytes(item, difference)
    return item


def _value(item: str, value: Any, component: str) -> str:
    if component == STATUS:
        return status_text(value)
    if isinstance(value, list):
        return command_text(map(str, value)) if component == COMMAND else clean(", ".join(map(str, value)))
    return "(withheld)" if value is None else clean(str(value))


def _add_bytes(item: Item, difference: Difference) -> None:
    """Lines for texts; ranges for everything else, where they are known."""
    details = difference.details
    if details.get("diff"):
        item.rows = side_by_side(details["diff"])
    elif details.get("ranges"):
        item.ranges = [_range_text(begin, end) for begin, end in details["ranges"]]
        item.ranges_more = details["ranges_count"] - len(details["ranges"])
        count = details["differing_bytes"]
        item.notes.append(f"{count} byte{' differs' if count == 1 else 's differ'}")
        size = max(each.get("size", 0) for each in (difference.left, difference.right) if isinstance(each, dict))
        item.marks = _marks(details["ranges"], size)


def _range_text(begin: int, end: int) -> str:
    return f"byte {begin}" if end == begin + 1 else f"bytes {begin} to {end - 1}"


def _marks(ranges: list[list[int]], size: int) -> list[tuple[int, int]]:
    made = []
    for begin, end in ranges:
        first = min(_STRIP - 4, begin * _STRIP // max(1, size))
        made.append((first, max(4, min(_STRIP, end * _STRIP // max(1, size)) - first)))
    return made


def side_by_side(lines: list[str]) -> list[Row]:
    """A unified diff as two columns; lines that stand for each other are level, with what differs marked."""
    rows: list[Row] = []
    old: list[str] = []
    new: list[str] = []
    numbers = [1, 1]

    def flush() -> None:
        rows.extend(_pairs(old, new, numbers))
        numbers[0] += len(old)
        numbers[1] += len(new)
        old.clear()
        new.clear()

    for line in lines:
        if line[:1] == "-":
            if new:
                flush()
            old.append(line[1:])
        elif line[:1] == "+":
            new.append(line[1:])
        elif line[:1] == "\\":   # says that the line before has no end: shown where it is the only difference
            continue
        else:
            flush()
            hunk = _HUNK.match(line)
            if hunk:
                numbers = [max(1, int(hunk[1])), max(1, int(hunk[2]))]
                rows.append(Row(note=f"line {hunk[2]}" if int(hunk[2]) else "beginning"))
            elif line[:1] == " ":
                span = ((_line(line[1:]), False),)
                rows.append(Row(Cell(numbers[0], span), Cell(numbers[1], span)))
                numbers = [numbers[0] + 1, numbers[1] + 1]
            else:
                rows.append(Row(note="and more"))
    flush()
    return rows


def _line(text: str) -> str:
    return "\t".join(map(clean, text.split("\t")))


def _pairs(old: list[str], new: list[str], numbers: list[int]) -> list[Row]:
    """Lines that stand for each other, level; those of one side only against nothing."""
    rows = []
    for at, to in _align(old, new):
        left = _line(old[at]) if at is not None else None
        right = _line(new[to]) if to is not None else None
        if left is not None and right is not None:
            one, two = _marked(left, right)
        else:
            one, two = ((left or "", False),), ((right or "", False),)
        rows.append(Row(Cell(numbers[0] + at, one, "old") if at is not None else Cell(),
                        Cell(numbers[1] + to, two, "new") if to is not None else Cell()))
    return rows


def _align(old: list[str], new: list[str]) -> list[tuple[int | None, int | None]]:
    """Which lines stand for each other, in their order, so that they have the most words in common.

    By dynamic programming; long blocks are paired line by line.
    """
    if len(old) * len(new) > _ALIGNED_PAIRS or len(old) == len(new) == 1:
        return [(at if at < len(old) else None, at if at < len(new) else None) for at in range(max(len(old), len(new)))]
    words = [[set(line.split()) for line in lines] for lines in (old, new)]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]   # [i][j]: of the lines from i and j on
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + _likeness(words[0][i], words[1][j]))
    found: list[tuple[int | None, int | None]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new):
            like = _likeness(words[0][i], words[1][j])
            if like and best[i][j] == best[i + 1][j + 1] + like:
                found.append((i, j))
                i, j = i + 1, j + 1
                continue
        if j == len(new) or i < len(old) and best[i][j] == best[i + 1][j]:
            found.append((i, None))
            i += 1
        else:
            found.append((None, j))
            j += 1
    return found


def _likeness(one: set[str], two: set[str]) -> float:
    """The share of words that two lines have in common; 0 where it is small."""
    share = len(one & two) / len(one | two) if one | two else 1.0
    return share if share >= _LIKE else 0.0


def _marked(left: str, right: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Two lines cut at what they do not share, by words."""
    plain = ((left, False),), ((right, False),)
    if max(len(left), len(right)) > _MARKED_CHARS:
        return plain
    ours, theirs = _WORD.findall(left), _WORD.findall(right)
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    if matcher.ratio() < 0.3:   # hardly the same line any more
        return plain
    one: list[Span] = []
    two: list[Span] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        for spans, words in ((one, ours[i1:i2]), (two, theirs[j1:j2])):
            if words:
                spans.append(("".join(words), tag != "equal"))
    return tuple(one), tuple(two)
