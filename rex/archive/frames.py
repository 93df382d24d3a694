"""Frames of small contents as recorders compressed them: a cache of this machine, for when the same ones come together again.

One file for each frame, named by what it holds: the frame, then the sha256 of its name and bytes. It is for this user alone.
"""

from __future__ import annotations

import os

from rex import codec
from rex.archive.content import Entry
from rex.archive.locks import write_atomically
from rex.archive.trimming import note_use, trim
from rex.cacheplace import is_private
from rex.digest import Sha256

_DIRECTORY = "frames-1"
_HASH_BYTES = 32
_WORTH_BYTES = 256 << 10      # of raw bytes: what is compressed in less than two milliseconds
# All of it takes at most so much, and at most this part of the room that is free, or its own; one run adds a fourth of that.
_LIMIT_BYTES, _PART_OF_ROOM, _PART_OF_RUN = 512 << 20, 16, 4


class Frames:
    """The cache's frames; safe for threads. It only saves time: whatever goes wrong, objects are compressed."""

    def __init__(self, root: str) -> None:
        """root: the cache's directory. REX_COMPRESSED=0 leaves this part of it alone."""
        self._directory = os.path.join(root, _DIRECTORY)
        self._is_on = os.environ.get("REX_COMPRESSED") != "0"
        self._made_bytes = 0

    def compress_together(self, objects: list[Entry], parts: list[bytes | memoryview], level: int) -> bytes:
        """A frame of exactly these objects, in this order, whose bytes the parts are: as it was compressed before, or now."""
        if not self._is_on or len(objects) < 2 or sum(length for _, length in objects) < _WORTH_BYTES:
            return codec.compress_together(parts, level)
        name = Sha256(b"%d" % level + b"".join(digest for digest, _ in objects)).hexdigest()
        frame = self._find(name)
        if frame is None:
            frame = codec.compress_together(parts, level)
            self._keep(name, frame)
        return frame

    def _find(self, name: str) -> bytes | None:
        if not is_private(self._directory):
            return None
        try:
            with open(os.path.join(self._directory, name), "rb") as file:
                data = file.read()
                frame = data[:-_HASH_BYTES]
                if data[-_HASH_BYTES:] != _check(name, frame):
                    return None
                note_use(file.name, os.fstat(file.fileno()))
                return frame
        except OSError:
            return None

    def _keep(self, name: str, frame: bytes) -> None:
        if self._made_bytes > _LIMIT_BYTES // _PART_OF_RUN:
            return
        try:
            os.makedirs(self._directory, mode=0o700, exist_ok=True)
            self._is_on = self._is_on and is_private(self._directory)
            if self._is_on:
                write_atomically(os.path.join(self._directory, name), frame + _check(name, frame), is_durable=False)
                self._made_bytes += len(frame)
        except OSError:
            self._is_on = False

    def close(self) -> None:
        """Let what was not used for the longest time go, where it is too much."""
        if self._made_bytes:
            trim([self._directory], _LIMIT_BYTES, _PART_OF_ROOM)


def _check(name: str, frame: bytes) -> bytes:
    return codec.sha256(name.encode() + frame)
