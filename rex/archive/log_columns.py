"""Logs with their times apart: the times are most of what tells two logs of one command from each other.

Among the records each time is new, and cuts what zstd would find again. In columns of their own, as differences,
they take a byte or two each: when calls returned, and what clocks said. docs/formats/log.md, *Times apart*, has the bytes.
"""

from __future__ import annotations

import io
import struct
from array import array
from itertools import accumulate, islice
from operator import sub

from rex import codec
from rex.errors import Damaged
from rex.hints import Any, BinaryIO, Iterable, Iterator, cast

_MAGIC = b"REXLOG\r\n"
_HEAD = struct.Struct("<IIII")     # bytes of a block's records, number of its times, of its readings of clocks, 0
HEADER_BYTES = 32
_RECORD_BYTES, _TIME_WORD = 80, 3  # the smallest record; where its time is, in words of 8 bytes
# clock_gettime, its clock and its answer, in words; the head of its field: argument 1, OUT, 16 bytes.
_CLOCK_CALL, _CLOCK_WORD, _FIELD_WORD, _SECOND_WORD, _NS_WORD = 228, 4, 10, 11, 12
_READING_BYTES, _READING_FIELD = 104, 1 | 1 << 8 | 16 << 32
_SECOND_NS, _MAX_SECONDS = 10**9, 1 << 33
_WORD = 8
_READ_BYTES = 512 << 10
MAX_BLOCK_BYTES = 64 << 20         # a block that declares more is refused
_ALL_ONES = (1 << 64) - 1
_NO_TIMES = memoryview(array("Q", bytes(codec.RUN * _WORD)))


def is_log(header: bytes) -> bool:
    """Whether this is the header of a log of system calls."""
    return len(header) == HEADER_BYTES and header.startswith(_MAGIC)


def head(header: bytes) -> bytes:
    """The first block of such a log in the other form: its header."""
    return _HEAD.pack(len(header), 0, 0, 0) + header


def separate(source: BinaryIO) -> Iterator[bytes]:
    """What follows the header, in the other form, a block at a time as the source has more."""
    rest, taken, is_log = b"", _Times(), True
    while block := codec.read_stream(source, _READ_BYTES):
        data = bytearray(rest + block)
        end = taken.take(data) if is_log else 0
        # What no record begins with, or one that is larger than all the others, stays as it is.
        is_log = is_log and (end > 0 or len(data) <= MAX_BLOCK_BYTES - _READ_BYTES)
        if not is_log:
            end = len(data)
        rest = bytes(data[end:])
        if end:
            yield taken.columns(end) + data[:end]
    if rest:
        yield taken.columns(len(rest)) + rest


class _Times:
    """What was taken out of records, as differences; goes on from block to block."""

    def __init__(self) -> None:
        self._last = 0
        self._clocks: dict[int, int] = {}
        self._times: list[int] = []
        self._readings: list[int] = []

    def take(self, data: bytearray) -> int:
        """Take the times out of the whole records at the front of data; where those records end."""
        with memoryview(data) as view, view[:len(data) // _WORD * _WORD].cast("Q") as words:
            count, at, tried, times = len(words), 0, 0, [self._last]
            while at + _TIME_WORD < count:
                head = words[at]
                size = head & 0xFFFFFFFF
                next_at = at + (size >> 3)
                if size < _RECORD_BYTES or size & 7 or next_at > count:
                    break
                if at >= tried and next_at < count and words[next_at] == head:
                    tried = at + codec.RUN * (size >> 3)
                    if codec.is_run(words, at) and self._take_run(words, at, times):
                        at = tried
                        continue
                if head >> 32 & 0xFFFF == _CLOCK_CALL and _is_reading(words, at, size) and not self._take_reading(words, at):
                    break
                times.append(words[at + _TIME_WORD])
                words[at + _TIME_WORD] = 0
                at = next_at
            self._times, self._last = list(map(sub, times[1:], times)), times[-1]
            return at * _WORD

    def _take_run(self, words: memoryview, at: int, times: list[int]) -> bool:
        """Whether these can be taken all at once."""
        step = (words[at] & 0xFFFFFFFF) >> 3
        end = at + codec.RUN * step
        if words[at] >> 32 & 0xFFFF == _CLOCK_CALL:
            clock = _clock_of_run(words, at)
            if clock is None:
                return False
            seconds, ns = words[at + _SECOND_WORD:end:step].tolist(), words[at + _NS_WORD:end:step].tolist()
            if max(seconds) >= _MAX_SECONDS or max(ns) >= _SECOND_NS:
                return False
            values = [second * _SECOND_NS + n for second, n in zip(seconds, ns)]
            self._readings.append(values[0] - self._clocks.get(clock, 0))
            self._readings += map(sub, values[1:], values)
            self._clocks[clock] = values[-1]
            words[at + _SECOND_WORD:end:step] = words[at + _NS_WORD:end:step] = _NO_TIMES
        times += words[at + _TIME_WORD:end:step].tolist()
        words[at + _TIME_WORD:end:step] = _NO_TIMES
        return True

    def _take_reading(self, words: memoryview, at: int) -> bool:
        """Whether this is a time as kernels tell it, which can be put back as it was."""
        seconds, ns, clock = words[at + _SECOND_WORD], words[at + _NS_WORD], words[at + _CLOCK_WORD]
        if seconds >= _MAX_SECONDS or ns >= _SECOND_NS:
            return False
        value = seconds * _SECOND_NS + ns
        self._readings.append(value - self._clocks.get(clock, 0))
        self._clocks[clock] = value
        words[at + _SECOND_WORD] = words[at + _NS_WORD] = 0
        return True

    def columns(self, size: int) -> bytes:
        """The front of a block of that many bytes, with what was taken since the last."""
        data = _HEAD.pack(size, len(self._times), len(self._readings), 0) + _columns(self._times) + _columns(self._readings)
        self._times, self._readings = [], []
        return data


def _is_reading(words: memoryview, at: int, size: int) -> bool:
    return size >= _READING_BYTES and words[at + _FIELD_WORD] == _READING_FIELD


def _clock_of_run(words: memoryview, at: int) -> int | None:
    """The clock that all of a run of records read, if they do."""
    step = (words[at] & 0xFFFFFFFF) >> 3
    end = at + codec.RUN * step
    if step <= _NS_WORD or words[at + _FIELD_WORD:end:step].tolist().count(_READING_FIELD) < codec.RUN:
        return None
    clocks: list[int] = words[at + _CLOCK_WORD:end:step].tolist()
    return clocks[0] if clocks.count(clocks[0]) == codec.RUN else None


def _sums(differences: Iterable[int], start: int) -> array[int]:
    sums = list(accumulate(differences, initial=start))[1:]
    try:
        return array("Q", sums)
    except OverflowError:
        return array("Q", [one & _ALL_ONES for one in sums])


def _columns(differences: list[int]) -> bytes:
    """Numbers modulo 2^64: the lowest bytes of all, then the second ones, ..."""
    try:
        data = array("q", differences).tobytes()
    except OverflowError:
        data = array("Q", [difference & _ALL_ONES for difference in differences]).tobytes()
    return b"".join([data[k::_WORD] for k in range(_WORD)])


def _numbers(columns: bytes) -> array[int]:
    """What `_columns` made these of."""
    count, mixed, numbers = len(columns) // _WORD, bytearray(len(columns)), array("Q")
    for k in range(_WORD):
        mixed[k::_WORD] = columns[k * count:(k + 1) * count]
    numbers.frombytes(mixed)
    return numbers


def join(stored: BinaryIO) -> BinaryIO:
    """The log that `separate` made this of; reading it raises Damaged where it cannot be. It closes what is stored."""
    return cast(BinaryIO, io.BufferedReader(_Joined(stored), 1 << 17))


class _Joined(io.RawIOBase):
    """The log, read from front to back."""

    def __init__(self, stored: BinaryIO) -> None:
        self._stored = stored
        self._data = memoryview(b"")
        self._last = 0
        self._clocks: dict[int, int] = {}

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

    def _block(self, size: int, count: int, readings: int, _: int) -> bytearray:
        if size > MAX_BLOCK_BYTES or count * _RECORD_BYTES > size or readings > count:
            raise _damaged()
        columns = [codec.read_stream(self._stored, number * _WORD) for number in (count, readings)]
        data = bytearray(codec.read_stream(self._stored, size))
        if len(columns[0]) < count * _WORD or len(columns[1]) < readings * _WORD or len(data) < size:
            raise _damaged()
        if count:
            with memoryview(data) as view, view[:size // _WORD * _WORD].cast("Q") as words:
                self._put_times(words, _numbers(columns[0]), iter(_numbers(columns[1])))
        return data

    def _put_run(self, words: memoryview, at: int, differences: array[int], readings: Iterator[int]) -> bool:
        """Whether these could be put back all at once; then _last is the last of the times."""
        step = (words[at] & 0xFFFFFFFF) >> 3
        end = at + codec.RUN * step
        if words[at] >> 32 & 0xFFFF == _CLOCK_CALL:
            clock = _clock_of_run(words, at)
            if clock is None:
                return False
            values = _sums(islice(readings, codec.RUN), self._clocks.get(clock, 0))
            if len(values) < codec.RUN:
                raise _damaged()
            self._clocks[clock] = values[-1]
            words[at + _SECOND_WORD:end:step] = memoryview(array("Q", [value // _SECOND_NS for value in values]))
            words[at + _NS_WORD:end:step] = memoryview(array("Q", [value % _SECOND_NS for value in values]))
        times = _sums(differences, self._last)
        words[at + _TIME_WORD:end:step] = memoryview(times)
        self._last = times[-1]
        return True

    def _put_times(self, words: memoryview, times: array[int], readings: Iterator[int]) -> None:
        at, tried, done, count, end = 0, 0, 0, len(times), len(words)
        while done < count:
            head = words[at] if at < end else 0
            size = head & 0xFFFFFFFF
            next_at = at + (size >> 3)
            if size < _RECORD_BYTES or size & 7 or next_at > end:
                raise _damaged()
            if at >= tried and next_at < end and words[next_at] == head and done + codec.RUN <= count:
                tried = at + codec.RUN * (size >> 3)
                if codec.is_run(words, at) and self._put_run(words, at, times[done:done + codec.RUN], readings):
                    at = tried
                    done += codec.RUN
                    continue
            if head >> 32 & 0xFFFF == _CLOCK_CALL and _is_reading(words, at, size):
                self._put_reading(words, at, next(readings, None))
            words[at + _TIME_WORD] = self._last = (self._last + times[done]) & _ALL_ONES
            at = next_at
            done += 1
        if next(readings, None) is not None:
            raise _damaged()

    def _put_reading(self, words: memoryview, at: int, difference: int | None) -> None:
        if difference is None:
            raise _damaged()
        clock = words[at + _CLOCK_WORD]
        value = self._clocks[clock] = (self._clocks.get(clock, 0) + difference) & _ALL_ONES
        words[at + _SECOND_WORD], words[at + _NS_WORD] = divmod(value, _SECOND_NS)

    def close(self) -> None:
        """Close what is stored too."""
        self._stored.close()
        super().close()


def _damaged() -> Damaged:
    return Damaged("a log is damaged", "its times do not fit its records", "see: rex check")
