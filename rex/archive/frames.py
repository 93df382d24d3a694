"""Frames of small contents as recorders compressed them: a cache of this machine, for when the same ones come together again.

One file for each frame, named by what it holds: the frame, then the sha256 of its name and bytes. It is for this user alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import os

from rex import codec
from rex.archive.content import Entry
from rex.archive.locks import temporary_name
from rex.archive.trimming import is_private, note_use, trim

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

    def find(self, objects: list[Entry], level: int) -> bytes | None:
        """A frame of exactly these objects, in this order, as it was compressed before."""
        if not self._is_worth(objects) or not is_private(self._directory):
            return None
        name = _name(objects, level)
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

    def keep(self, objects: list[Entry], level: int, frame: bytes) -> None:
        """Keep a frame for the next time."""
        if not self._is_worth(objects) or self._made_bytes > _LIMIT_BYTES // _PART_OF_RUN:
            return
        name, made = _name(objects, level), temporary_name(self._directory)
        try:
            os.makedirs(self._directory, mode=0o700, exist_ok=True)
            if not is_private(self._directory):
                self._is_on = False
                return
            with open(made, "xb") as file:
                file.write(frame + _check(name, frame))
            os.rename(made, os.path.join(self._directory, name))
            self._made_bytes += len(frame)
        except OSError:
            self._is_on = False
            with contextlib.suppress(OSError):
                os.unlink(made)

    def _is_worth(self, objects: list[Entry]) -> bool:
        return self._is_on and len(objects) > 1 and sum(length for _, length in objects) >= _WORTH_BYTES

    def close(self) -> None:
        """Let what was not used for the longest time go, where it is too much."""
        if self._made_bytes:
            try:
                trim([self._directory], _LIMIT_BYTES, _PART_OF_ROOM)
            except OSError:
                pass


def _name(objects: list[Entry], level: int) -> str:
    return hashlib.sha256(b"%d" % level + b"".join(digest for digest, _ in objects)).hexdigest()


def _check(name: str, frame: bytes) -> bytes:
    return codec.sha256(name.encode() + frame)
