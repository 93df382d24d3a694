"""Write a log: append events, then say that it is whole."""

from __future__ import annotations

import os
import time
from types import TracebackType

from rex.log.records import FINISHED, HEADER, MAGIC, VERSION, Event, encode


class LogWriter:
    """Appends events to a new log file.

    As a context manager it finishes the log unless an exception passes; then
    the log stays unfinished, as a crash would leave it.
    """

    def __init__(self, path: str | os.PathLike[str], start_ns: int | None = None) -> None:
        """Create the file; it must not exist.

        Raises:
            FileExistsError: there is something at path.
        """
        self.start_ns = time.time_ns() if start_ns is None else start_ns
        self.count = 0
        self._file = open(path, "xb", buffering=1 << 18)
        self._file.write(HEADER.pack(MAGIC, VERSION, 0, self.start_ns, 0))

    def append(self, event: Event) -> None:
        """Add one event; its bytes may wait in a buffer until `flush`."""
        self._file.write(encode(event))
        self.count += 1

    def flush(self) -> None:
        """Hand everything appended so far to the kernel."""
        self._file.flush()

    def finish(self) -> None:
        """Write the number of events and the flag that says the log is whole; close."""
        self._file.flush()
        # The flag must not reach the disk before the events that it vouches for.
        os.fsync(self._file.fileno())
        self._file.seek(0)
        self._file.write(HEADER.pack(MAGIC, VERSION, FINISHED, self.start_ns, self.count))
        self._file.close()

    def abandon(self) -> None:
        """Close without the flag."""
        self._file.close()

    def __enter__(self) -> "LogWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if kind is None:
            self.finish()
        else:
            self.abandon()
