"""What the campaigns share: how long they last, and their figures."""

from __future__ import annotations

import math
import os
from typing import Callable

import pytest

SHARE = float(os.environ.get("REX_CAMPAIGN") or 0)
_figures: list[str] = []


@pytest.fixture
def rounds() -> Callable[[int, int], int]:
    """rounds(short, long): how often to try, in a test run and in a campaign of its own (REX_CAMPAIGN=1, or 0.1 for a tenth)."""
    return lambda short, long: max(short, math.ceil(long * SHARE))


@pytest.fixture
def figure() -> Callable[[str], None]:
    """Take a figure down, which is printed at the end."""
    return _figures.append


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures."""
    for line in _figures:
        terminalreporter.write_line(line)
