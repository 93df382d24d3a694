"""rex check"""

from __future__ import annotations

import json

from cli.builders import Bench
from cli.conftest import Rex
from rex.errors import NotFound, UsageError


def test_a_clean_bill(bench: Bench, rex: Rex) -> None:
    bench.record(inputs={"/i": b"abc"})
    result = rex("check", "A")
    assert result.stdout == "A: 1 experiment, every finished experiment is whole\n" and result.return_value == 0
    assert json.loads(rex("check", "A", "--json").stdout) == {"archive": "A", "whole": True, "problems": []}


def test_what_is_unfinished_harms_nobody(bench: Bench, rex: Rex) -> None:
    bench.record()
    bench.leave_incomplete()
    result = rex("check", "A")
    assert result.stdout.startswith("note: experiments/exp1: incomplete") and result.return_value == 0


def test_damage(bench: Bench, rex: Rex) -> None:
    bench.record(inputs={"/i": b"abc" * 100})
    bench.damage_packs()
    result = rex("check", "A")
    assert "PROBLEM: packs/" in result.stdout and result.return_value == 1
    told = json.loads(rex("check", "A", "--json").stdout)
    assert not told["whole"] and not told["problems"][0]["is_harmless"]
    assert rex("check", "A", "--repair").return_value == 1   # nothing of an experiment is ever dropped


def test_secrets(bench: Bench, rex: Rex) -> None:
    bench.record(environment={"MY_TOKEN": "abc"})
    bench.record()
    bench.leave_incomplete()
    result = rex("check", "--secrets", "A")
    assert result.stdout == "exp0: the variable MY_TOKEN looks like a credential by its name\nA: 2 experiments, 1 possible credential\n"
    assert result.return_value == 1
    result = rex("check", "--secrets", "A:exp1")
    assert result.stdout == "A: 1 experiment, no credentials found\n" and result.return_value == 0
    told = json.loads(rex("check", "--secrets", "A", "--json").stdout)
    assert told["secrets"] == [{"experiment": "exp0", "place": "the variable MY_TOKEN", "kind": "a credential by its name"}]
    assert isinstance(rex("check", "--secrets", "--repair", "A").exception, UsageError)
    assert rex("export", "A", "-o", "x.rex").stderr.startswith(
        "rex: exp0: the variable MY_TOKEN looks like a credential by its name; see: rex check --secrets A:exp0\n")
    assert isinstance(rex("check", "--secrets", "x.rex").exception, UsageError)
    assert "credential" in rex("push", "A", "there").stderr and "credential" not in rex("export", "A:exp1", "-o", "y.rex").stderr


def test_no_archive(rex: Rex) -> None:
    assert isinstance(rex("check", "A").exception, NotFound)
