"""rex rm"""

from __future__ import annotations

import json

from cli.builders import Bench
from cli.conftest import Rex
from rex.errors import Locked, NotFound, UsageError


def names(bench: Bench) -> list[str]:
    """Experiments left."""
    return [each.name for each in bench.archive.experiments()]


def test_removed_finished_or_not(bench: Bench, rex: Rex) -> None:
    bench.record()
    bench.leave_incomplete()
    bench.record()
    result = rex("rm", "A:exp0", "A:exp1", "A:exp0")
    assert result.stdout == "removed A:exp0\nremoved A:exp1\ngive the space back with: rex gc A\n"
    assert names(bench) == ["exp2"] and result.return_value == 0
    assert json.loads(rex("rm", "--json", "A:exp2").stdout)["removed"] == [{"archive": "A", "experiment": "exp2"}]


def test_all_or_none(bench: Bench, rex: Rex) -> None:
    bench.record()
    assert isinstance(rex("rm", "A:exp0", "A:exp9").exception, NotFound)
    assert isinstance(rex("rm", "A").exception, UsageError)   # never the default one by accident
    assert names(bench) == ["exp0"]


def test_not_while_it_is_recorded(bench: Bench, rex: Rex) -> None:
    with bench.archive.begin():
        assert isinstance(rex("rm", "A:exp0").exception, Locked)
