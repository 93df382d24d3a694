"""What a program writes, kept on the disk while it runs, so that any page may read it from any point.

The disk that one run takes is bounded: the beginning and the end stay, the middle goes.
Positions count the bytes of all records ever written, so a reader can come back
after a broken connection and go on exactly where it was.
"""

from __future__ import annotations

import os
import struct
import threading
from dataclasses import dataclass, field

_HEAD = struct.Struct("<BI")   # stream, bytes
_SEGMENT_BYTES = 4 << 20
_SEGMENTS = 16                 # the first one and the newest others
_MARK_BYTES = 1 << 16
_PIECE_BYTES = 1 << 16         # of a record


@dataclass(frozen=True)
class Piece:
    """Some output in the order of its coming; `lost_bytes` of it went before this one."""

    stream: int
    data: bytes
    lost_bytes: int = 0


@dataclass
class _Segment:
    start: int
    path: str
    size: int = 0
    marks: list[int] = field(default_factory=list)   # where records begin, at wide steps


class Spool:
    """One run's output; one thread appends, any number read."""

    def __init__(self, directory: str, segment_bytes: int = _SEGMENT_BYTES, segments: int = _SEGMENTS) -> None:
        self._directory = directory
        self._segment_bytes, self._limit = segment_bytes, max(2, segments)
        self._lock = threading.Lock()
        self._segments: list[_Segment] = []
        self._held: dict[int, bytes] = {}   # by stream, the beginning of a character
        self.end = 0
        self.lost_bytes = 0
        os.makedirs(directory, mode=0o700, exist_ok=True)

    def append(self, stream: int, data: bytes) -> None:
        """Keep what came; a character that is not whole waits for its rest."""
        data = self._held.pop(stream, b"") + data
        cut = len(data) - _open_bytes(data)
        if data[cut:]:
            self._held[stream] = data[cut:]
        for at in range(0, cut, _PIECE_BYTES):
            self._write(stream, data[at:min(cut, at + _PIECE_BYTES)])

    def finish(self) -> None:
        """Nothing comes any more: what waited is no character."""
        for stream, data in self._held.items():
            self._write(stream, data)
        self._held.clear()

    def _write(self, stream: int, data: bytes) -> None:
        record = _HEAD.pack(stream, len(data)) + data
        with self._lock:
            if not self._segments or self._segments[-1].size + len(record) > self._segment_bytes:
                self._begin_segment()
            segment = self._segments[-1]
            if not segment.marks or self.end - segment.marks[-1] >= _MARK_BYTES:
                segment.marks.append(self.end)
            with open(segment.path, "ab") as file:
                file.write(record)
            segment.size += len(record)
            self.end += len(record)

    def _begin_segment(self) -> None:
        self._segments.append(_Segment(self.end, os.path.join(self._directory, f"{self.end:020}")))
        if len(self._segments) > self._limit:
            gone = self._segments.pop(1)
            self.lost_bytes += gone.size
            os.unlink(gone.path)

    def tail(self, limit_bytes: int) -> int:
        """The first position from which no more than about so many bytes are left."""
        with self._lock:
            marks = [mark for segment in self._segments for mark in segment.marks]
        return next((mark for mark in marks if mark >= self.end - limit_bytes), self.end)

    def read(self, position: int, limit_bytes: int = 1 << 18) -> tuple[list[Piece], int]:
        """Output from a position on, and where to go on; some of the nearest segment at a time."""
        with self._lock:
            segment = next((s for s in self._segments if position < s.start + s.size), None)
            if segment is None:
                return [], self.end
            lost = max(0, segment.start - position)
            position = max(position, segment.start)
            with open(segment.path, "rb") as file:
                file.seek(position - segment.start)
                data = file.read(min(limit_bytes + _PIECE_BYTES, segment.start + segment.size - position))
        pieces, at = [], 0
        while at + _HEAD.size <= len(data) and at < limit_bytes:
            stream, size = _HEAD.unpack_from(data, at)
            if at + _HEAD.size + size > len(data):
                break
            at += _HEAD.size
            pieces.append(Piece(stream, data[at:at + size], lost))
            at, lost = at + size, 0
        return pieces, position + at if pieces else self.end


def _open_bytes(data: bytes) -> int:
    """How many bytes at the end are the beginning of a UTF-8 character."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte >= 0xC0:
            needs = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return back if back < needs else 0
        if byte < 0x80:
            return 0
    return 0
