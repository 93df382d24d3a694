"""Which content a file has, known without reading it: a cache of this machine, by inode and times.

An entry holds for a file whose device, inode, size, mtime and ctime are those of the time when it
was read. ctime cannot be set by programs, so that a change always shows, with two exceptions that
are ruled out here: a change in the same tick of the clock as the reading (the racy index of git),
and stores through a shared mapping to a page that the kernel already holds for changed, which move
the times only after the page was written back, within half a minute. Hence nothing is learnt of a
file that changed a short while ago, nor on file systems that do not keep to these rules.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Any

from rex.archive.compressed import Compressed
from rex.archive.content import MAX_DEPTH, Content
from rex.archive.frames import Frames
from rex.cacheplace import is_private

# Reading a smaller file costs about as much as asking.
WORTH_BYTES = 64 << 10
SETTLED_NS = 60 * 10**9
_FILE_SYSTEMS = frozenset(("ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "overlay"))
_WAIT_S = 1.0   # another recorder may be writing
_TABLE = ("CREATE TABLE IF NOT EXISTS files (device INTEGER, inode INTEGER, size INTEGER, mtime_ns INTEGER, "
          "ctime_ns INTEGER, sha256 BLOB, depth INTEGER, tree BLOB, PRIMARY KEY (device, inode)) WITHOUT ROWID")


class Identities:
    """Contents of files by their identity, in one file of the user's cache; safe for threads.

    It only saves time: whatever goes wrong with it, files are read instead.

    Attributes:
        compressed: of large ones, the bytes as well.
        frames: of small ones, what they were compressed to together.
    """

    def __init__(self, root: str, now_ns: int | None = None) -> None:
        """root: the cache's directory; now_ns: the present, for tests."""
        self._now_ns = now_ns
        self._path = os.path.join(root, "identities-1.sqlite")
        self.compressed = Compressed(root)
        self.frames = Frames(root)
        self._lock = threading.Lock()
        self._learnt: dict[tuple[int, int], tuple[Any, ...]] = {}
        self._devices: frozenset[int] | None = None
        self._database: Any = None
        self._errors: tuple[type[BaseException], ...] = ()

    def _open(self) -> None:
        """With the first question, which comes from beside a run: it takes a while."""
        self._devices = settled_devices()
        try:
            import _sqlite3 as sqlite3   # without what converts dates, which takes longer to import
            root = os.path.dirname(self._path)
            os.makedirs(root, mode=0o700, exist_ok=True)
            if not is_private(root):   # others could tell us what our files hold
                return
            self._database = sqlite3.connect(self._path, timeout=_WAIT_S, check_same_thread=False)
            self._database.execute(_TABLE)
            self._errors = (sqlite3.Error, OSError)
        except Exception:   # no sqlite in this Python, no place to write, a damaged file
            self._database = None

    def find(self, info: os.stat_result) -> Content | None:
        """The content of the file that this describes, if it is known for certain."""
        if not self._is_worth(info) or self._database is None:
            return None
        try:
            with self._lock:
                row = self._database.execute(
                    "SELECT sha256, depth, tree FROM files WHERE device=? AND inode=? AND size=? "
                    "AND mtime_ns=? AND ctime_ns=?", _key(info)).fetchone()
        except self._errors:
            return None
        return _content(row, info.st_size) if row else None

    def may_learn(self, info: os.stat_result) -> bool:
        """Whether a file that this describes may be known for certain once it was read."""
        now = time.time_ns() if self._now_ns is None else self._now_ns
        return self._is_worth(info) and self._database is not None and info.st_ctime_ns < now - SETTLED_NS

    def learn(self, info: os.stat_result, content: Content) -> bool:
        """Remember what was read of a file, if it is certain; info is from before and after the reading."""
        if not self.may_learn(info) or content.size != info.st_size:
            return False
        row = (*_key(info), bytes.fromhex(content.sha256), content.depth, bytes.fromhex(content.tree))
        with self._lock:
            self._learnt[info.st_dev, info.st_ino] = row
        return True

    def _is_worth(self, info: os.stat_result) -> bool:
        if info.st_size < WORTH_BYTES:
            return False
        with self._lock:
            if self._devices is None:
                self._open()
        return self._devices is not None and info.st_dev in self._devices

    def close(self) -> None:
        """Keep what was learnt, for recordings to come."""
        self.compressed.close()
        self.frames.close()
        database, self._database = self._database, None
        if database is None:
            return
        try:
            if self._learnt:
                with database:
                    database.executemany("INSERT OR REPLACE INTO files VALUES (?,?,?,?,?,?,?,?)",
                                         self._learnt.values())
            database.close()
        except self._errors:
            pass


def _key(info: os.stat_result) -> tuple[int, ...]:
    # SQLite has no unsigned 64-bit numbers.
    return (*(number - (1 << 64) if number >= 1 << 63 else number for number in (info.st_dev, info.st_ino)),
            info.st_size, info.st_mtime_ns, info.st_ctime_ns)


def _content(row: tuple[Any, ...], size: int) -> Content | None:
    sha256, depth, tree = row
    if len(sha256) != 32 or not 0 <= depth <= MAX_DEPTH or len(tree) != (32 if depth else 0):
        return None
    return Content(sha256.hex(), size, depth, tree.hex())


def settled_devices() -> frozenset[int]:
    """Device numbers of the file systems whose times can be relied upon."""
    found = set()
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                words = line.split()
                if words[words.index("-") + 1] in _FILE_SYSTEMS:
                    major, _, minor = words[2].partition(":")
                    found.add(os.makedev(int(major), int(minor)))
    except (OSError, ValueError, IndexError):
        return frozenset()
    return frozenset(found)
