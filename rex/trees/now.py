"""What a step would be given if it ran now on this machine."""

from __future__ import annotations

import errno
import hashlib
import os
import time
from collections.abc import Callable

from rex import codec
from rex.archive.identities import Identities
from rex.trees import looks
from rex.trees.facts import ABSENT, FILE, KERNEL, LIST, LOOK
from rex.trees.files import Files
from rex.trees.step import Given
from rex.trees.steps import names_hash

_FileKey = tuple[int, int, int, int, int]


class Now:
    """The files that a program would find, compared with what was given. Contents are read once, as long as their file is the same.

    A file that may be written this moment is read again: its times tell no difference in one tick of the clock.

    Attributes:
        files: where programs find them.
        archived_as: the sha256 of a file that Rex has unpacked, "" of another one.

    Args:
        is_strict: the time counts of files that a step asked about and opened as well.
    """

    def __init__(self, identities: Identities, is_strict: bool = False) -> None:
        self._identities, self._is_strict = identities, is_strict
        self.files = Files()
        self.archived_as: Callable[[str], str] = lambda path: ""
        self._began_ns = time.time_ns()
        self._known: dict[_FileKey, str] = {}

    def is_still(self, given: Given) -> bool:
        """Whether a step would be given the same."""
        name = codec.raw(given.path)
        try:
            if given.kind == FILE:
                return bool(given.value) and self.content(name) == given.value
            if given.kind == LIST:
                return names_hash(codec.text(each) for each in self.files.names(name)) == given.value
            if given.kind == KERNEL:
                with open(name, "rb") as file:
                    return hashlib.sha256(file.read()).hexdigest() == given.value
            if given.kind == LOOK:
                return looks.is_answered_so(self.files, name, given.seen if self._is_strict else given.now, self._began_ns)
        except OSError:
            return False
        return given.kind == ABSENT and _has_failed_so(self.files, name, given.value)

    def is_of_this_run(self, path: str) -> bool:
        """Whether a file that is there was changed since then."""
        try:
            return self.files.stat(codec.raw(path)).st_mtime_ns >= self._began_ns
        except OSError:
            return False

    def content(self, name: bytes) -> str:
        """sha256 of a file; raises OSError."""
        return self.content_here(self.files.place(name))

    def content_here(self, name: bytes) -> str:
        """sha256 of a file of this machine; raises OSError."""
        if archived := self.archived_as(os.fsdecode(name)):
            return archived
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


def _has_failed_so(files: Files, name: bytes, error: str) -> bool:
    """Whether a look fails as it did; what depends on rights, or on how it was opened, is left out."""
    follows = looks.follows(error)
    error = error.removeprefix(looks.of_name_itself(""))
    if error == "EEXIST":
        return files.is_there(name)
    try:
        if name == b"/dev/tty":
            os.close(os.open(name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC))
        files.link(name) if error == "EINVAL" else files.stat(name, follows)
    except OSError as failed:
        return error in ("ENOENT", "ENOTDIR", "EINVAL", "ENXIO") and errno.errorcode.get(failed.errno or 0) == error
    return False
