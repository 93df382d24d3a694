"""Paths that are longer than the kernel takes, and trees deeper than Python recurses."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rex import longnames


def _deep(top: Path, levels: int) -> None:
    """A tree deeper than Python recurses."""
    fd = os.open(top, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=fd)
        deeper = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = deeper
    os.close(os.open("last", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
    os.close(fd)


@pytest.mark.parametrize("levels", [3, 1500, 2500])
def test_a_deep_tree_is_walked_and_removed(tmp_path: Path, levels: int) -> None:
    top = tmp_path / "top"
    top.mkdir()
    _deep(top, levels)
    try:
        found = [*longnames.below(os.fsencode(top))]
        assert len(found) == levels + 1 and found[-1].endswith(b"d/last")
    finally:
        longnames.remove(os.fsencode(top))
    assert not top.exists()
