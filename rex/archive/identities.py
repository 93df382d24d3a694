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
import struct
import threading
import time
import zlib

from rex.archive.compressed import Compressed
from rex.archive.content import MAX_DEPTH, Content
from rex.archive.frames import Frames
from rex.cacheplace import is_private

# Reading a smaller file costs about as much as asking.
WORTH_BYTES = 64 << 10
SETTLED_NS = 60 * 10**9
_FILE_SYSTEMS = frozenset(("ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "overlay"))
# The file is a table of places of equal size. A file's entry has one place, where it replaces the entry of another file.
_NAME, _PLACES, _PLACE_BYTES = "identities-2", 1 << 17, 128
_ENTRY = struct.Struct("<QQqqqB32s32s")   # what tells the file, then its content: depth, sha256, tree
_CHECK = struct.Struct("<I")             # of the entry before it: another recorder may write, or a crash have cut it off


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
        self._root = root
        self.compressed = Compressed(root)
        self.frames = Frames(root)
        self._lock = threading.Lock()
        self._devices: frozenset[int] | None = None
        self._table = -1

    def _open(self) -> None:
        """With the first question, which comes from beside a run: it takes a while."""
        self._devices = settled_devices()
        try:
            os.makedirs(self._root, mode=0o700, exist_ok=True)
            if is_private(self._root):   # else others could tell us what our files hold
                self._table = os.open(os.path.join(self._root, _NAME), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            pass

    def find(self, info: os.stat_result) -> Content | None:
        """The content of the file that this describes, if it is known for certain."""
        if not self._is_worth(info) or self._table < 0:
            return None
        try:
            place = os.pread(self._table, _PLACE_BYTES, _offset(info))
        except OSError:
            return None
        return _content(place, info)

    def may_learn(self, info: os.stat_result) -> bool:
        """Whether a file that this describes may be known for certain once it was read."""
        now = time.time_ns() if self._now_ns is None else self._now_ns
        return self._is_worth(info) and self._table >= 0 and info.st_ctime_ns < now - SETTLED_NS

    def learn(self, info: os.stat_result, content: Content) -> bool:
        """Remember what was read of a file, if it is certain; info is from before and after the reading."""
        if not self.may_learn(info) or content.size != info.st_size:
            return False
        entry = _ENTRY.pack(*_key(info), content.depth, bytes.fromhex(content.sha256), bytes.fromhex(content.tree))
        try:
            os.pwrite(self._table, entry + _CHECK.pack(zlib.crc32(entry)), _offset(info))
        except OSError:
            return False
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
        table, self._table = self._table, -1
        if table >= 0:
            os.close(table)


def _key(info: os.stat_result) -> tuple[int, ...]:
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns


def _offset(info: os.stat_result) -> int:
    """Of a file's place; files that were made together have places side by side."""
    return (info.st_dev * 40503 + info.st_ino) % _PLACES * _PLACE_BYTES


def _content(place: bytes, info: os.stat_result) -> Content | None:
    """The content that an entry gives the file, if it is a whole one of this file as it is now."""
    entry, check = place[:_ENTRY.size], place[_ENTRY.size:_ENTRY.size + _CHECK.size]
    if check != _CHECK.pack(zlib.crc32(entry)):
        return None
    *key, depth, sha256, tree = _ENTRY.unpack(entry)
    if tuple(key) != _key(info) or depth > MAX_DEPTH:
        return None
    return Content(sha256.hex(), info.st_size, depth, tree.hex() if depth else "")


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
