"""A world per test."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

pytest.importorskip("xxhash", reason="the extra hindsight is not installed")
pytest.importorskip("cloudpickle", reason="the extra hindsight is not installed")

from .worlds import World  # noqa: E402


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()
