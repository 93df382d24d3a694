"""What is where: on this machine, or as a run on archived files sees it, which its tracer tells."""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Callable

_STAT = struct.Struct("<QQQIIIIQqqqQQQQ")      # dev ino nlink mode uid gid pad rdev size blksize blocks atim mtim
_STAT_BYTES = 144                              # with what does not count here
_FOLLOWED, _NOT_FOLLOWED, _NAMES, _LOGICAL = b"f", b"n", b"d", b"l"

Ask = Callable[[bytes, bytes], bytes]           # kind and path -> what rex/native/live/describe.c tells; raises OSError


class Files:
    """Names of this machine.

    Attributes:
        is_archived: files may be those of an archive, each of which has one name.
    """

    is_archived = False

    def forget(self) -> None:
        """Something may have changed."""

    def stat(self, name: bytes, follows: bool = True) -> os.stat_result:
        """Raises OSError, as all here does."""
        return os.stat(name, follow_symlinks=follows)

    def real(self, name: bytes) -> bytes:
        """Where a name leads."""
        return os.path.realpath(name)

    def link(self, name: bytes) -> bytes:
        """Where a link points."""
        return os.readlink(name)

    def names(self, name: bytes) -> list[bytes]:
        """What is in a directory."""
        return os.listdir(name)

    def place(self, name: bytes) -> bytes:
        """The file of this machine that holds a file's content."""
        return name

    def logical(self, name: bytes) -> bytes:
        """What a run calls a file of this machine."""
        return name

    def may(self, name: bytes, mode: int) -> bool:
        """Whether a program has rights to a file."""
        return os.access(name, mode)

    def has_attributes(self, name: bytes, follows: bool) -> bool:
        """Whether a file has extended ones."""
        return bool(os.listxattr(name, follow_symlinks=follows))

    def is_there(self, name: bytes) -> bool:
        """Whether there is something, be it a link to nothing."""
        try:
            self.stat(name, False)
        except OSError:
            return False
        return True


class RunFiles(Files):
    """Names of a run on archived files, as they are at this moment."""

    is_archived = True

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._looks: dict[tuple[bytes, bytes], bytes | OSError] = {}       # a question to the tracer costs more than a system call

    def forget(self) -> None:
        self._looks.clear()

    def _look(self, name: bytes, follows: bool) -> tuple[os.stat_result, bytes, bytes, bytes]:
        """What is there, where the name leads, where the content lies, and a link's target."""
        told = self._ask_once(_FOLLOWED if follows else _NOT_FOLLOWED, name)
        values = _STAT.unpack_from(told)
        device, inode, links, mode, uid, gid = values[:6]
        found = os.stat_result((mode, inode, device, links, uid, gid, values[8], values[11], values[13], values[13],
                                float(values[11]), float(values[13]), float(values[13]),
                                values[11] * 10**9 + values[12], values[13] * 10**9 + values[14], values[13] * 10**9 + values[14],
                                values[9], values[10]))
        real, place, target = told[_STAT_BYTES:].split(b"\0")[:3]
        return found, real, place, target

    def _ask_once(self, kind: bytes, name: bytes) -> bytes:
        found = self._looks.get((kind, name))
        if found is None:
            try:
                found = self._ask(kind, name)
            except OSError as error:
                found = error
            self._looks[kind, name] = found
        if isinstance(found, OSError):
            raise found
        return found

    def stat(self, name: bytes, follows: bool = True) -> os.stat_result:
        return self._look(name, follows)[0]

    def real(self, name: bytes) -> bytes:
        return self._look(name, True)[1]

    def link(self, name: bytes) -> bytes:
        target = self._look(name, False)[3]
        if not target:
            raise OSError(22, os.strerror(22))
        return target

    def names(self, name: bytes) -> list[bytes]:
        return self._ask(_NAMES, name).split(b"\0")[:-1]

    def place(self, name: bytes) -> bytes:
        return self._look(name, True)[2]

    def logical(self, name: bytes) -> bytes:
        return self._ask(_LOGICAL, name).split(b"\0")[0] if name.startswith(b"/") else name

    def may(self, name: bytes, mode: int) -> bool:
        found, _, place, _ = self._look(name, True)
        return not mode & os.X_OK and os.access(place, mode) or stat.S_IMODE(found.st_mode) & 0o111 != 0 and os.access(place, mode & ~os.X_OK)

    def has_attributes(self, name: bytes, follows: bool) -> bool:
        return bool(os.listxattr(self._look(name, follows)[2], follow_symlinks=False))      # of archived files there are none
