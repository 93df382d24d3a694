"""Advisory locks and durable writes: what makes crashes and company harmless.

flock(2) locks vanish with the process that held them, so that a lock can
never be stale; Linux carries them over NFS as well.
"""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import contextmanager

from rex.archive.folder import open_plain
from rex.errors import Locked
from rex.hints import Any, BinaryIO, Iterator

_DROPPED_BYTES = 1 << 20   # a smaller file is not worth it


class FileLock:
    """A shared or exclusive lock on a file, held until `release`."""

    def __init__(self, path: str, exclusive: bool = False, wait: bool = True, is_made: bool = True) -> None:
        """Take the lock.

        Args:
            is_made: the file is made if needed; False: it must be there, and need not be writable.
        Raises:
            FileNotFoundError: it is not there.
            Locked: somebody else holds it and `wait` is False.
            Damaged: a link or another thing is in the file's place.
        """
        self.path = path
        self._fd = open_plain(path, os.O_RDWR | os.O_CREAT if is_made else os.O_RDONLY)
        kind = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        try:
            fcntl.flock(self._fd, kind | (0 if wait else fcntl.LOCK_NB))
        except OSError as error:
            os.close(self._fd)
            if error.errno != errno.EWOULDBLOCK:
                raise
            raise Locked("the archive is in use", "another process records into it or reads it",
                         "try again when that has ended") from error

    def release(self) -> None:
        """Give the lock back; harmless when repeated."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def is_locked(path: str) -> bool:
    """Whether somebody holds an exclusive lock on the file.

    Raises:
        Damaged: it is no plain file.
    """
    try:
        fd = open_plain(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except OSError as error:
        if error.errno != errno.EWOULDBLOCK:
            raise
        return True
    finally:
        os.close(fd)


def sync_directory(path: str) -> None:
    """Make the names in a directory durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_file(path: str, is_read_soon: bool = True) -> None:
    """Make what was written to a file durable; one that is gone needs nothing.

    Args:
        is_read_soon: False: if it is large, the system need not hold it in memory any more. What is written next then
            takes those pages again, which costs a fifth where a hypervisor lends them, and nobody else's are evicted.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        os.fsync(fd)
        if not is_read_soon and os.fstat(fd).st_size >= _DROPPED_BYTES:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(fd)


def sync_file_system(directory: str) -> None:
    """Make everything written to the directory's file system durable."""
    import ctypes
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(fd) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), directory)
    finally:
        os.close(fd)


def temporary_name(directory: str) -> str:
    """A new name for a file that is not yet whole; `check` and `gc` know such names."""
    return os.path.join(directory, f".tmp-{os.getpid()}-{os.urandom(6).hex()}")


@contextmanager
def whole_file(path: str, is_durable: bool = True) -> Iterator[BinaryIO]:
    """A file to write, which gets its name when all of it was written; else nothing changes.

    Args:
        is_durable: False: should the power fail, it may be there without its bytes; the caller syncs it, and its folder.
    """
    directory = os.path.dirname(os.path.abspath(path))
    temporary = temporary_name(directory)
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            if is_durable:
                os.fsync(file.fileno())
        os.rename(temporary, path)
    except BaseException:
        remove_if_there(temporary)
        raise
    if is_durable:
        sync_directory(directory)


def write_atomically(path: str, data: bytes, is_durable: bool = True) -> None:
    """Make path hold exactly data, or leave it as it was; is_durable: as of `whole_file`."""
    with whole_file(path, is_durable) as file:
        file.write(data)


def remove_if_there(path: str) -> None:
    """Unlink the file unless it is already gone."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def append_whole(file: Any, data: bytes) -> None:
    """Append to a file that is open without a buffer: all, or nothing where there is no room.

    Raises:
        OSError: nothing was appended.
    """
    size = os.fstat(file.fileno()).st_size
    try:
        view = memoryview(data)
        while view:
            view = view[file.write(view):]
    except BaseException:
        os.ftruncate(file.fileno(), size)
        raise
