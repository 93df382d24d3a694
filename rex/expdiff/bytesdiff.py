"""In which bytes two contents differ: how many, where, and for text as a unified diff."""

from __future__ import annotations

import difflib
import functools
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Callable, Iterator

from rex.archive.content import HOLE, Content

if TYPE_CHECKING:
    from rex.archive.store import Store

_BLOCK_BYTES = 1 << 16
_LEAF_BYTES = 64           # below this bytes are compared one by one
_HEAD_BYTES = 4096
_RANGES_SHOWN = 16
_TEXT_BYTES = 1 << 20      # larger contents are not diffed as text
_DIFF_LINES = 4000         # that differ, on one side: difflib's time grows with their square
_DIFF_SHOWN = 200


@dataclass(frozen=True)
class Piece:
    """Some bytes of a content, read only when they must be."""

    name: bytes              # equal names, equal bytes; b"" for no such knowledge
    length: int
    read: Callable[[], bytes]


@dataclass(frozen=True)
class Source:
    """A content as a sequence of pieces."""

    size: int
    pieces: Callable[[], Iterator[Piece]]

    @classmethod
    def stored(cls, store: "Store", content: Content) -> "Source":
        """A content in an archive."""
        def pieces() -> Iterator[Piece]:
            for name, length in store.pieces(content):
                if name == HOLE:   # may be of any size: never as one block
                    for at in range(0, length, _BLOCK_BYTES):
                        part = min(_BLOCK_BYTES, length - at)
                        yield Piece(HOLE, part, functools.partial(bytes, part))
                else:
                    yield Piece(name, length, functools.partial(store.read_object, name))
        return cls(content.size, pieces)

    @classmethod
    def spooled(cls, file: BinaryIO, size: int) -> "Source":
        """The bytes of an open file."""
        def pieces() -> Iterator[Piece]:
            for at in range(0, size, _BLOCK_BYTES):
                file.seek(at)
                data = file.read(_BLOCK_BYTES)
                yield Piece(b"", len(data), functools.partial(bytes, data))
        return cls(size, pieces)

    @classmethod
    def held(cls, data: bytes) -> "Source":
        """Bytes in memory."""
        return cls.spooled(io.BytesIO(data), len(data))

    def head(self) -> bytes:
        """What it begins with."""
        return next((piece.read() for piece in self.pieces()), b"")[:_HEAD_BYTES]

    def text(self) -> str | None:
        """All of it as text; None if it is none, or too much."""
        if self.size > _TEXT_BYTES:
            return None
        data = b"".join([piece.read() for piece in self.pieces()])
        if b"\0" in data:
            return None
        try:
            return data.decode()
        except UnicodeDecodeError:
            return None


class Ranges:
    """Ranges of differing bytes as they are found, in order."""

    def __init__(self) -> None:
        self.differing_bytes = 0
        self.count = 0
        self.first: list[list[int]] = []   # the first few, as [begin, end)
        self._end = -1

    def add(self, begin: int, end: int) -> None:
        """Add a range; one that touches the last is joined to it."""
        self.differing_bytes += end - begin
        if begin != self._end:
            self.count += 1
            if self.count <= _RANGES_SHOWN:
                self.first.append([begin, end])
        elif self.count <= _RANGES_SHOWN:
            self.first[-1][1] = end
        self._end = end

    def add_blocks(self, one: bytes, two: bytes, offset: int) -> None:
        """Add where two blocks of equal length differ; by halves, because most of them agree."""
        waiting = [(0, len(one))]
        while waiting:
            begin, end = waiting.pop()
            if one[begin:end] == two[begin:end]:
                continue
            if end - begin > _LEAF_BYTES:
                middle = (begin + end) // 2
                waiting += [(middle, end), (begin, middle)]
                continue
            for at in range(begin, end):
                if one[at] != two[at]:
                    self.add(offset + at, offset + at + 1)


class _Cursor:
    """Walks along a content, in steps that its neighbour agrees to."""

    def __init__(self, source: Source) -> None:
        self._pieces = source.pieces()
        self.at = 0
        self._data: bytes | None = None
        self.piece = next(self._pieces, None)

    @property
    def left(self) -> int:
        """Bytes left of the piece."""
        return self.piece.length - self.at if self.piece else 0

    def take(self, size: int, is_wanted: bool) -> bytes:
        """The next bytes, at most `left`; nothing is read if they are not wanted."""
        assert self.piece
        data = b""
        if is_wanted:
            if self._data is None:
                self._data = self.piece.read()
            data = self._data[self.at:self.at + size]
        self.at += size
        if self.at >= self.piece.length:
            self.piece, self._data, self.at = next(self._pieces, None), None, 0
        return data


def find_ranges(left: Source, right: Source) -> Ranges:
    """Where two contents differ, byte by byte from their beginning; memory stays bounded.

    What the longer one has beyond the shorter one differs.
    """
    ranges, offset = Ranges(), 0
    one, two = _Cursor(left), _Cursor(right)
    while one.piece and two.piece:
        is_known = (one.at == two.at and one.piece.length == two.piece.length
                    and one.piece.name == two.piece.name != b"")
        size = min(one.left, two.left)
        ours, theirs = one.take(size, not is_known), two.take(size, not is_known)
        ranges.add_blocks(ours, theirs, offset)
        offset += size
    longest = max(left.size, right.size)
    if offset < longest:
        ranges.add(offset, longest)
    return ranges


def unified_diff(left: str, right: str) -> list[str]:
    """A unified diff without its two heading lines, cut where it gets long."""
    ours, theirs = left.splitlines(keepends=True), right.splitlines(keepends=True)
    begin = 0
    while begin < min(len(ours), len(theirs)) and ours[begin] == theirs[begin]:
        begin += 1
    end = 0
    while end < min(len(ours), len(theirs)) - begin and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    context = 3
    first, last = max(0, begin - context), max(0, end - context)
    ours, theirs = ours[first:len(ours) - last], theirs[first:len(theirs) - last]
    is_cut = max(len(ours), len(theirs)) > _DIFF_LINES
    lines = [_numbered(line, first) for line in list(difflib.unified_diff(
        ours[:_DIFF_LINES], theirs[:_DIFF_LINES], n=context, lineterm="\n"))[2:]]
    found = []
    for line in lines[:_DIFF_SHOWN]:
        found.append(line.rstrip("\n"))
        if not line.endswith("\n"):
            found.append("\\ No newline at end of file")
    if len(lines) > _DIFF_SHOWN or is_cut:
        found.append("... and more")
    return found


def _numbered(line: str, first: int) -> str:
    """A hunk's heading, counted from the beginning of the file; other lines as they are."""
    if not line.startswith("@@ "):
        return line
    numbers = []
    for part in line.split()[1:3]:
        start, comma, count = part[1:].partition(",")
        numbers.append(f"{part[0]}{int(start) + first}{comma}{count}")
    return f"@@ {' '.join(numbers)} @@\n"


def detail_of(left: Source, right: Source) -> dict[str, Any]:
    """How two contents differ: bytes, ranges, and a diff where both are text."""
    ranges = find_ranges(left, right)
    told: dict[str, Any] = {"differing_bytes": ranges.differing_bytes, "ranges_count": ranges.count,
                            "ranges": ranges.first}
    one = left.text()
    two = right.text() if one is not None else None
    if one is not None and two is not None:
        told["diff"] = unified_diff(one, two)
    return told
