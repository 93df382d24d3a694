"""What a step would be given if it ran now on this machine."""

from __future__ import annotations

import errno
import hashlib
import os
import stat

from rex import codec
from rex.archive.identities import Identities
from rex.trees.facts import ABSENT, FILE, KERNEL, LIST, LOOK
from rex.trees.steps import Given, names_hash

_FileKey = tuple[int, int, int, int, int]


class Now:
    """The files of this machine, compared with what was given. Contents are read once, as long as their file is the same.

    A file that may be written this moment is read again: its times tell no difference in one tick of the clock.
    """

    def __init__(self, identities: Identities) -> None:
        self._identities = identities
        self._known: dict[_FileKey, str] = {}

    def is_still(self, given: Given) -> bool:
        """Whether a step would be given the same."""
        name = codec.raw(given.path)
        try:
            if given.kind == FILE:
                return bool(given.value) and self.content(name) == given.value
            if given.kind == LIST:
                return names_hash(codec.text(each) for each in os.listdir(name)) == given.value
            if given.kind == KERNEL:
                with open(name, "rb") as file:
                    return hashlib.sha256(file.read()).hexdigest() == given.value
            if given.kind == LOOK:
                return self._looks_so(name, given.value)
        except OSError:
            return False
        return given.kind == ABSENT and _has_failed_so(name, given.value)

    def _looks_so(self, name: bytes, value: str) -> bool:
        word, _, rest = value.partition(" ")
        if word == "link":
            return codec.text(os.readlink(name)) == rest
        if word == "access":
            return os.access(name, int(rest))
        return any(_answers(info, len(value.split(" "))) == value for info in (os.stat(name), os.lstat(name)))

    def content(self, name: bytes) -> str:
        """sha256 of a file; raises OSError."""
        info = os.stat(name)
        key = (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
        found = self._known.get(key)
        if found:
            return found
        known = self._identities.find(info)
        if known:
            found = known.sha256
        else:
            with open(name, "rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        if known or self._identities.may_learn(info):
            self._known[key] = found
        return found


def _answers(info: os.stat_result, count: int) -> str:
    words = [f"{info.st_mode:o}", str(info.st_size), str(info.st_mtime_ns)]
    return " ".join(words[:count] if stat.S_ISREG(info.st_mode) else words[:1])


def _has_failed_so(name: bytes, error: str) -> bool:
    """Whether a look fails as it did; what depends on rights, or on how it was opened, is not told."""
    if error == "EEXIST":
        return os.path.lexists(name)
    try:
        if name == b"/dev/tty":
            os.close(os.open(name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC))
        os.readlink(name) if error == "EINVAL" else os.stat(name)
    except OSError as failed:
        return error in ("ENOENT", "ENOTDIR", "EINVAL", "ENXIO") and errno.errorcode.get(failed.errno or 0) == error
    return False
