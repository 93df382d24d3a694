"""Read a log, raw or compressed, event by event in bounded memory."""

from __future__ import annotations

import os
import struct
from types import TracebackType

from rex import codec
from rex.errors import Damaged, TooNew
from rex.hints import AbstractSet, BinaryIO, Container, Iterator
from rex.log.records import EVENT, FINISHED, HEADER, MAGIC, MAX_RECORD_BYTES, REPEATED, VERSION, Event, decode
from rex.log.repeats import events_in, times_in

_BLOCK_BYTES = 1 << 18
_HEAD = struct.Struct("<IHH").unpack_from       # size, call, flags


class LogReader:
    """The events of one log, in order; iterate once.

    Attributes:
        is_finished: whether the recorder wrote the log to its end.
        start_ns: wall-clock time of the start, ns since 1970.
        count: number of events; 0 while unfinished.
    """

    def __init__(self, source: str | os.PathLike[str] | BinaryIO) -> None:
        """Open a log by path, or take a stream of its decompressed bytes.

        Raises:
            Damaged: this is no log.
            TooNew: it was written by a newer format version.
        """
        if isinstance(source, (str, os.PathLike)):
            self._stream = codec.open_stream(os.fspath(source))
        else:
            self._stream = source
        try:
            self._read_header()
        except BaseException:
            self.close()
            raise

    def _read_header(self) -> None:
        head = codec.read_stream(self._stream, HEADER.size)
        if len(head) < HEADER.size or not head.startswith(MAGIC):
            why = "states or checkpoints, not system calls" if head.startswith(b"{") else "not the log's magic bytes"
            raise Damaged("this is not a log", f"it begins with {why}")
        _, version, flags, self.start_ns, self.count = HEADER.unpack(head)
        if version > VERSION:
            raise TooNew(f"the log has format version {version}",
                         f"this Rex reads up to {VERSION}", "use a newer Rex")
        if version < 1:
            raise Damaged("the log is damaged", f"format version {version} never existed")
        self.is_finished = bool(flags & FINISHED)

    def __iter__(self) -> Iterator[Event]:
        """Yield the events, as `select` without a choice."""
        return self.select(None)

    def select(self, calls: Container[int] | None) -> Iterator[Event]:
        """Yield the events of some calls, or all; others are passed over undecoded.

        An unfinished log ends at its last whole record; space that a crash
        left as zeros ends it too. What is no set of calls is asked about each record in turn.

        Raises:
            Damaged: with the offset, where the bytes make no sense.
        """
        offset, buffer, position, seen = HEADER.size, b"", 0, 0
        words, last_size, tried, last = _words(buffer), 0, 0, -EVENT.size
        may_skip = isinstance(calls, AbstractSet)
        while True:
            if position > last:
                buffer = buffer[position:] + codec.read_stream(self._stream, _BLOCK_BYTES)
                words, position, last = _words(buffer), 0, len(buffer) - EVENT.size
                if last < 0:
                    return self._end(offset, len(buffer), seen)
            size, call, flags = _HEAD(buffer, position)
            if size == 0 and not self.is_finished:
                return
            if size < EVENT.size or size & 7 or size > MAX_RECORD_BYTES:
                raise Damaged("the log is damaged", f"a record of {size} bytes at offset {offset}")
            if len(buffer) - position < size:
                # Read in blocks: a lying size costs no more than what is really there.
                buffer = buffer[position:] + codec.read_stream(
                    self._stream, size - len(buffer) + position)
                words, position, last = _words(buffer), 0, len(buffer) - EVENT.size
                if len(buffer) < size:
                    return self._end(offset, len(buffer), seen)
            if flags & REPEATED:
                event = decode(memoryview(buffer)[position:position + size], offset)
                seen += times_in(event) - 1
                if not may_skip or call in calls:
                    yield from (one for one in events_in(event) if calls is None or call in calls)      # which may count them
            elif calls is None or call in calls:
                yield decode(memoryview(buffer)[position:position + size], offset)
            elif may_skip and size == last_size and seen >= tried:
                tried = seen + codec.RUN
                if codec.is_run(words, position >> 3):
                    size, seen = codec.RUN * size, seen + codec.RUN - 1
            last_size = size
            seen += 1
            offset += size
            position += size

    def _end(self, offset: int, left_bytes: int, seen: int) -> None:
        if self.is_finished and (left_bytes or seen != self.count):
            raise Damaged("the log is damaged", f"it ends at offset {offset} after {seen} "
                          f"of {self.count} events")

    def close(self) -> None:
        """Close the stream, also one that was handed in."""
        self._stream.close()

    def __enter__(self) -> "LogReader":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


def _words(data: bytes) -> memoryview:
    return memoryview(data)[:len(data) & ~7].cast("Q")
