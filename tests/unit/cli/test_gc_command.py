"""rex gc"""

from __future__ import annotations

import json
import os

from cli.builders import Bench
from cli.conftest import Rex
from rex.errors import Locked


def test_space_of_what_was_removed_comes_back(bench: Bench, rex: Rex) -> None:
    bench.record(inputs={"/i": os.urandom(100_000)})
    bench.record(inputs={"/j": b"other"})
    assert rex("gc", "A").stdout.startswith("A: 0 B freed")
    rex("rm", "A:exp0")
    told = json.loads(rex("gc", "A", "--json").stdout)
    assert told["freed_bytes"] > 99_000 and told["archive"] == "A"
    assert rex("check", "A").return_value == 0


def test_not_while_somebody_records(bench: Bench, rex: Rex) -> None:
    with bench.archive.begin():
        assert isinstance(rex("gc", "A").exception, Locked)
