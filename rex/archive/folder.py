"""One way to open the files of an archive: relative to their directory's descriptor, no link followed, plain files alone."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress

from rex.errors import Damaged
from rex.hints import BinaryIO, Iterator

_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_KINDS = {stat.S_IFLNK: "a symbolic link", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device",
          stat.S_IFBLK: "a device", stat.S_IFDIR: "a directory"}


class Folder:
    """A directory of an archive: the archive's own, whose path the user gave, or one below it.

    Attributes:
        path: for people, and for those who write.
    """

    def __init__(self, root: str, *names: str) -> None:
        """root: the archive's path, whose links are followed; names: what leads from there to the directory."""
        self._root, self._names = root, names
        self.path = os.path.join(root, *names)

    def below(self, *names: str) -> "Folder":
        """A directory in this one."""
        return Folder(self._root, *self._names, *names)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        fd, path = os.open(self._root, _DIRECTORY & ~os.O_NOFOLLOW), self._root
        try:
            for name in self._names:
                path = os.path.join(path, name)
                try:
                    below = os.open(name, _DIRECTORY, dir_fd=fd)
                except NotADirectoryError:
                    raise _strange(path, os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode) from None
                except OSError as error:
                    error.filename = path   # not the name alone
                    raise
                os.close(fd)
                fd = below
            yield fd
        finally:
            os.close(fd)

    def info(self, name: str) -> os.stat_result:
        """What is there under a name; links are not followed.

        Raises:
            FileNotFoundError: nothing.
            Damaged: what leads there is no directory.
        """
        with self._opened() as folder:
            return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def has(self, name: str) -> bool:
        """Whether anything is there under a name, a dangling link too."""
        try:
            self.info(name)
        except FileNotFoundError:
            return False
        return True

    def names(self) -> list[str]:
        """The names in the directory.

        Raises:
            FileNotFoundError: there is no such directory.
            Damaged: it is no directory.
        """
        with self._opened() as folder:
            try:
                fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
            except OSError as error:
                error.filename = self.path
                raise
            try:
                return os.listdir(fd)
            finally:
                os.close(fd)

    def names_if_there(self) -> list[str]:
        """As `names`; none where there is no such directory: copying tools may drop empty ones."""
        try:
            return self.names()
        except FileNotFoundError:
            return []

    def descriptor(self, name: str, flags: int = os.O_RDONLY) -> int:
        """A descriptor of a plain file.

        Raises:
            FileNotFoundError: it is not there.
            Damaged: it is a link, a pipe, a device, ...
        """
        with self._opened() as folder:
            return open_plain(name, flags, folder, os.path.join(self.path, name))

    def open(self, name: str) -> BinaryIO:
        """A plain file, to be read; raises as `descriptor`."""
        return open(self.descriptor(name), "rb")

    def read(self, name: str, limit_bytes: int) -> bytes:
        """All of a plain file.

        Raises:
            FileNotFoundError: it is not there.
            Damaged: it is none, or larger than the limit.
        """
        with self.open(name) as file:
            data = file.read(limit_bytes + 1)
        if len(data) > limit_bytes:
            raise Damaged(f"{os.path.join(self.path, name)} is damaged", f"it has more than {limit_bytes} bytes", "see: rex check")
        return data

    def size_bytes(self) -> int:
        """What the files in the directory take; what another process removes meanwhile counts nothing.

        Raises:
            FileNotFoundError: there is no such directory.
        """
        total = 0
        with self._opened() as folder:
            for name in self.names():
                with suppress(FileNotFoundError):
                    total += os.stat(name, dir_fd=folder, follow_symlinks=False).st_size
        return total


def open_plain(name: str, flags: int, folder: int | None = None, path: str = "") -> int:
    """A descriptor of a plain file, which O_CREAT among the flags makes; pipes and devices are not even opened.

    Args:
        folder: descriptor of the directory that the name is in.
        path: the file for people.
    Raises:
        Damaged: it is none.
    """
    path = path or name
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        if not flags & os.O_CREAT:
            raise
    else:
        if not stat.S_ISREG(mode):
            raise _strange(path, mode)
    try:
        fd = os.open(name, flags | _FILE, 0o666, dir_fd=folder)
    except OSError as error:
        error.filename = path
        raise
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode):     # it was replaced meanwhile
        os.close(fd)
        raise _strange(path, mode)
    return fd


def _strange(path: str, mode: int) -> Damaged:
    kind = _KINDS.get(stat.S_IFMT(mode), "a file")
    return Damaged(f"{path} is {kind}", "an archive holds plain files in plain directories", "see: rex check")
