"""Write a log: append events, then say that it is whole."""

from __future__ import annotations

import errno
import os
import time
from types import TracebackType

from rex.log.records import FINISHED, HEADER, MAGIC, PLAIN, VERSION, Event, encode


def _open(path: str, _flags: int) -> int:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
    if os.fstat(fd).st_size:
        os.close(fd)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
    return fd


class LogWriter:
    """Appends events to a new log file.

    As a context manager it finishes the log unless an exception passes; then
    the log stays unfinished, as a crash would leave it.
    """

    def __init__(self, path: str | os.PathLike[str], start_ns: int | None = None, is_plain: bool = False) -> None:
        """Create the file, or fill an empty one.

        Args:
            is_plain: the events tell only what calls show, see docs/formats/log.md.

        Raises:
            FileExistsError: there is something in it.
        """
        self.start_ns = time.time_ns() if start_ns is None else start_ns
        self.count = 0
        self._flags = PLAIN if is_plain else 0
        self._file = open(path, "wb", buffering=1 << 18, opener=_open)
        self._file.write(HEADER.pack(MAGIC, VERSION, self._flags, self.start_ns, 0))

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
        self._file.write(HEADER.pack(MAGIC, VERSION, self._flags | FINISHED, self.start_ns, self.count))
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
