"""What the tests of the commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest
from click.testing import CliRunner, Result

from cli.builders import Bench
from rex.cli.group import cli

Rex = Callable[..., Result]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A new archive named A in the working directory of `rex`."""
    return Bench(tmp_path / "A")


@pytest.fixture
def rex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rex:
    """Run the command line: rex("ls", "A"); foreseen errors are in `exception`, codes in `return_value`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    runner = CliRunner()

    def run(*args: str) -> Result:
        return runner.invoke(cli, list(args), standalone_mode=False)
    return run
