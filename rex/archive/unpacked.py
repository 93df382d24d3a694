"""A cache of plain files by content, so that replay can map what was archived."""

from __future__ import annotations

import os
import stat
from typing import Iterable

from rex.archive.archive import Archive
from rex.archive.content import Content
from rex.archive.locks import remove_if_there, temporary_name

MODE = 0o555


def default_root() -> str:
    """$REX_CACHE, else rex below $XDG_CACHE_HOME or ~/.cache."""
    if given := os.environ.get("REX_CACHE"):
        return os.path.abspath(given)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(os.path.abspath(base), "rex")


class Unpacked:
    """Contents as files ROOT/objects/<2 digits>/<sha256>, shared by all archives.

    A file gets its name only after all of it was verified. The files are
    read-only; whoever runs Rex owns them, and may delete the cache at any time.
    """

    def __init__(self, archive: Archive, root: str | None = None) -> None:
        self._archive = archive
        self.root = os.path.join(root or default_root(), "objects")

    def path(self, content: Content) -> str:
        """A file that holds the content, unpacked now if it is not there yet."""
        where = os.path.join(self.root, content.sha256[:2], content.sha256)
        if not _is_there(where, content.size):
            self._unpack(content, where)
        return where

    def paths(self, contents: Iterable[Content]) -> dict[str, str]:
        """The files of many contents, by sha256; each frame is decompressed once."""
        wanted = {content.sha256: content for content in contents}
        found = {}
        missing = []
        for sha256, content in wanted.items():
            found[sha256] = where = os.path.join(self.root, sha256[:2], sha256)
            if not _is_there(where, content.size):
                missing.append(content)
        place = self._archive.store.place
        for content in sorted(missing, key=lambda c: place(c.root[0]) or ("",)):
            self._unpack(content, found[content.sha256])
        return found

    def _unpack(self, content: Content, where: str) -> None:
        directory = os.path.dirname(where)
        os.makedirs(directory, mode=0o700, exist_ok=True)
        temporary = temporary_name(directory)
        try:
            self._archive.extract(content, temporary, MODE)
            os.replace(temporary, where)
        except BaseException:
            remove_if_there(temporary)
            raise


def _is_there(path: str, size: int) -> bool:
    # The size tells a file that a full disk or a crash of the machine cut short.
    try:
        info = os.lstat(path)
    except FileNotFoundError:
        return False
    return stat.S_ISREG(info.st_mode) and info.st_size == size
