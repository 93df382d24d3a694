"""Large contents as recorders compressed them: a cache of this machine, so that another archive need not do it again.

One file for each content: its frames as packs have them, then an index and a footer.

    index   per frame  u32 stored bytes, u32 objects, 32 bytes sha256 of the stored bytes
            entries    of the content, as lists have them (holes too); the frames hold the objects in this order, each once
    footer  u32 frames, u32 entries, 32 bytes sha256 of the index, magic "REXKEPT\\n"

Whoever uses a file verifies all of this as it goes. It is for this user alone: a directory that others own, or may write, is passed over.
"""

from __future__ import annotations

import os
import struct

from rex import codec
from rex.archive.content import ENTRY, HOLE, Content, Entry, decode_list, encode_list
from rex.archive.locks import remove_if_there, temporary_name
from rex.archive.packer import INCOMPRESSIBLE, Apart, Packer
from rex.archive.packs import MAX_FRAME_BYTES
from rex.archive.trimming import note_use, trim
from rex.cacheplace import is_private
from rex.errors import Damaged
from rex.hints import BinaryIO, Iterator

_DIRECTORY = "compressed-1"
_FRAME, _FOOTER, _MAGIC = struct.Struct("<II32s"), struct.Struct("<II32s8s"), b"REXKEPT\n"
_SMALL_BYTES = 1 << 20   # of a frame that is kept in any case
# All of it takes at most so much, and at most this part of the room that is free, or its own.
_LIMIT_BYTES, _PART_OF_ROOM = 2 << 30, 8


class _Making(Apart):
    """A file of the cache while its content is stored in an archive."""

    def __init__(self, directory: str, limit_bytes: int) -> None:
        """limit_bytes: a larger file is not kept."""
        super().__init__()
        self.path = temporary_name(directory)
        self._left_bytes = limit_bytes
        self._file: BinaryIO | None = open(self.path, "xb")
        self._index: list[bytes] = []
        self._count = 0
        self.size_bytes = 0

    def take(self, frame: bytes, sizes: list[int]) -> None:
        """Keep a frame; where that cannot be, or it does not compress, the file is given up."""
        if self._file is None:
            return
        self._left_bytes -= len(frame)
        try:
            if self._left_bytes < 0 or len(frame) >= INCOMPRESSIBLE * sum(sizes) > _SMALL_BYTES:
                self.drop()
            else:
                self._file.write(frame)
                self._index.append(_FRAME.pack(len(frame), len(sizes), codec.sha256(frame)))
                self._count += len(sizes)
        except OSError:
            self.drop()

    def finish(self, path: str) -> None:
        """Give the file its name, if it holds all that the content needs: what the archive had before is not among the frames."""
        if self._file is None:
            return
        if not self.entries or self._count != len(_objects_of(self.entries)):
            return self.drop()
        index = b"".join(self._index) + encode_list(self.entries)
        try:
            self._file.write(index + _FOOTER.pack(len(self._index), len(self.entries), codec.sha256(index), _MAGIC))
            self._file.close()
            self.size_bytes = os.stat(self.path).st_size
            os.rename(self.path, path)
            self._file = None
        except OSError:
            self.drop()

    def drop(self) -> None:
        """Leave nothing of it; harmless when repeated."""
        file, self._file = self._file, None
        if file is not None:
            remove_if_there(self.path)
            try:
                file.close()
            except OSError:   # what the disk has no room for
                pass


class Compressed:
    """The cache's files by content; safe for threads. It only saves time: whatever goes wrong, files are read and compressed."""

    def __init__(self, root: str) -> None:
        """root: the cache's directory. REX_COMPRESSED=0 leaves this part of it alone."""
        self._directory = os.path.join(root, _DIRECTORY)
        self._is_on = os.environ.get("REX_COMPRESSED") != "0"
        self._limit_bytes: int | None = None
        self._made_bytes = 0

    def _path(self, content: Content) -> str:
        return os.path.join(self._directory, content.sha256)

    def add_to(self, packer: Packer, content: Content) -> bool:
        """Add a content to an archive as it was compressed before; False: it has to be read."""
        if not self._is_on or not is_private(self._directory):
            return False
        try:
            with open(self._path(content), "rb") as file:
                frames, entries = _read_index(file, content)
                if packer.add_frames(_read_frames(file, frames, entries)) and packer.add_entries(entries, content.sha256) == content:
                    note_use(file.name, os.fstat(file.fileno()))
                    return True
        except (OSError, Damaged, struct.error):
            pass
        return False

    def begin(self) -> _Making | None:
        """Keep what is about to be compressed."""
        try:
            if self._limit_bytes is None:
                os.makedirs(self._directory, mode=0o700, exist_ok=True)
                self._is_on = self._is_on and is_private(self._directory)
                room = os.statvfs(self._directory)
                self._limit_bytes = min(_LIMIT_BYTES, room.f_bavail * room.f_frsize // _PART_OF_ROOM)
            left_bytes = self._limit_bytes // 2 - self._made_bytes
            return _Making(self._directory, left_bytes) if self._is_on and left_bytes > 0 else None
        except OSError:
            self._is_on = False
            return None

    def finish(self, making: _Making, content: Content) -> None:
        """Keep what was compressed as this content."""
        making.finish(self._path(content))
        self._made_bytes += making.size_bytes

    def close(self) -> None:
        """Let what was not used for the longest time go, where it is too much."""
        if self._made_bytes:
            trim([self._directory], _LIMIT_BYTES, _PART_OF_ROOM)


def _objects_of(entries: list[Entry]) -> list[Entry]:
    return list(dict.fromkeys(entry for entry in entries if entry[0] != HOLE))


def _read_index(file: BinaryIO, content: Content) -> tuple[list[tuple[int, int, bytes]], list[Entry]]:
    """The frames and entries of a file, whose position is then at its begin.

    Raises:
        Damaged: it was cut short, or changed.
    """
    size = os.fstat(file.fileno()).st_size
    file.seek(max(0, size - _FOOTER.size))
    frames, entries, digest, magic = _FOOTER.unpack(file.read())
    index_size = frames * _FRAME.size + entries * ENTRY.size
    if magic != _MAGIC or index_size + _FOOTER.size > size:
        raise Damaged("a compressed content is damaged", "its end is missing")
    file.seek(size - _FOOTER.size - index_size)
    index = file.read(index_size)
    if codec.sha256(index) != digest:
        raise Damaged("a compressed content is damaged", "its index is another one")
    file.seek(0)
    split = frames * _FRAME.size
    return list(_FRAME.iter_unpack(index[:split])), decode_list(index[split:], content.size)


def _read_frames(file: BinaryIO, frames: list[tuple[int, int, bytes]], entries: list[Entry]) -> Iterator[tuple[bytes, list[Entry]]]:
    """Each frame and what it holds.

    Raises:
        Damaged: one has changed.
    """
    left = iter(_objects_of(entries))
    for stored, count, digest in frames:
        frame = file.read(stored)
        objects = [entry for _, entry in zip(range(count), left)]
        if codec.sha256(frame) != digest or sum(length for _, length in objects) > MAX_FRAME_BYTES:
            raise Damaged("a compressed content is damaged", "a frame is another one")
        yield frame, objects
