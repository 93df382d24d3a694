"""Words read without click: as click reads them, or left to it."""

from __future__ import annotations

import inspect
import random
from typing import Any

import click
import pytest

from rex.cli import hindsight_command, hindsight_replay_run, quick, record_command, record_run, replay_command, replay_run

CLICK = {"record": record_command.command, "replay": replay_command.command, "hindsight replay": hindsight_command.replay_command}
RUNS = {"record": record_run.run, "replay": replay_run.run, "hindsight replay": hindsight_replay_run.run}
WORDS = ["-l", "A", "--archive", "--archive=B", "--archive=", "-e", "x", "-lA", "-q", "--quiet", "-qe", "--json", "--json=1", "--serialize",
         "--check", "--sandbox", "-o", "out", "--outdir=o", "--cells", "--exclude", "*", "--", "-", "", "ls", "-v", "--help", "--all", "-y",
         "--yes", "--no-skip", "--epochs", "--epochs=2:3", "-j"]


def by_click(name: str, words: list[str]) -> dict[str, Any]:
    context = CLICK[name].make_context(name, list(words))
    return dict(context.params)


def by_us(name: str, words: list[str]) -> dict[str, Any] | None:
    found = quick.read(quick.COMMANDS[name], words)
    if found is None:
        return None
    usual = {key: each.default for key, each in inspect.signature(RUNS[name]).parameters.items() if each.default is not each.empty}
    return {**usual, **found}


@pytest.mark.parametrize("name", CLICK)
def test_what_is_read_here_is_what_click_reads(name: str) -> None:
    rng = random.Random(name)
    understood = 0
    for _ in range(3000):
        words = [rng.choice(WORDS) for _ in range(rng.randrange(7))]
        found = by_us(name, words)
        if found is not None:
            understood += 1
            assert found == by_click(name, words), words
    assert understood > 100


@pytest.mark.parametrize("line, is_understood", [
    ("record -l A -e x -q -- ls -l", True), ("record --archive=A ls --help", True), ("record --json --serialize ls", True),
    ("record", False), ("record --", False), ("record -h", False), ("record --cells x.py", False), ("record -l", False),
    ("replay", True), ("replay -l A -o out --check --json", True), ("replay -l A out", True), ("replay A:exp0 -o out", True), ("replay A B", False), ("replay --all", False),
    ("hindsight replay", True), ("hindsight replay -l A -e x --epochs 4:6 train.py -y", True), ("hindsight replay train.py --no-skip", True),
    ("hindsight replay a.py b.py", False), ("hindsight replay -j 2 train.py", False), ("hindsight replay -- train.py", False)])
def test_what_is_understood(line: str, is_understood: bool) -> None:
    name = next(each for each in reversed(CLICK) if line.startswith(each))
    words = line.removeprefix(name).split()
    assert (by_us(name, words) is not None) is is_understood


def test_both_know_the_same_parameters() -> None:
    for name, run in RUNS.items():
        known = {each.name for each in CLICK[name].params if isinstance(each, click.Option | click.Argument)}
        assert known == set(inspect.signature(run).parameters)
