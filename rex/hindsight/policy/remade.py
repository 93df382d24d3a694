"""Large memory that the script's beginning fills and no loop changes: every replay fills it again, so its hash is all that is kept."""

from __future__ import annotations

from typing import Iterable

from rex.hindsight.capture.memory import Key, chunk_digests


class Remade:
    """What large memory held when the outermost loop began, by address and size."""

    def __init__(self) -> None:
        self._digests: dict[Key, list[bytes]] = {}

    def note(self, keys: Iterable[Key]) -> None:
        """An outermost loop begins, and this memory is there."""
        self._digests = {key: chunk_digests(*key) for key in keys}

    def clear(self) -> None:
        """Nothing is known of what the beginning fills, or all of it is to be stored."""
        self._digests.clear()

    def __contains__(self, key: Key) -> bool:
        return key in self._digests

    def is_same(self, key: Key, digests: list[bytes]) -> bool:
        """Whether memory holds what it did; if not, it will be stored from now on."""
        if self._digests.get(key) == digests:
            return True
        self._digests.pop(key, None)
        return False

    def unchanged_bytes(self, keys: Iterable[Key]) -> int:
        """How much of this memory holds what it did."""
        return sum(key[1] for key in dict.fromkeys(keys) if key in self._digests and self.is_same(key, chunk_digests(*key)))
