"""Directory trees deeper than a path and Python's stack hold."""

from __future__ import annotations

import os
from pathlib import Path


def make_deep(top: Path, levels: int, name: str) -> None:
    """Nest directories of a name below `top`, and put a file `last` into the last of them."""
    fd = os.open(top, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=fd)
        below = os.open(name, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(os.open("last", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
    os.close(fd)
