"""Logs with their times apart: the times are most of what tells two logs of one command from each other.

Among the records each time is new, and cuts what zstd would find again. In columns of their own, as differences,
they take a byte or two each. docs/formats/log.md, *Times apart*, has the bytes.
"""

from __future__ import annotations

import io
import struct
from array import array
from operator import sub
from typing import Any, BinaryIO, Iterator, cast

from rex import codec
from rex.errors import Damaged

_MAGIC = b"REXLOG\r\n"
_HEAD = struct.Struct("<II")       # bytes of a block's records, number of its times
_HEADER_BYTES = 32
_RECORD_BYTES, _TIME_WORD = 80, 3  # the smallest record; where its time is, in words of 8 bytes
_WORD = 8
_READ_BYTES = 8 << 20
MAX_BLOCK_BYTES = 64 << 20         # a block that declares more is refused
_ALL_ONES = (1 << 64) - 1


def separate(source: BinaryIO) -> Iterator[bytes] | None:
    """A log's bytes in the other form, a block at a time; None for what is no log of system calls."""
    header = codec.read_stream(source, _HEADER_BYTES)
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        return None
    return _blocks(source, header)


def _blocks(source: BinaryIO, header: bytes) -> Iterator[bytes]:
    yield _HEAD.pack(len(header), 0) + header
    rest, last, is_log = b"", 0, True
    while block := codec.read_stream(source, _READ_BYTES):
        data = bytearray(rest + block)
        times, end = _take_times(data) if is_log else ([], 0)
        # What no record begins with, or one that is larger than all the others, stays as it is.
        is_log = is_log and (end > 0 or len(data) <= MAX_BLOCK_BYTES - _READ_BYTES)
        if not is_log:
            end = len(data)
        rest = bytes(data[end:])
        if end:
            yield _HEAD.pack(end, len(times)) + _columns(times, last) + data[:end]
        last = times[-1] if times else last
    if rest:
        yield _HEAD.pack(len(rest), 0) + rest


def _take_times(data: bytearray) -> tuple[list[int], int]:
    """Take the times out of the whole records at the front of data; the times, and where those records end."""
    with memoryview(data) as view, view[:len(data) // _WORD * _WORD].cast("Q") as words:
        count, at, times = len(words), 0, []
        while at + _TIME_WORD < count:
            size = words[at] & 0xFFFFFFFF
            next_at = at + (size >> 3)
            if size < _RECORD_BYTES or size & 7 or next_at > count:
                break
            times.append(words[at + _TIME_WORD])
            words[at + _TIME_WORD] = 0
            at = next_at
        return times, at * _WORD


def _columns(times: list[int], last: int) -> bytes:
    """Differences of times, modulo 2^64: the lowest bytes of all, then the second ones, ..."""
    data = array("Q", [difference & _ALL_ONES for difference in map(sub, times, [last, *times])]).tobytes()
    return b"".join([data[k::_WORD] for k in range(_WORD)])


def join(stored: BinaryIO) -> BinaryIO:
    """The log that `separate` made this of; reading it raises Damaged where it cannot be. It closes what is stored."""
    return cast(BinaryIO, io.BufferedReader(_Joined(stored), 1 << 17))


class _Joined(io.RawIOBase):
    """The log, read from front to back."""

    def __init__(self, stored: BinaryIO) -> None:
        self._stored = stored
        self._data = memoryview(b"")
        self._last = 0

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer's front; the number of bytes, 0 at the end.

        Raises:
            Damaged: a block is cut short, or holds no such records.
        """
        while not self._data:
            head = codec.read_stream(self._stored, _HEAD.size)
            if not head:
                return 0
            if len(head) < _HEAD.size:
                raise _damaged()
            self._data = memoryview(self._block(*_HEAD.unpack(head)))
        count = min(len(buffer), len(self._data))
        buffer[:count] = self._data[:count]
        self._data = self._data[count:]
        return count

    def _block(self, size: int, count: int) -> bytearray:
        if size > MAX_BLOCK_BYTES or count * _RECORD_BYTES > size:
            raise _damaged()
        columns = codec.read_stream(self._stored, count * _WORD)
        data = bytearray(codec.read_stream(self._stored, size))
        if len(columns) < count * _WORD or len(data) < size:
            raise _damaged()
        if count:
            self._put_times(data, columns, count)
        return data

    def _put_times(self, data: bytearray, columns: bytes, count: int) -> None:
        mixed = bytearray(len(columns))
        for k in range(_WORD):
            mixed[k::_WORD] = columns[k * count:(k + 1) * count]
        differences = array("Q")
        differences.frombytes(mixed)
        words, at = memoryview(data)[:len(data) // _WORD * _WORD].cast("Q"), 0
        time, end = self._last, len(words)
        for difference in differences:
            size = words[at] & 0xFFFFFFFF if at < end else 0
            if size < _RECORD_BYTES or size % _WORD or at + size // _WORD > end:
                raise _damaged()
            time = (time + difference) & _ALL_ONES
            words[at + _TIME_WORD] = time
            at += size // _WORD
        self._last = time

    def close(self) -> None:
        """Close what is stored too."""
        self._stored.close()
        super().close()


def _damaged() -> Damaged:
    return Damaged("a log is damaged", "its times do not fit its records", "see: rex check")
