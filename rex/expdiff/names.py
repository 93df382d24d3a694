"""Names that differ between runs by their nature, made logical: directories and temporary files."""

from __future__ import annotations

import re

from rex import codec

_TEMPORARY_PLACES = (b"/tmp", b"/var/tmp", b"/dev/shm")
_WORD = re.compile(rb"[A-Za-z0-9_]{6,}")
# Between lower case, upper case and digits; a capital that begins a word is none.
_TURN = re.compile(rb"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[A-Z])(?=[0-9])|(?<=[A-Z][A-Z])(?=[a-z])"
                   rb"|(?<=[a-z0-9][A-Z])(?=[a-z])")
_TEMPFILE = re.compile(rb"tmp[a-z0-9_]{8}")
_PROCESS = re.compile(rb"^/proc/\d+(?:/task/\d+)?(?=/|$)")
_CACHED = 1 << 16


def random_part(name: bytes, is_strict: bool) -> tuple[int, int] | None:
    """Where a file name looks drawn at random, as mkstemp and its like do it; None if nowhere.

    Args:
        is_strict: `sample01` will not do: only what nobody would type, or what tempfile makes.
    """
    for match in reversed(list(_WORD.finditer(name))):
        word = match[0]
        if is_strict:
            is_random = len(_TURN.findall(word)) >= 3 or _TEMPFILE.fullmatch(word) is not None
        else:
            is_random = bool(_TURN.search(word)) or word.isdigit() and len(word) >= 9
        if is_random:
            return match.span()
    return None


# What programs put into the names of what they make, so that no two runs have the same: the first of these that a name has counts.
_DRAWN = ((re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?<![0-9a-fA-F])[0-9a-f]{32}(?![0-9a-fA-F])"), "<uuid>"),
          (re.compile(r"(?<!\d)(19|20)\d\d([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])([T_. -]?[0-2]\d([-_.:h]?)[0-5]\d(\6[0-5]\d)?"
                      r"([.,_]?\d{3,9})?Z?)?(?!\d)"), "<date>"),
          (re.compile(r"(?<!\d)1\d{9}(\d{3}|\d{6}|\d{9})?(\.\d+)?(?!\d)"), "<seconds>"))
_COUNTER = re.compile(r"\d+")


def undated(path: str) -> str:
    """A path without the uuids and dates in it."""
    for pattern, word in _DRAWN:
        path = pattern.sub(word, path)
    return path


def uncounted(path: str) -> str:
    """A path without uuids, dates and numbers."""
    return _COUNTER.sub("<number>", undated(path))


class Names:
    """Paths of one experiment as names that two runs share.

    A process's own folder of /proc bears no number. What lies below the working directory is named from there; what the
    experiment made under a random name is named without the random part.
    """

    def __init__(self, cwd: bytes) -> None:
        self._cwd = cwd.rstrip(b"/")
        self._temporary: dict[bytes, bytes] = {}   # for comparing calls
        self._certain: dict[bytes, bytes] = {}     # for matching files: a wrong match would hide a difference
        self._known: dict[bytes, bytes] = {}

    def made(self, path: bytes) -> None:
        """A new file or directory whose name the experiment chose, and nobody else had."""
        parent, _, name = path.rpartition(b"/")
        if self._cwd == path or self._cwd.startswith(path + b"/"):
            return
        strict = random_part(name, True)
        is_place = parent in _TEMPORARY_PLACES and parent != self._cwd or parent in self._temporary
        begin, end = strict or is_place and random_part(name, False) or (0, 0)
        if end:
            self._temporary[path] = parent + b"/" + name[:begin] + b"<temporary>" + name[end:]
            if strict:
                self._certain[path] = self._temporary[path]
            self._known.clear()

    def logical(self, path: bytes) -> bytes:
        """The name that a path has in any run."""
        found = self._known.get(path)
        if found is None:
            if len(self._known) >= _CACHED:
                self._known.clear()
            found = self._known[path] = self._below(self._without_random(path, self._temporary))
        return found

    def certain_text(self, path: str) -> str:
        """The name of a path without what certainly was drawn at random."""
        return codec.text(self._without_random(codec.raw(path), self._certain))

    def logical_text(self, path: str) -> str:
        """The logical name of a path as text."""
        return codec.text(self.logical(codec.raw(path)))

    def _below(self, path: bytes) -> bytes:
        if self._cwd and path.startswith(self._cwd) and path[len(self._cwd):][:1] in (b"", b"/"):
            return b"." + path[len(self._cwd):]
        return path

    def _without_random(self, path: bytes, temporary: dict[bytes, bytes]) -> bytes:
        if path.startswith(b"/proc/"):
            return _PROCESS.sub(b"/proc/<process>", path)
        if not temporary:
            return path
        tail, head = b"", path
        while len(head) > 1:
            if head in temporary:
                parent, _, name = temporary[head].rpartition(b"/")
                return self._without_random(parent, temporary) + b"/" + name + tail
            head, slash, name = head.rpartition(b"/")
            tail = slash + name + tail
        return path

    def argument(self, value: bytes) -> bytes:
        """An argument; one that is a path, or ends in one behind `=`, has its logical name."""
        head, equals, path = value.rpartition(b"=")
        return head + equals + self.logical(path) if path.startswith(b"/") else value
