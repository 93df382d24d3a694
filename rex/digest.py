"""SHA-256 that loads OpenSSL only for much data: loading it takes longer than a short command has to hash."""

from __future__ import annotations

from rex.hints import Any


try:
    from _sha2 import sha256 as _plain          # Python 3.12 and later
except ImportError:
    try:
        from _sha256 import sha256 as _plain    # type: ignore[no-redef, import-not-found]
    except ImportError:
        from hashlib import sha256 as _plain    # this Python was built without its own

_left = 512 << 10    # bytes that this process may still hash without OpenSSL, which is six times as fast


class Sha256:
    """A hash of data that comes in parts, as hashlib's; for one thread at a time."""

    def __init__(self, data: bytes | memoryview = b"") -> None:
        self._waiting: list[bytes] = []     # is hashed at once, when it is known with what
        self._hash: Any = None
        self.update(data)

    def update(self, data: bytes | memoryview) -> None:
        """Add a part."""
        global _left
        _left -= len(data)
        if self._hash is None and _left >= 0:
            self._waiting.append(bytes(data))
            return
        if self._hash is None:
            import hashlib
            self._hash = hashlib.sha256(b"".join(self._waiting))
            self._waiting.clear()
        self._hash.update(data)

    def digest(self) -> bytes:
        """The hash of what was added."""
        made: bytes = (self._hash or _plain(b"".join(self._waiting))).digest()
        return made

    def hexdigest(self) -> str:
        """The same as 64 digits."""
        return self.digest().hex()
