"""The harness, compiled once, and what loads a log into it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from engine_rules import Loaded, Rules, build


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    return build(tmp_path_factory.mktemp("rules"))


@pytest.fixture
def loaded(program: Path, tmp_path: Path) -> Loaded:
    return lambda events, **options: Rules(program, tmp_path, events, **options)
