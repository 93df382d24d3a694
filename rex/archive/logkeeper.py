"""Keeps an experiment's log: as it is, compressed as a stream, or as the difference from another log."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import threading
from collections import deque

from rex import codec
from rex.archive import log_columns
from rex.archive.content import Content
from rex.archive.locks import temporary_name
from rex.archive.manifest import LogFacts
from rex.archive.packer import LEVEL, Apart, Packer
from rex.archive.store import Store
from rex.background import BackgroundCall
from rex.digest import Sha256
from rex.hints import BinaryIO, Callable, Iterator

_LEVEL = 8
# A log is stored as its difference from another one if that takes less than this part of it.
_WORTH_A_BASE, _SURELY = 0.5, 1 / 20
_SMALL_LOG_BYTES = 32 << 10   # up to here nothing is to be gained
_LARGE_LOG_BYTES = codec.MAX_BASE_BYTES * 7 // 8
_BLOCK_BYTES = 512 << 10
_LOOK_AGAIN_S = 0.1          # the task that reports the end wakes up the waiting one


class Growing(io.RawIOBase):
    """A log to read from front to back while it is written; reading waits for more of it.

    Its header is written again at the end, and is available only then.
    """

    def __init__(self, path: str, is_whole: threading.Event) -> None:
        """Open the log, as soon as it is there.

        Raises:
            FileNotFoundError: there is none, and will be none.
        """
        self._is_whole = is_whole
        while True:
            ends = is_whole.is_set()
            try:
                self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                break
            except FileNotFoundError:
                if ends:
                    raise
            is_whole.wait(_LOOK_AGAIN_S)
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most so many; none at the end of the whole log."""
        self.grows_to(self._at + min(size, _BLOCK_BYTES))
        data = os.pread(self._fd, size, self._at)
        self._at += len(data)
        return data

    def arrived(self) -> bytes:
        """What has come since the last read; waits for something, and is empty at the end of the whole log."""
        self.grows_to(self._at + 1)
        data = os.pread(self._fd, _BLOCK_BYTES, self._at)
        self._at += len(data)
        return data

    def grows_to(self, size: int) -> bool:
        """Wait until the log has so many bytes; False: it ended before."""
        while True:
            ends = self._is_whole.is_set()
            if os.fstat(self._fd).st_size >= size:
                return True
            if ends:
                return False
            self._is_whole.wait(_LOOK_AGAIN_S)

    def header(self) -> bytes:
        """The header of the whole log."""
        return os.pread(self._fd, log_columns.HEADER_BYTES, 0)

    def identity(self) -> tuple[str, int]:
        """The sha256 and the size of the whole log."""
        digest, size = Sha256(), 0
        while block := os.pread(self._fd, _BLOCK_BYTES, size):
            digest.update(block)
            size += len(block)
        return digest.hexdigest(), size

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            os.close(self._fd)
        super().close()


class _Held:
    """Blocks, and all that went through while they are few enough to be held.

    Attributes:
        blocks: those.
        is_large: there were more; no more are handed on.
    """

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._rest = blocks
        self.blocks: list[bytes] = []
        self.is_large = False

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for block in self._rest:
            self.blocks.append(block)
            size += len(block)
            if size > _LARGE_LOG_BYTES:
                self.is_large = True
                return
            yield block

    def take_all(self) -> Iterator[bytes]:
        """All from the first on; nothing is held any more."""
        blocks, self.blocks = self.blocks, []
        return itertools.chain(blocks, self._rest)


class LogKeeper:
    """Keeps one log, beside the run that writes it or when it is there."""

    def __init__(self, log: str, packer: Packer, store: Store, find_base: Callable[[bool], Content | None]) -> None:
        """Nothing is done yet.

        Args:
            log: the log's file, which need not be there yet.
            find_base: finds the log of an experiment that is much like this one, with times apart or not.
        """
        self._log = log
        self._packer, self._store, self._find_base = packer, store, find_base
        self._is_whole = threading.Event()
        self._is_given_up = False
        self._work: BackgroundCall[LogFacts | None] | None = None

    def follow(self) -> None:
        """Begin while the log grows."""
        self._work = BackgroundCall(self._keep)

    def end(self) -> None:
        """Tell that the log is whole; harmless when repeated."""
        self._is_whole.set()

    def growing(self) -> Growing:
        """The log as it grows, for others."""
        return Growing(self._log, self._is_whole)

    def finish(self) -> LogFacts | None:
        """Keep the log, which is whole now, if there is one; what the manifest has to say of it."""
        self.end()
        return self._work.result() if self._work else self._keep()

    def give_up(self) -> None:
        """Keep nothing, if that is not done; harmless when repeated."""
        self._is_given_up = True
        self.end()
        if self._work is not None:
            self._work.wait()

    def _keep(self) -> LogFacts | None:
        try:
            source = self.growing()
        except FileNotFoundError:
            return None
        with source, contextlib.ExitStack() as opened:
            body: BinaryIO = io.BytesIO()
            header = codec.read_stream(source, log_columns.HEADER_BYTES)
            is_apart = log_columns.is_log(header)
            is_small = not source.grows_to(_SMALL_LOG_BYTES + 1)
            base = None if is_small else self._find_base(is_apart)
            held = _Held(log_columns.separate(source) if is_apart else
                         itertools.chain([header], iter(lambda: source.read(_BLOCK_BYTES), b"")))
            if base:
                codec.compress_blocks(held, body, _LEVEL, self._store.read(base, codec.MAX_BASE_BYTES))
            else:
                deque(held, 0)
            if held.is_large:
                base, body = None, opened.enter_context(_nameless(os.path.dirname(self._log)))
                codec.compress_blocks(held.take_all(), body, _LEVEL)
            if self._is_given_up:
                return None
            sha256, size = source.identity()
            # Now only: the header tells how many events there are.
            first = [log_columns.head(source.header())] if is_apart else []
            is_packed = held.is_large or bool(base) and self._is_worth(body.tell(), size, first + held.blocks)
            stored = self._packer.add_blocks(_stream(first, body) if is_packed else first + held.blocks, Apart(_LEVEL if is_small else 0))
            return LogFacts(sha256, size, stored, is_packed, base if is_packed else None, is_apart)

    @staticmethod
    def _is_worth(stored: int, size: int, blocks: list[bytes]) -> bool:
        """Whether a difference of so many bytes is to be kept, and not the log itself."""
        return stored < size * _SURELY or stored < _WORTH_A_BASE * len(codec.compress(b"".join(blocks), LEVEL))


def _stream(first: list[bytes], body: BinaryIO) -> Iterator[bytes]:
    """The stream to be stored, in blocks: the header in a frame of its own, which was made last, then the rest."""
    if first:
        head = io.BytesIO()
        codec.compress_blocks(first, head, _LEVEL)
        yield head.getvalue()
    body.seek(0)
    yield from iter(lambda: body.read(_BLOCK_BYTES), b"")


def _nameless(directory: str) -> BinaryIO:
    """A file for what is too large for memory, gone when it is closed."""
    path = temporary_name(directory)
    file = open(path, "x+b")
    os.unlink(path)
    return file
