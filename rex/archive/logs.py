"""How an experiment's log is kept: in a file of its own, as a content, or as the difference from another log."""

from __future__ import annotations

import hashlib
import io
import os
from typing import BinaryIO, Callable, Iterable

from rex import codec
from rex.archive import apart
from rex.archive.content import Content
from rex.archive.locks import whole_file
from rex.archive.manifest import LogFacts
from rex.archive.packer import LEVEL, Packer
from rex.archive.store import Store
from rex.errors import Damaged

_LEVEL = 8
# A log is stored as its difference from another one if that takes less than this part of it.
_WORTH_A_BASE, _SURELY = 0.5, 1 / 20
_SMALL_LOG_BYTES = 32 << 10   # up to here nothing is to be gained
_BLOCK_BYTES = 1 << 20


class _Hashing(io.RawIOBase):
    """Reads a file, and tells the hash and number of the bytes that were read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        data = self._file.read(size)
        self._digest.update(data)
        self.size += len(data)
        return data

    @property
    def sha256(self) -> str:
        """Of what was read."""
        return self._digest.hexdigest()


def keep(log: str, target: str, packer: Packer, store: Store, find_base: Callable[[bool], Content | None]
         ) -> LogFacts | None:
    """Keep a finished log, if there is one; what the manifest has to say of it.

    Args:
        target: the file for it, if it gets one.
        find_base: finds the log of an experiment that is much like this one, with times apart or not.
    """
    try:
        size = os.path.getsize(log)
    except FileNotFoundError:
        return None
    if not _SMALL_LOG_BYTES < size <= codec.MAX_BASE_BYTES * 7 // 8:
        with whole_file(target) as out:
            return _convert(log, lambda blocks: codec.compress_blocks(blocks, out, _LEVEL))
    pieces: list[bytes] = []
    facts = _convert(log, pieces.extend)
    data = b"".join(pieces)
    if base := find_base(facts.is_apart):
        difference = io.BytesIO()
        codec.compress_blocks([data], difference, _LEVEL, store.read(base, codec.MAX_BASE_BYTES))
        stored = difference.tell()
        if stored < size * _SURELY or stored < _WORTH_A_BASE * len(codec.compress(data, LEVEL)):
            with whole_file(target) as out:
                out.write(difference.getbuffer())
            return LogFacts(facts.sha256, size, None, base, facts.is_apart)
    return LogFacts(facts.sha256, size, packer.add_bytes(data), None, facts.is_apart)


def _convert(log: str, take: Callable[[Iterable[bytes]], object]) -> LogFacts:
    """Hand a log on, with its times apart where it has any; what is to be said of it."""
    with open(log, "rb") as file:
        source = _Hashing(file)
        blocks = apart.separate(source)
        is_apart = blocks is not None
        if blocks is None:
            file.seek(0)
            source = _Hashing(file)
            blocks = iter(lambda: source.read(_BLOCK_BYTES), b"")
        take(blocks)
        return LogFacts(source.sha256, source.size, is_apart=is_apart)


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
