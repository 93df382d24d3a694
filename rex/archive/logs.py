"""How an experiment's log is kept: in a file of its own, as a content, or as the difference from another log."""

from __future__ import annotations

import contextlib
import hashlib
import io
import itertools
import os
import threading
from collections import deque
from typing import BinaryIO, Callable, Iterator

from rex import codec
from rex.archive import apart
from rex.archive.content import Content
from rex.archive.locks import temporary_name, whole_file
from rex.archive.manifest import LogFacts
from rex.archive.packer import LEVEL, Apart, Packer
from rex.archive.store import Store
from rex.beside import Beside
from rex.errors import Damaged
from rex.values import replace

_LEVEL = 8
# A log is stored as its difference from another one if that takes less than this part of it.
_WORTH_A_BASE, _SURELY = 0.5, 1 / 20
_SMALL_LOG_BYTES = 32 << 10   # up to here nothing is to be gained
_LARGE_LOG_BYTES = codec.MAX_BASE_BYTES * 7 // 8
_BLOCK_BYTES = 512 << 10
_LOOK_AGAIN_S = 0.1          # whoever tells of the end wakes up who waits


class Growing(io.RawIOBase):
    """A log to read from front to back while it is written; reading waits for more of it.

    Its header, which is written anew in the end, is to be had only then.
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
        return os.pread(self._fd, apart.HEADER_BYTES, 0)

    def facts(self, is_apart: bool) -> LogFacts:
        """What is to be said of the whole log."""
        digest, size = hashlib.sha256(), 0
        while block := os.pread(self._fd, _BLOCK_BYTES, size):
            digest.update(block)
            size += len(block)
        return LogFacts(digest.hexdigest(), size, is_apart=is_apart)

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

    def __init__(self, log: str, target: str, packer: Packer, store: Store,
                 find_base: Callable[[bool], Content | None]) -> None:
        """Nothing is done yet.

        Args:
            log: the log's file, which need not be there yet.
            target: the file for it, if it gets one.
            find_base: finds the log of an experiment that is much like this one, with times apart or not.
        """
        self._log, self._target = log, target
        self._packer, self._store, self._find_base = packer, store, find_base
        self._is_whole = threading.Event()
        self._is_given_up = False
        self._work: Beside[LogFacts | None] | None = None

    def follow(self) -> None:
        """Begin while the log grows."""
        self._work = Beside(self._keep)

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
            header = codec.read_stream(source, apart.HEADER_BYTES)
            is_apart = apart.is_log(header)
            is_small = not source.grows_to(_SMALL_LOG_BYTES + 1)
            base = None if is_small else self._find_base(is_apart)
            held = _Held(apart.separate(source) if is_apart else
                         itertools.chain([header], iter(lambda: source.read(_BLOCK_BYTES), b"")))
            if base:
                codec.compress_blocks(held, body, _LEVEL, self._store.read(base, codec.MAX_BASE_BYTES))
            else:
                deque(held, 0)
            if held.is_large:
                base, body = None, opened.enter_context(_nameless(os.path.dirname(self._target)))
                codec.compress_blocks(held.take_all(), body, _LEVEL)
            if self._is_given_up:
                return None
            facts = source.facts(is_apart)
            # Now only: the header tells how many events there are.
            first = [apart.head(source.header())] if is_apart else []
            if is_small:
                codec.compress_blocks(held.blocks, body, _LEVEL)
            elif not held.is_large and not (base and self._is_worth(body.tell(), facts.size, first + held.blocks)):
                return replace(facts, content=self._packer.add_blocks(first + held.blocks, Apart()))
            self._write(first, body)
            return replace(facts, base=base)

    @staticmethod
    def _is_worth(stored: int, size: int, blocks: list[bytes]) -> bool:
        """Whether a difference of so many bytes is to be kept, and not the log itself."""
        return stored < size * _SURELY or stored < _WORTH_A_BASE * len(codec.compress(b"".join(blocks), LEVEL))

    def _write(self, first: list[bytes], body: BinaryIO) -> None:
        with whole_file(self._target) as out:
            if first:
                codec.compress_blocks(first, out, _LEVEL)
            body.seek(0)
            for block in iter(lambda: body.read(_BLOCK_BYTES), b""):
                out.write(block)


def _nameless(directory: str) -> BinaryIO:
    """A file for what is too large for memory, gone when it is closed."""
    path = temporary_name(directory)
    file = open(path, "x+b")
    os.unlink(path)
    return file


def open_file(path: str, facts: LogFacts | None, store: Store) -> BinaryIO:
    """The bytes of a log that has a file, as its manifest says that it is stored; without a manifest as it is.

    Raises:
        FileNotFoundError: it has none.
        Damaged: what it is stored with is.
    """
    base = store.read(facts.base, codec.MAX_BASE_BYTES) if facts and facts.base else b""
    stream = codec.open_stream(path, base)
    return apart.join(stream) if facts and facts.is_apart else stream


def open_content(content: Content, facts: LogFacts, store: Store) -> BinaryIO:
    """The bytes of a log that is a content."""
    stream = store.open(content)
    return apart.join(stream) if facts.is_apart else stream


def verify(stream: BinaryIO, facts: LogFacts) -> None:
    """Make sure that a log is what its manifest says.

    Raises:
        Damaged: it is another log.
    """
    digest, left = hashlib.sha256(), facts.size
    while block := codec.read_stream(stream, min(_BLOCK_BYTES, left + 1)):
        digest.update(block)
        left -= len(block)
        if left < 0:   # the declared size is a limit: nothing is decompressed far beyond it
            break
    if left or digest.hexdigest() != facts.sha256:
        raise Damaged("a log is damaged", "it does not have the hash in its manifest")
