"""Random training scripts, random probes: every value is that of a full run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from hindsight_harness import Case, python
from pace import first
from programs import make_program

pytest.importorskip("numpy", reason="numpy is not installed")


def check(folder: Path, seed: int, rounds: int = 2) -> None:
    """Record the program of a seed, replay it with random probes in random ways."""
    program, chance = make_program(seed), random.Random(-seed)
    case = Case(folder)
    script = folder / "train.py"
    script.write_text(program.text())
    case.record()
    for _ in range(rounds):
        script.write_text(program.text(program.probes(chance)))
        words = chance.choice(([], [], ["-j", "2"], ["--verify", "1"], ["--no-skip"]))
        got = case.replay(*words)
        for left in ("log.txt", "state.json"):
            (folder / left).unlink(missing_ok=True)
        truth = "".join(line for line in python(folder, "train.py").splitlines(True) if line.startswith("probe"))
        assert got == truth, f"seed {seed}: {words}\n{case.told}\n{script.read_text()}"


@pytest.mark.parametrize("seed", first(2, range(4)))
def test_random_program(tmp_path: Path, seed: int) -> None:
    check(tmp_path, seed)


@pytest.mark.stress
@pytest.mark.parametrize("seed", range(100, 160))
def test_more_random_programs(tmp_path: Path, seed: int) -> None:
    check(tmp_path, seed)
