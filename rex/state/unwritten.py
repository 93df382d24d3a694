"""Large memory that the kernel watches: chunks that nobody wrote since they were hashed need not be read again."""

from __future__ import annotations

from rex.state.device import is_in_use
from rex.state.pages import PageWatch, Region, open_watch
from rex.state.versions import CHUNK_BYTES

Key = tuple[int, int]     # address and size in bytes


class Unwritten:
    """Digests of memory by address and size."""

    def __init__(self, most: int = 1000) -> None:
        """Args: most: so much memory is watched, and no more."""
        self._most = most
        self._watch: PageWatch | None = None
        self._is_tried = False
        self._known: dict[Key, tuple[Region, list[bytes]]] = {}

    def __contains__(self, key: Key) -> bool:
        """Whether the memory is watched."""
        return key in self._known

    def look(self, key: Key) -> tuple[list[bytes], set[int]] | None:
        """The chunks' digests as they were, and which chunks may have been written since; None: all of it is to be read."""
        digests = self._known.get(key, (None, []))[1]
        stale = self.written(key) if digests else None
        return None if stale is None else ([*digests], stale)

    def written(self, key: Key) -> set[int] | None:
        """Which chunks may have been written since the last look; None: unknown."""
        region, _ = self._known.get(key, (None, []))
        if region is None or self._watch is None or is_in_use():   # a device writes past the kernel
            return None
        written = self._watch.written(region)
        if written is None:
            del self._known[key]
            return None
        address, size_bytes = key
        return {chunk for begin, end in written
                for chunk in range(max(begin - address, 0) // CHUNK_BYTES, -(-min(end - address, size_bytes) // CHUNK_BYTES))}

    def is_known(self, key: Key) -> bool:
        """Whether the memory was read since it is watched."""
        return bool(self._known.get(key, (None, []))[1])

    def watch(self, key: Key) -> bool:
        """See what is written from now on; the memory is read after this call, and `keep` is called.

        Returns:
            Whether the kernel reports all writes.
        """
        if not self._is_tried:
            self._is_tried, self._watch = True, open_watch()
        if self._watch and key not in self._known and len(self._known) < self._most and (
                region := self._watch.watch(*key)):
            self._known[key] = region, []
        return key in self._known and not is_in_use()

    def keep(self, key: Key, digests: list[bytes]) -> None:
        """What was read of memory that is watched, perhaps."""
        if key in self._known:
            self._known[key] = self._known[key][0], [*digests]

    def forget(self, key: Key) -> None:
        """Most of it changes: to watch it costs a fault for each page."""
        region, _ = self._known.pop(key, (None, []))
        if region is not None and self._watch is not None:
            self._watch.forget(region)

    def close(self) -> None:
        """Watch nothing any more."""
        if self._watch is not None:
            self._watch.close()
            self._watch = None
