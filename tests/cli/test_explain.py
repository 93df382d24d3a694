"""rex replay --explain: which rules acted, and what events waited for."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from commands import run_rex

from rex.tracer import native

pytestmark = pytest.mark.skipif(not native.is_built() or os.environ.get("REX_ENGINE") == "reference", reason="the native engine has the rules")

ORDERED = "(sleep 0.2; echo late >> log) & echo early >> log; wait; cat log; date"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("explain")
    run_rex("record", "-q", "-l", "A", "--", "sh", "-c", ORDERED, cwd=place)
    return place


def test_it_counts_rules_and_gates(recorded: Path) -> None:
    done = run_rex("replay", "-l", "A", "-o", "out1", "--explain", cwd=recorded)
    assert "next-in-queue" in done.stderr and "events happened; found by" in done.stderr
    assert "early\nlate\n" in done.stdout


def test_as_json(recorded: Path) -> None:
    done = run_rex("replay", "-l", "A", "-o", "out2", "--explain", "--json", "--check", cwd=recorded)
    told = json.loads(done.stdout.splitlines()[-1])["explanation"]
    assert told["rules"]["next-in-queue"] > 10
    assert told["rows"]["next-in-queue"] > 10 and told["rows"]["logged-event"] > 10
    for hold in told["longest"]:
        assert hold["gate"] in told["gates"] and hold["seconds"] >= 0


def test_a_rule_that_is_left_out_does_not_act(recorded: Path) -> None:
    """Without the queues a program without threads finds no event at all."""
    done = run_rex("replay", "-l", "A", "-o", "out3", "--explain", "--check", cwd=recorded, code=20, REX_RULES="-next-in-queue")
    assert "next-in-queue" not in done.stderr
    assert "at the divergence: rule divergence" in done.stderr
