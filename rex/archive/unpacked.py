"""A cache of plain files by content, so that replay can map what was archived."""

from __future__ import annotations

import os
import stat
import time

from rex import longnames
from rex.archive.archive import Archive
from rex.cacheplace import cache_root, make_cache
from rex.archive.content import Content
from rex.archive.locks import FileLock, is_locked, remove_if_there, sync_file_system, temporary_name
from rex.archive.trimming import note_use, trim
from rex.errors import Locked
from rex.hints import Iterable

MODE = 0o555
_NAME_LENGTH = 64   # a sha256 in hex
_BATCH = 4096   # files between two syncs
_WORK, _LOCK, _YOUNG_S = "replay-", "lock", 60
# All of it takes at most so much, and at most this part of the room that is free, or its own.
_LIMIT_BYTES, _PART_OF_ROOM = 16 << 30, 4


class WorkDirectory:
    """A directory of the cache for one run; the next one removes those whose run was killed."""

    def __init__(self, root: str) -> None:
        make_cache(root)
        for name in os.listdir(root):
            if name.startswith(_WORK):
                _remove_if_left(os.path.join(root, name))
        self.path = os.path.join(root, _WORK + os.urandom(8).hex())
        os.mkdir(self.path, 0o700)
        self._lock = FileLock(os.path.join(self.path, _LOCK), exclusive=True)

    def close(self) -> None:
        """Remove it with all that is in it."""
        _remove(self.path)
        self._lock.release()


def _remove(path: str) -> None:
    try:
        for entry in os.scandir(path):
            if entry.is_dir(follow_symlinks=False):
                os.rmdir(entry.path)
            else:
                os.unlink(entry.path)
        os.rmdir(path)
    except OSError:   # a directory in it is not empty
        longnames.remove(os.fsencode(path))


def _remove_if_left(path: str) -> None:
    try:
        is_young = time.time() - os.stat(path).st_mtime < _YOUNG_S   # its lock may be about to be taken
        if not is_young and not is_locked(os.path.join(path, _LOCK)):
            _remove(path)
    except OSError:   # somebody else removes it, or it is not ours
        pass


class Unpacked:
    """Contents as files ROOT/objects/<2 digits>/<sha256>, shared by all archives.

    A file gets its name only after all of it was verified. The files are
    read-only; whoever runs Rex owns them, and may delete the cache while nothing
    is replayed. It stays within bounds, but for what is in use.
    """

    def __init__(self, archive: Archive, root: str | None = None) -> None:
        self._archive = archive
        self._cache = root or cache_root()
        self.root = os.path.join(self._cache, "objects")
        self.programs = os.path.join(self._cache, "programs")   # made from them
        self._made_bytes = 0
        make_cache(self._cache)
        self._use = FileLock(os.path.join(self._cache, _LOCK))

    def close(self) -> None:
        """Let what was not used for the longest time go, where it is too much and nobody else is here."""
        self._use.release()
        made_bytes, self._made_bytes = self._made_bytes, 0
        if not made_bytes:
            return
        try:
            alone = FileLock(os.path.join(self._cache, _LOCK), exclusive=True, wait=False)
        except (Locked, OSError):
            return
        try:
            trim([path for path in (self.root, self.programs) if os.path.isdir(path)], _LIMIT_BYTES, _PART_OF_ROOM)
        finally:
            alone.release()

    def path(self, content: Content) -> str:
        """A file that holds the content, unpacked now if it is not there yet."""
        return self.paths([content])[content.sha256]

    def paths(self, contents: Iterable[Content]) -> dict[str, str]:
        """The files of many contents, by sha256; much faster than one by one."""
        wanted = {content.sha256: content for content in contents}
        found = {name: os.path.join(self.root, name[:2], name) for name in wanted}
        missing = [c for c in wanted.values() if not _is_used(found[c.sha256], c.size)]
        place = self._archive.store.place
        # In the order of the packs each frame is decompressed once.
        missing.sort(key=lambda content: found_at.order if (found_at := place(content.root[0])) else ("", 0, 0))
        for at in range(0, len(missing), _BATCH):
            self._unpack({c: found[c.sha256] for c in missing[at:at + _BATCH]})
        return found

    def sha256_of(self, path: str) -> str:
        """What a path of the cache holds, by its name; "" of another path."""
        directory, _, name = path.rpartition("/")
        return name if directory == os.path.join(self.root, name[:2]) and len(name) == _NAME_LENGTH else ""

    def _unpack(self, wanted: dict[Content, str]) -> None:
        temporaries: list[tuple[str, str]] = []
        try:
            for content, where in wanted.items():
                directory = os.path.dirname(where)
                os.makedirs(directory, mode=0o700, exist_ok=True)
                temporaries.append((temporary_name(directory), where))
                self._archive.extract(content, temporaries[-1][0], MODE)
                self._made_bytes += content.size
            # Without this a power failure could leave a name whose data never arrived.
            sync_file_system(self.root)
            for (temporary, where), content in zip(temporaries, wanted):
                _publish(temporary, where, content.size)
        except BaseException:
            for temporary, _ in temporaries:
                remove_if_there(temporary)
            raise


def _publish(temporary: str, where: str, size: int) -> None:
    # What another process has unpacked meanwhile stays: a replay may have it open, and knows it by its name.
    try:
        os.link(temporary, where)
    except OSError:   # it is there, or the file system has no links
        if not _is_there(where, size):
            os.replace(temporary, where)
            return
    os.unlink(temporary)


def _is_there(path: str, size: int) -> bool:
    return _info(path, size) is not None


def _is_used(path: str, size: int) -> bool:
    info = _info(path, size)
    if info is not None:
        note_use(path, info)
    return info is not None


def _info(path: str, size: int) -> os.stat_result | None:
    # The size tells a file that a full disk or a crash of the machine cut short.
    try:
        info = os.lstat(path)
    except FileNotFoundError:
        return None
    return info if stat.S_ISREG(info.st_mode) and info.st_size == size else None
