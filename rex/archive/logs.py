"""Reads an experiment's log, however `rex.archive.logkeeper` kept it."""

from __future__ import annotations

import io

from rex import codec, limits
from rex.archive import log_columns
from rex.archive.manifest import LogFacts
from rex.archive.store import Store
from rex.digest import Sha256
from rex.errors import Damaged
from rex.hints import Any, BinaryIO, cast

_BLOCK_BYTES = 512 << 10


class _Verified(io.RawIOBase):
    """A log that must be what its manifest says, read from front to back."""

    def __init__(self, stream: BinaryIO, facts: LogFacts) -> None:
        self._stream = stream
        self._digest, self._left, self._sha256 = Sha256(), facts.size, facts.sha256

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer's front; the number of bytes, 0 at the end.

        Raises:
            Damaged: it is longer than the manifest says, or ends as another log.
        """
        # The declared size is a limit: nothing is decompressed far beyond it.
        block = codec.read_stream(self._stream, min(len(buffer), self._left + 1))
        limits.spend(len(block))
        self._digest.update(block)
        self._left -= len(block)
        if self._left < 0 or not block and (self._left or self._digest.hexdigest() != self._sha256):
            raise Damaged("a log is damaged", "it does not have the hash in its manifest", "see: rex check")
        buffer[:len(block)] = block
        return len(block)

    def close(self) -> None:
        """Close the stream too."""
        self._stream.close()
        super().close()


def open_log(facts: LogFacts, store: Store) -> BinaryIO:
    """The bytes of a log; reading them to their end verifies them.

    Raises:
        Damaged: what it is stored with is.
    """
    base = store.read(facts.base, codec.MAX_BASE_BYTES) if facts.base else b""
    stream = store.open(facts.content)
    if facts.is_packed:
        stream = codec.decompressed(stream, base)
    if facts.is_apart:
        stream = log_columns.join(stream)
    return cast(BinaryIO, io.BufferedReader(_Verified(stream, facts), 1 << 17))


def verify(facts: LogFacts, store: Store) -> None:
    """Make sure that a log is what its manifest says.

    Raises:
        Damaged: it is another log, or cannot be read.
    """
    with open_log(facts, store) as stream:
        while stream.read(_BLOCK_BYTES):
            pass
