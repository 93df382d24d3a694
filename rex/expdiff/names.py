"""Names that differ between runs by their nature, made logical: directories and temporary files."""

from __future__ import annotations

import re

from rex import codec

_TEMPORARY_PLACES = (b"/tmp", b"/var/tmp", b"/dev/shm")
_WORD = re.compile(rb"[A-Za-z0-9_]{6,}")
_PROCESS = re.compile(rb"^/proc/\d+(?:/task/\d+)?(?=/|$)")
_CACHED = 1 << 16


def random_part(name: bytes) -> tuple[int, int] | None:
    """Where a file name looks drawn at random, as mkstemp and its like do it; None if nowhere."""
    for match in reversed(list(_WORD.finditer(name))):
        word = match[0]
        is_mixed = any(c in b"0123456789" for c in word) and not word.isdigit() or (
            word.lower() != word and word.upper() != word and word.title() != word)
        if is_mixed or word.isdigit() and len(word) >= 9:
            return match.span()
    return None


class Names:
    """Paths of one experiment as names that two runs share.

    A process's own folder of /proc bears no number. What lies below the working directory is named from there; what the
    experiment made under a random name is named without the random part.
    """

    def __init__(self, cwd: bytes) -> None:
        self._cwd = cwd.rstrip(b"/")
        self._temporary: dict[bytes, bytes] = {}
        self._known: dict[bytes, bytes] = {}

    def made(self, path: bytes) -> None:
        """A new file or directory whose name the experiment chose, and nobody else had."""
        parent, _, name = path.rpartition(b"/")
        span = random_part(name)
        if span is None and (parent not in _TEMPORARY_PLACES or self._cwd == parent
                             or self._cwd.startswith(path + b"/")):
            return
        begin, end = span or (0, len(name))
        self._temporary[path] = parent + b"/" + name[:begin] + b"<temporary>" + name[end:]
        self._known.clear()

    def logical(self, path: bytes) -> bytes:
        """The name that a path has in any run."""
        found = self._known.get(path)
        if found is None:
            if len(self._known) >= _CACHED:
                self._known.clear()
            found = self._known[path] = self._below(self._without_random(path))
        return found

    def logical_text(self, path: str) -> str:
        """The same for a path as text."""
        return codec.text(self.logical(codec.raw(path)))

    def _below(self, path: bytes) -> bytes:
        if self._cwd and path.startswith(self._cwd) and path[len(self._cwd):][:1] in (b"", b"/"):
            return b"." + path[len(self._cwd):]
        return path

    def _without_random(self, path: bytes) -> bytes:
        if path.startswith(b"/proc/"):
            return _PROCESS.sub(b"/proc/<process>", path)
        if not self._temporary:
            return path
        tail, head = b"", path
        while len(head) > 1:
            if head in self._temporary:
                parent, _, name = self._temporary[head].rpartition(b"/")
                return self._without_random(parent) + b"/" + name + tail
            head, slash, name = head.rpartition(b"/")
            tail = slash + name + tail
        return path

    def argument(self, value: bytes) -> bytes:
        """An argument; one that is a path, or ends in one behind `=`, has its logical name."""
        head, equals, path = value.rpartition(b"=")
        return head + equals + self.logical(path) if path.startswith(b"/") else value
