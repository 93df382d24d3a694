"""Paths that are longer than the kernel takes, and trees deeper than Python recurses."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deeptree import make_deep
from rex import longnames


@pytest.mark.parametrize("levels", [3, 1500, 2500])
def test_a_deep_tree_is_walked_and_removed(tmp_path: Path, levels: int) -> None:
    top = tmp_path / "top"
    top.mkdir()
    make_deep(top, levels, "d")
    try:
        found = [*longnames.below(os.fsencode(top))]
        assert len(found) == levels + 1 and found[-1].endswith(b"d/last")
    finally:
        longnames.remove(os.fsencode(top))
    assert not top.exists()
