"""Which of many like tests run each time, and which in the long suite only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first(count: int, values: Iterable[Any]) -> list[Any]:
    """Parameters of a test: the first `count` run each time, the others in the long suite."""
    return [value if number < count else pytest.param(value, marks=pytest.mark.stress) for number, value in enumerate(values)]
