"""Large memory that the script's beginning fills and no loop changes: every replay fills it again, so its hash is all that is kept.

Where the kernel reports writes, memory is hashed only when a checkpoint first needs its hash: what nobody wrote since the
loop began holds what it held then. Elsewhere it is hashed when the loop begins.
"""

from __future__ import annotations

from typing import Iterable

from rex.hindsight.capture.memory import Key, chunk_digests, hash_unwritten
from rex.state.unwritten import Unwritten
from rex.state.versions import CHUNK_BYTES

_UNKNOWN = b""


class Remade:
    """What large memory held when the outermost loop began, by address and size."""

    def __init__(self, unwritten: Unwritten) -> None:
        self._unwritten = unwritten
        self._begun: dict[Key, list[bytes]] = {}     # digests of chunks, where they are known

    def note(self, keys: Iterable[Key], most_bytes: float) -> None:
        """An outermost loop begins, and this memory is there.

        Args:
            most_bytes: to hash at once, of what the kernel does not watch.
        """
        self._begun.clear()
        for key in dict.fromkeys(keys):
            is_hashed = self._unwritten.is_known(key)
            if not is_hashed:
                self._unwritten.forget(key)     # writes of an earlier loop do not count
            if not is_hashed and self._unwritten.watch(key):
                self._begun[key] = _edges(key)
            elif key[1] <= most_bytes:
                most_bytes -= key[1]
                self._begun[key] = hash_unwritten(self._unwritten, key)

    def clear(self) -> None:
        """Nothing is known of what the beginning fills, or all of it is to be stored."""
        self._begun.clear()

    def __contains__(self, key: Key) -> bool:
        return key in self._begun

    def digests(self, key: Key) -> list[bytes]:
        """The digests of memory that holds what it did; none of other memory, which will be stored from now on."""
        if not self._may_be_same(key):
            return []
        begun = self._begun[key]
        if _UNKNOWN in begun:
            found = chunk_digests(*key)
            self._unwritten.keep(key, found)
            begun = self._begun[key] = [then or now for then, now in zip(begun, found)]
        else:
            found = hash_unwritten(self._unwritten, key)
        if found == begun:
            return found
        del self._begun[key]
        return []

    def _may_be_same(self, key: Key) -> bool:
        """Whether nobody wrote chunks whose digests are unknown."""
        begun = self._begun.get(key, [])
        if _UNKNOWN in begun:
            written = self._unwritten.written(key)
            if written is None or any(begun[chunk] == _UNKNOWN for chunk in written):
                del self._begun[key]
        return key in self._begun

    def unchanged_bytes(self, keys: Iterable[Key]) -> int:
        """How much of this memory holds what it did; the ends of memory that was not hashed yet are not compared."""
        return sum(key[1] for key in dict.fromkeys(keys) if self._may_be_same(key) and (
            _UNKNOWN in self._begun[key] or self.digests(key)))


def _edges(key: Key) -> list[bytes]:
    """The digests of the first and the last chunk: what lies beside them on a page may be written."""
    address, size_bytes = key
    last = (size_bytes - 1) // CHUNK_BYTES
    digests = [_UNKNOWN] * (last + 1)
    digests[0] = chunk_digests(address, min(size_bytes, CHUNK_BYTES))[0]
    digests[-1] = chunk_digests(address + last * CHUNK_BYTES, size_bytes - last * CHUNK_BYTES)[0]
    return digests
