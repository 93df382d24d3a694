"""Names that are longer than the kernel takes, as OUTDIR and a recorded path together may be."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress

from rex.hints import Iterator

_PATH_MAX, _PART = 4096, 2048


@contextmanager
def reachable(path: bytes) -> Iterator[bytes]:
    """A name for the same file that the kernel takes, as long as the context lasts; that of no file if its directory is not there."""
    if len(path) < _PATH_MAX:
        yield path
        return
    fd, rest = os.open(b"/", os.O_PATH), path.lstrip(b"/")
    try:
        while len(rest) >= _PART:
            part, _, _ = rest[:_PART].rpartition(b"/")
            deeper = os.open(part, os.O_PATH | os.O_DIRECTORY, dir_fd=fd)
            os.close(fd)
            fd, rest = deeper, rest[len(part) + 1:]
        yield b"/proc/self/fd/%d/%s" % (fd, rest)
    except FileNotFoundError:
        yield path
    finally:
        os.close(fd)


def below(directory: bytes) -> Iterator[bytes]:
    """The paths of all in a directory, however long and deep; a directory is given before it is read."""
    waiting = [directory]
    for top in waiting:                 # grows meanwhile
        try:
            with reachable(top) as name, os.scandir(name) as entries:
                found = [(top + b"/" + entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except OSError:                 # not there, or not ours to read
            continue
        for path, is_directory in found:
            yield path
            if is_directory:
                waiting.append(path)


def remove(directory: bytes) -> None:
    """Remove a directory with all in it, however long and deep the paths; what cannot be removed stays."""
    for path in reversed([directory, *below(directory)]):
        with reachable(path) as name, suppress(OSError):
            try:
                os.unlink(name)
            except IsADirectoryError:
                os.rmdir(name)
