"""Pack files: many objects in few immutable files.

A pack is a header, zstd frames that hold objects back to back, and an index:

    header  magic "REXPACK\\n", u32 version, u32 0
    frames  one after another
    index   per frame  u64 offset, u32 stored bytes, u32 raw bytes
            per object 32 bytes sha256, u32 frame, u32 offset in the raw frame,
                       u32 length, u32 0; sorted by hash
    footer  u64 offset of the index, u32 frames, u32 objects, magic "REXPEND\\n"

Its name is the sha256 of all of it. In version 2 it is that of all but the frames: each object in them has its hash in the index.
"""

from __future__ import annotations

import os
import struct

from rex import codec, limits
from rex.archive.folder import Folder
from rex.archive.locks import FileLock, remove_if_there, sync_directory, temporary_name
from rex.digest import Sha256
from rex.errors import Damaged, TooNew
from rex.hints import BinaryIO, Callable
from rex.values import dataclass

VERSION, LIGHT_VERSION = 1, 2
HEADER = struct.Struct("<8sII")
FRAME = struct.Struct("<QII")
OBJECT = struct.Struct("<32sIIII")
FOOTER = struct.Struct("<QII8s")
MAGIC, END_MAGIC = b"REXPACK\n", b"REXPEND\n"

_INDEX_COST = 8   # bytes of memory for a byte of the index
# A frame that declares more is refused, not decompressed.
MAX_FRAME_BYTES = 16 << 20
_MOST_PARTS = 1000     # that the kernel takes at once


@dataclass(frozen=True, slots=True)
class Place:
    """Where an object lies."""

    pack: str
    frame: int
    offset: int
    length: int

    @property
    def order(self) -> tuple[str, int, int]:
        """What sorts objects into an order that is cheap to read."""
        return self.pack, self.frame, self.offset


class PackWriter:
    """One pack in the making, under a temporary name; not for several threads."""

    def __init__(self, directory: str, is_light: bool = False) -> None:
        """is_light: its name is not to cover the frames, which takes a while."""
        self._directory, self._is_light = directory, is_light
        self._path = temporary_name(directory)
        # Held until the pack has its name: a temporary file without this lock is waste.
        self._lock = FileLock(self._path, exclusive=True)
        self._file = open(self._path, "wb")
        self._digest = Sha256()
        self._frames: list[tuple[int, int, int]] = []
        self._objects: list[tuple[bytes, int, int, int, int]] = []
        self.size_bytes = 0
        self._write(HEADER.pack(MAGIC, LIGHT_VERSION if is_light else VERSION, 0))

    def _write(self, data: bytes, is_frame: bool = False) -> None:
        self._file.write(data)
        if not (is_frame and self._is_light):
            self._digest.update(data)
        self.size_bytes += len(data)

    def add_frame(self, frame: bytes, objects: list[tuple[bytes, int]]) -> None:
        """Append a compressed frame that holds these (sha256, length) back to back."""
        self._note(len(frame), objects)
        self._write(frame, is_frame=True)

    def add_parts(self, parts: list[bytes | memoryview], objects: list[tuple[bytes, int]]) -> None:
        """As `add_frame`, of a frame in parts, into a light pack; they are written from where they lie."""
        assert self._is_light
        size = sum(map(len, parts))
        self._note(size, objects)
        self._file.flush()
        for at in range(0, len(parts), _MOST_PARTS):
            write_parts(self._file.fileno(), parts[at:at + _MOST_PARTS])
        self.size_bytes += size

    def _note(self, size_bytes: int, objects: list[tuple[bytes, int]]) -> None:
        """A frame of so many bytes follows."""
        number, offset = len(self._frames), 0
        for digest, length in objects:
            self._objects.append((digest, number, offset, length, 0))
            offset += length
        self._frames.append((self.size_bytes, size_bytes, offset))

    def seal(self, is_durable: bool = True) -> str:
        """Write the index, make the pack durable, give it its name and return that.

        Args:
            is_durable: False leaves it to the caller to sync the file and its folder.
        """
        index = b"".join([FRAME.pack(*frame) for frame in self._frames]
                         + [OBJECT.pack(*item) for item in sorted(self._objects)])
        footer = FOOTER.pack(self.size_bytes, len(self._frames), len(self._objects), END_MAGIC)
        try:
            self._write(index + footer)
            self._file.flush()
            if is_durable:
                os.fsync(self._file.fileno())
            name = self._digest.hexdigest() + ".pack"
            os.rename(self._path, os.path.join(self._directory, name))
        except BaseException:
            self.abandon()
            raise
        if is_durable:
            sync_directory(self._directory)
        self._close()
        return name

    def abandon(self) -> None:
        """Drop the pack."""
        remove_if_there(self._path)
        self._close()

    def _close(self) -> None:
        try:
            self._file.close()
        finally:
            self._lock.release()


def write_parts(fd: int, parts: list[bytes | memoryview]) -> None:
    """Write all of these to a file, back to back; at most 1000."""
    written = os.writev(fd, parts)
    while written < sum(map(len, parts)):     # a signal, or a full disk, which the next call tells
        rest = []
        for part in parts:
            rest += [memoryview(part)[written:]] if written < len(part) else []
            written = max(0, written - len(part))
        parts = rest
        written = os.writev(fd, parts)


class PackReader:
    """A pack's index; holds no file open, so that an archive may have thousands."""

    def __init__(self, folder: Folder, name: str) -> None:
        """Read the index.

        Raises:
            Damaged: the file is no pack or was cut short.
            TooNew: a newer format version.
            FileNotFoundError: there is no such pack (any more).
        """
        self._folder = folder
        self.path = os.path.join(folder.path, name)
        self.name = name
        self.places: dict[bytes, Place] = {}
        fd = folder.descriptor(name)
        try:
            info = os.fstat(fd)
            self.stored_bytes = min(info.st_size, info.st_blocks * 512)
            self._load(lambda offset, size: os.pread(fd, size, offset), info.st_size)
        finally:
            os.close(fd)

    def open(self) -> BinaryIO:
        """The pack's file."""
        return self._folder.open(self.name)

    def read_at(self, offset: int, size: int) -> bytes:
        """Bytes of the pack; fewer where it ends."""
        fd = self._folder.descriptor(self.name)
        try:
            return os.pread(fd, size, offset)
        finally:
            os.close(fd)

    def damaged(self, why: str) -> Damaged:
        """The error that says what is wrong with this pack."""
        return Damaged(f"the pack {self.name[:16]} is damaged", why, "see: rex check")

    def _load(self, read_at: Callable[[int, int], bytes], size_bytes: int) -> None:
        self.size_bytes = size_bytes
        head = read_at(0, HEADER.size)
        if len(head) < HEADER.size or not head.startswith(MAGIC) or \
                size_bytes < HEADER.size + FOOTER.size:
            raise self.damaged("it has no header")
        version = HEADER.unpack(head)[1]
        if version > LIGHT_VERSION:
            raise TooNew(f"the pack {self.name[:16]} has format version {version}",
                         f"this Rex reads up to {LIGHT_VERSION}", "use a newer Rex")
        self.is_light = version == LIGHT_VERSION
        tail = read_at(size_bytes - FOOTER.size, FOOTER.size)
        if len(tail) < FOOTER.size:
            raise self.damaged("its end is missing")
        index_offset, frames, objects, magic = FOOTER.unpack(tail)
        self.index_offset = index_offset
        index_size = frames * FRAME.size + objects * OBJECT.size
        if magic != END_MAGIC or index_offset + index_size + FOOTER.size != size_bytes:
            raise self.damaged("its end is missing")
        limits.check_memory(index_size * _INDEX_COST, f"the pack {self.name[:16]}")
        index = read_at(index_offset, index_size)
        if len(index) < index_size:
            raise self.damaged("its index is cut short")
        self._read_index(index, index_offset, frames)

    def _read_index(self, index: bytes, index_offset: int, frames: int) -> None:
        split = frames * FRAME.size
        self.frames = list(FRAME.iter_unpack(index[:split]))
        for offset, stored, size in self.frames:
            if offset + stored > index_offset or size > MAX_FRAME_BYTES:
                raise self.damaged("a frame lies outside of it or is too large")
        for digest, frame, offset, length, _ in OBJECT.iter_unpack(index[split:]):
            if frame >= frames or offset + length > self.frames[frame][2]:
                raise self.damaged("an object lies outside of its frame")
            self.places[digest] = Place(self.name, frame, offset, length)

    def read_frame(self, number: int) -> bytes:
        """The raw bytes of one frame.

        Raises:
            Damaged: it does not decompress to its declared size.
            FileNotFoundError: the pack was removed meanwhile.
        """
        return self.unpack_frame(number, self.read_stored(number))

    def read_stored(self, number: int) -> bytes:
        """One frame as it is stored."""
        offset, stored, _ = self.frames[number]
        return self.read_at(offset, stored)

    def unpack_frame(self, number: int, stored: bytes) -> bytes:
        """The raw bytes of a frame from its stored ones.

        Raises:
            Damaged: it does not decompress to its declared size.
        """
        size = self.frames[number][2]
        data = codec.decompress(stored, size)
        if len(data) != size:
            raise self.damaged(f"frame {number} does not have its declared size")
        return data
