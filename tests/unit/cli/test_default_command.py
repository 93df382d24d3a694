"""rex default"""

from __future__ import annotations

import json

from cli.builders import Bench
from cli.conftest import Rex
from rex.errors import NotFound, UsageError


def test_said_and_set(bench: Bench, rex: Rex) -> None:
    bench.record()
    bench.record()
    assert rex("default", "A").stdout == "A:exp0\n"
    assert rex("default", "A:exp1").stdout == "A:exp1\n" and bench.archive.default() == "exp1"
    assert json.loads(rex("default", "A", "--json").stdout) == {"archive": "A", "default": "exp1"}


def test_only_finished_ones(bench: Bench, rex: Rex) -> None:
    assert isinstance(rex("default", "A").exception, NotFound)
    bench.leave_incomplete()
    assert isinstance(rex("default", "A:exp0").exception, UsageError)
    assert isinstance(rex("default", "A:exp1").exception, NotFound)
