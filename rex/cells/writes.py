"""How much memory a cell writes: what a checkpoint after it takes beside one before it.

Runs inside recorded experiments: it imports nothing of Rex. Checkpoints are forks, which share the
pages that neither side writes. A sample of the pages is compared between two borders of cells.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import zlib
from typing import Iterable, Iterator

PAGE = os.sysconf("SC_PAGE_SIZE")
SAMPLES = 1024
# Reference counts and the like return to what they were: such pages look unwritten. Measured.
UNSEEN_BYTES = 4 << 20

_Page = ctypes.c_char * PAGE
_EMPTY = zlib.crc32(bytes(PAGE))


class Pages:
    """Remembers a sample of the pages of this process."""

    def __init__(self) -> None:
        self._sums: dict[int, int] = {}
        self._step = 1                       # each so many-th page; it only grows, so that samples stay comparable

    def written_bytes(self, maps: Iterable[str]) -> int:
        """An estimate of what was written since the last time.

        Args:
            maps: the lines of /proc/self/maps.
        """
        areas = list(_private_areas(maps))
        while sum(end - start for start, end in areas) > 2 * SAMPLES * self._step:
            self._step *= 2
        wanted = [page for start, end in areas for page in range(start + -start % self._step, end, self._step)]
        sums = _sums_of(wanted)
        changed = sum(1 for page, found in sums.items() if self._sums.get(page, _EMPTY) != found)
        self._sums = sums
        return changed * self._step * PAGE + UNSEEN_BYTES


def _private_areas(maps: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Writable memory that is this process's own, from page to page."""
    for line in maps:
        parts = line.split(None, 5)
        if parts[1] == "rw-p" and (len(parts) < 6 or parts[5].startswith("[")):
            start, end = parts[0].split("-")
            yield int(start, 16) // PAGE, int(end, 16) // PAGE


def _sums_of(pages: list[int]) -> dict[int, int]:
    """Checksums of pages, read by the kernel: what cannot be read is an error of a call, not a signal."""
    sums: dict[int, int] = {}
    place = 0
    copy = os.memfd_create("rex-pages")
    try:
        while place < len(pages):
            some = pages[place:place + SAMPLES]
            os.lseek(copy, 0, os.SEEK_SET)
            try:
                count = os.writev(copy, [_Page.from_address(page * PAGE) for page in some]) // PAGE
            except OSError:
                count = 0
            if count:
                with mmap.mmap(copy, count * PAGE, prot=mmap.PROT_READ) as data:      # the heap would keep a copy
                    sums.update((some[at], zlib.crc32(data[at * PAGE:(at + 1) * PAGE])) for at in range(count))
            place += count if count == len(some) else count + 1
    finally:
        os.close(copy)
    return sums
