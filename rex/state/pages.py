"""Which memory was written since it was last looked at, as the kernel knows it.

userfaultfd write-protects pages asynchronously: the first write to a page
costs one fault that the kernel answers by itself, and PAGEMAP_SCAN lists the pages
written and protects them again in one step. Nothing is read, and writes of
C code, other threads and the kernel itself count. Linux 6.7 or later; where it
is missing, callers hash instead.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct

from rex.values import dataclass, field

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

_NR_USERFAULTFD = {"x86_64": 323, "aarch64": 282}.get(platform.machine())
_USER_MODE_ONLY = 1
_UFFDIO_API, _UFFDIO_REGISTER, _UFFDIO_UNREGISTER = 0xC018AA3F, 0xC020AA00, 0x8010AA01
_API_VERSION, _REGISTER_WP = 0xAA, 2
_FEATURES = 1 << 15 | 1 << 13            # WP_ASYNC, WP_UNPOPULATED
_PAGEMAP_SCAN = 0xC0606610
_SCAN = struct.Struct("<12Q")
_WP_MATCHING, _CHECK_WPASYNC = 1, 2
_WRITTEN, _OF_FILE = 1 << 1, 1 << 2      # PAGE_IS_WRITTEN, PAGE_IS_FILE: of a file, or shared
_VECTOR_ITEMS = 4096                     # page ranges that one scan can report

Range = tuple[int, int]


@dataclass(eq=False, slots=True)
class Region:
    """Watched memory; `written` gathers what other regions' scans found in it."""

    begin: int
    end: int
    written: list[Range] = field(default_factory=list)


class PageWatch:
    """Watches ranges of this process's memory for writes."""

    def __init__(self) -> None:
        """Open the kernel's devices.

        Raises:
            OSError: this kernel, or its settings, do not allow it.
        """
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._pid = os.getpid()
        self._regions: set[Region] = set()
        self._vector = ctypes.create_string_buffer(_VECTOR_ITEMS * 24)
        self._fd = self._pagemap = -1
        if _NR_USERFAULTFD is None:
            raise OSError("no userfaultfd on this machine")
        self._fd = self._libc.syscall(_NR_USERFAULTFD, os.O_CLOEXEC | os.O_NONBLOCK
                                      | _USER_MODE_ONLY)
        if self._fd < 0:
            raise OSError(ctypes.get_errno(), "userfaultfd")
        try:
            self._ioctl(self._fd, _UFFDIO_API, struct.pack("<3Q", _API_VERSION, _FEATURES, 0))
            self._pagemap = os.open("/proc/self/pagemap", os.O_RDONLY | os.O_CLOEXEC)
            self._try_out()
        except OSError:
            self.close()
            raise

    def _try_out(self) -> None:
        import mmap
        memory = mmap.mmap(-1, 4 * PAGE_BYTES, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        memory[:] = bytes(len(memory))
        begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        region = self.watch(begin, len(memory))
        memory[PAGE_BYTES] = 1
        if region is None or self.written(region) != [(begin + PAGE_BYTES,
                                                       begin + 2 * PAGE_BYTES)]:
            raise OSError("the kernel does not report written pages")
        self.forget(region)

    def _ioctl(self, fd: int, request: int, argument: bytes) -> tuple[int, bytes]:
        buffer = ctypes.create_string_buffer(argument, len(argument))
        result = self._libc.ioctl(fd, ctypes.c_ulong(request), buffer)
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result, buffer.raw

    def watch(self, address: int, size_bytes: int) -> Region | None:
        """Watch a range from now on; None where the kernel refuses, or other processes may write the memory.

        The range grows to whole pages. Read the memory after this call, not
        before: what is written meanwhile is then found by the next look.
        """
        begin = address // PAGE_BYTES * PAGE_BYTES
        end = -(-(address + size_bytes) // PAGE_BYTES) * PAGE_BYTES
        region = Region(begin, end)
        try:
            if os.getpid() != self._pid:   # a fork's memory is not watched
                return None
            if self._is_shared(region):   # the kernel reports only our own writes
                return None
            self._register(region)
            if self._scan(region) is None:
                return None
        except OSError:
            return None
        self._regions.add(region)
        return region

    def _register(self, region: Region) -> None:
        argument = struct.pack("<4Q", region.begin, region.end - region.begin, _REGISTER_WP, 0)
        self._ioctl(self._fd, _UFFDIO_REGISTER, argument)

    def _is_shared(self, region: Region) -> bool:
        argument = _SCAN.pack(_SCAN.size, 0, region.begin, region.end, 0, ctypes.addressof(self._vector), 1, 1,
                              0, _OF_FILE, 0, _OF_FILE)
        return self._ioctl(self._pagemap, _PAGEMAP_SCAN, argument)[0] > 0

    def written(self, region: Region) -> list[Range] | None:
        """The ranges written since the last look, which are protected again; None: unknown."""
        if os.getpid() != self._pid or region not in self._regions:
            return None
        found = self._scan(region)
        if found is None:
            # Unmapped and mapped again meanwhile.
            self._regions.discard(region)
            return None
        found += region.written
        region.written = []
        return found

    def forget(self, region: Region) -> None:
        """Stop to report on a region.

        The pages stay registered, for others may lie on them; each costs one
        more fault at most.
        """
        self._regions.discard(region)

    def _scan(self, region: Region) -> list[Range] | None:
        found: list[Range] = []
        at = region.begin
        while at < region.end:
            argument = _SCAN.pack(_SCAN.size, _WP_MATCHING | _CHECK_WPASYNC, at, region.end, 0,
                                  ctypes.addressof(self._vector), _VECTOR_ITEMS, 0,
                                  0, _WRITTEN, 0, _WRITTEN)
            try:
                count, answer = self._ioctl(self._pagemap, _PAGEMAP_SCAN, argument)
            except OSError:
                return None
            found += [(begin, end) for begin, end, _ in
                      struct.iter_unpack("<3Q", self._vector.raw[:24 * count])]
            walked = _SCAN.unpack(answer)[4]
            if walked <= at:
                return None
            at = walked
        self._tell_others(region, found)
        return found

    def _tell_others(self, region: Region, found: list[Range]) -> None:
        # The scan has protected the pages again: regions that share them would
        # not learn of the writes.
        if not found:
            return
        for other in self._regions:
            if other is not region and other.begin < region.end and region.begin < other.end:
                other.written += [(begin, end) for begin, end in found
                                  if begin < other.end and other.begin < end]

    def close(self) -> None:
        """Stop watching; the kernel lifts the protection."""
        for fd in (self._fd, self._pagemap):
            if fd >= 0:
                os.close(fd)
        self._fd = self._pagemap = -1
        self._regions.clear()


def open_watch() -> PageWatch | None:
    """A watch where the kernel has it."""
    try:
        return PageWatch()
    except OSError:
        return None
