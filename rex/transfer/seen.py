"""Files that an experiment asked about but never opened: the log alone knows of them.

Python, for one, compares the time and size of a module's source with what its
compiled file says, and reads only the latter.
"""

from __future__ import annotations

import stat
import struct
from typing import Iterator

from rex import codec
from rex.archive import Experiment, FileState
from rex.archive.manifest_checks import is_plain_path
from rex.errors import NotFound
from rex.log import Event, LogReader
from rex.log.records import IN, OUT
from rex.syscalls import BY_NAME

_STAT = struct.Struct("<24x I I I 12x q 32x q q")                 # mode uid gid size mtime
_STATX = struct.Struct("<20x I I H 10x Q 64x q I")                # uid gid mode size mtime
_STATS = {BY_NAME[name].nr for name in ("stat", "lstat", "newfstatat")}
_STATXS = {BY_NAME["statx"].nr}
_READLINKS = {BY_NAME[name].nr for name in ("readlink", "readlinkat")}
_TYPES = {stat.S_IFREG: "file", stat.S_IFDIR: "dir"}
# What was larger becomes an empty file: its zeros would only take space.
MAX_ZEROS_BYTES = 1 << 20


def seen_files(experiment: Experiment) -> dict[str, FileState]:
    """What the log's first answer says of each absolute name, contents unknown.

    Links are among them. An experiment without a log has seen nothing.

    Raises:
        Damaged, TooNew: the log cannot be read.
    """
    found: dict[str, FileState] = {}
    try:
        reader = LogReader(experiment.open_log())
    except NotFound:
        return found
    with reader:
        for event in reader.select(_STATS | _STATXS | _READLINKS):
            for path, state in _answer(event):
                found.setdefault(path, state)
    return found


def _answer(event: Event) -> Iterator[tuple[str, FileState]]:
    path = codec.text(event.data(IN) or b"")
    data = event.data(OUT) or b""
    if event.result < 0 or not is_plain_path(path):
        return
    if event.call in _READLINKS:
        yield path, FileState("symlink", 0o777, target=codec.text(data[:event.result]))
        return
    layout = _STATXS if event.call in _STATXS else _STATS
    if layout is _STATXS and len(data) >= _STATX.size:
        uid, gid, mode, size, seconds, ns = _STATX.unpack_from(data)
    elif layout is _STATS and len(data) >= _STAT.size:
        mode, uid, gid, size, seconds, ns = _STAT.unpack_from(data)
    else:
        return
    kind = _TYPES.get(stat.S_IFMT(mode))
    if kind:
        size = size if kind == "file" and 0 <= size <= MAX_ZEROS_BYTES else 0
        yield path, FileState(kind, stat.S_IMODE(mode), uid, gid, seconds * 10**9 + ns, size)
