"""Look at files as they are now: what lstat says, and the bytes with their holes."""

from __future__ import annotations

import errno
import fcntl
import os
import stat

from rex import codec, longnames
from rex.archive.content import Content
from rex.archive.cut import WHOLE_BYTES
from rex.archive.identities import Identities
from rex.archive.manifest import DIR, FIFO, FILE, OTHER, SYMLINK, FileState
from rex.archive.packer import Apart, Packer
from rex.hints import Iterator
from rex.values import dataclass, field

BLOCK_BYTES = 4 << 20
COPY_BYTES = 1 << 30
_USERS = "user."
_FICLONE = 0x40049409   # linux/fs.h
_TYPES = {stat.S_IFREG: FILE, stat.S_IFDIR: DIR, stat.S_IFLNK: SYMLINK, stat.S_IFIFO: FIFO}

Source = str | bytes | os.PathLike[str] | int


def state_of(info: os.stat_result, content: Content | None = None, target: str = "",
             xattrs: dict[str, str] | None = None) -> FileState:
    """The file state that a stat result tells."""
    kind = _TYPES.get(stat.S_IFMT(info.st_mode), OTHER)
    size = content.size if content else info.st_size if kind == FILE else 0
    return FileState(kind, stat.S_IMODE(info.st_mode), info.st_uid, info.st_gid,
                     info.st_mtime_ns, size, content, target, "", xattrs or {})


def xattrs_of(source: bytes | int) -> dict[str, str]:
    """The attributes that users gave a file or directory, which is no link: values in base64 by name."""
    try:
        # Few have any: of most the list is all that is asked for.
        names = [name for name in os.listxattr(source) if name.startswith(_USERS)]
        if not names:
            return {}
        import base64
        return {codec.text(os.fsencode(name)): base64.b64encode(os.getxattr(source, name)).decode()
                for name in names}
    except OSError:
        return {}   # a file system without


def add_file(packer: Packer, source: Source, apart: Apart | None = None) -> Content:
    """Store a regular file's bytes, by path or by an open descriptor; its offset stays.

    Args:
        apart: takes them to frames of their own.
    Raises:
        OSError: the file cannot be read.
    """
    if isinstance(source, int):
        # A description of its own: the offset of the given one belongs to its owner.
        source = f"/proc/self/fd/{source}"
    elif isinstance(source, str):
        source = codec.raw(source)
    fd = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(f"{source!r} is not a regular file")
        if info.st_size <= WHOLE_BYTES:
            data = os.read(fd, WHOLE_BYTES + 1)
            if len(data) <= WHOLE_BYTES:
                return packer.add_bytes(data, apart)
        return packer.add_blocks(read_blocks(fd), apart)
    finally:
        os.close(fd)


def read_blocks(fd: int) -> Iterator[bytes | int]:
    """A file's bytes in blocks; a number stands for a hole of that many bytes."""
    position = 0
    while True:
        try:
            begin = os.lseek(fd, position, os.SEEK_DATA)
        except OSError:   # no data beyond; a hole may end the file
            begin = max(position, os.fstat(fd).st_size)
            if begin > position:
                yield begin - position
            return
        if begin > position:
            yield begin - position
        position = begin
        end = os.lseek(fd, begin, os.SEEK_HOLE)
        while position < end:
            block = os.pread(fd, min(BLOCK_BYTES, end - position), position)
            if not block:
                return
            position += len(block)
            yield block


def capture(packer: Packer, path: str | bytes, content: bool = True,
            identities: Identities | None = None) -> FileState:
    """What is at path now, symbolic links not followed, with its bytes if asked for.

    A file that may not be read, by the recorder's user, has no content.

    Args:
        identities: tells which files need not be read, and learns of those that were.
    Raises:
        OSError: nothing is there, or reading fails.
    """
    name = codec.raw(path) if isinstance(path, str) else path
    info = os.lstat(name)
    if stat.S_ISLNK(info.st_mode):
        return state_of(info, target=codec.text(os.readlink(name)))
    if stat.S_ISDIR(info.st_mode):
        return state_of(info, xattrs=xattrs_of(name))
    if not stat.S_ISREG(info.st_mode) or not content:
        return state_of(info)
    known = identities.find(info) if identities else None
    if identities and known and (packer.has(known) or identities.compressed.add_to(packer, known)):
        return state_of(info, known, "", xattrs_of(name))
    for _ in range(3):
        making = identities.compressed.begin() if identities and identities.may_learn(info) else None
        try:
            found = add_file(packer, name, making)
            after = os.lstat(name)
            if _same(info, after):
                if identities and identities.learn(info, found) and making:
                    identities.compressed.finish(making, found)
                break
        except PermissionError:
            return state_of(info)
        finally:
            if making:
                making.drop()
        info = after   # somebody wrote meanwhile: what was read may be neither old nor new
    return state_of(info, found, "", xattrs_of(name))


@dataclass(frozen=True)
class Snapshot:
    """A file as it was at one moment, set aside in little time; to be stored at leisure, once.

    Attributes:
        size_bytes: what it takes of memory meanwhile.
    """

    info: os.stat_result
    blocks: tuple[bytes | int, ...]
    clone: int = -1
    xattrs: dict[str, str] = field(default_factory=dict)

    @property
    def size_bytes(self) -> int:
        """Bytes of memory that it holds."""
        return sum(len(block) for block in self.blocks if isinstance(block, bytes))

    def store(self, packer: Packer) -> FileState:
        """Store its bytes; the file's state at that moment."""
        if self.clone < 0:
            whole = self.blocks[0] if self.info.st_size <= WHOLE_BYTES and self.blocks else None
            return state_of(self.info, packer.add_bytes(whole) if isinstance(whole, bytes)
                            else packer.add_blocks(self.blocks), "", self.xattrs)
        try:
            return state_of(self.info, packer.add_blocks(read_blocks(self.clone)), "", self.xattrs)
        finally:
            os.close(self.clone)


def set_aside(path: bytes, directory: str, limit_bytes: int) -> Snapshot | None:
    """A regular file's snapshot: in memory, or as a clone where the file system shares blocks, or a copy.

    Args:
        directory: where a clone may be made, without a name.
        limit_bytes: what may be held in memory.
    Returns:
        None where it can be had in no other way than by storing it now.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            return None
        if info.st_size > limit_bytes:
            clone = _clone(fd, info, directory)
            return Snapshot(info, (), clone, xattrs_of(fd)) if clone >= 0 else None
        # Small files are cut as `add_file` cuts them: the same bytes are the same objects.
        blocks = (os.read(fd, WHOLE_BYTES),) if info.st_size <= WHOLE_BYTES else tuple(read_blocks(fd))
        return Snapshot(info, blocks, -1, xattrs_of(fd)) if _same(info, os.fstat(fd)) else None
    except OSError:
        return None
    finally:
        os.close(fd)


def _clone(fd: int, info: os.stat_result, directory: str) -> int:
    """A nameless file that shares the blocks of another, or is a copy of it; -1 where that cannot be."""
    clone = -1
    try:
        clone = os.open(directory, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.ioctl(clone, _FICLONE, fd)
        except OSError:
            _copy(fd, info, clone)
        return clone
    except OSError:
        if clone >= 0:
            os.close(clone)
        return -1


def _copy(fd: int, info: os.stat_result, target: int) -> None:
    """Copying takes a tenth of the time of hashing and compressing.

    Raises:
        OSError: it cannot be done, or does not pay: holes would be filled, or the disk nearly.
    """
    room = os.fstatvfs(target)
    if info.st_blocks * 512 < info.st_size or info.st_size > min(COPY_BYTES, room.f_bavail * room.f_frsize // 4):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    left = info.st_size
    while left and (done := os.copy_file_range(fd, target, left)):
        left -= done


def below(path: str) -> list[str]:
    """Everything below a directory; nothing for what is none. Names as manifests have them."""
    name = codec.raw(path)
    try:
        if not stat.S_ISDIR(os.lstat(name).st_mode):
            return []
    except OSError:
        return []
    return [codec.text(each) for each in longnames.below(name)]


def _same(one: os.stat_result, two: os.stat_result) -> bool:
    return (one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) == (
        two.st_ino, two.st_size, two.st_mtime_ns, two.st_ctime_ns)
