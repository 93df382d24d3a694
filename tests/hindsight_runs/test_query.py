"""A replay of some epochs and steps, of several runs, as a table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hindsight_harness import Case, rex

pytest.importorskip("numpy", reason="numpy is not installed")

SOURCE = """
    import sys
    import numpy as np
    from rex import hindsight
    rng = np.random.default_rng(int(sys.argv[1]))
    model = np.zeros(30)
    for epoch in range(8):
        for step in range(6):
            model += rng.normal(size=30)
        hindsight.log("loss", 8 - epoch)
        print("epoch", epoch, model.sum())
    """


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    made = Case(tmp_path_factory.mktemp("case"), train=SOURCE)
    for name in ("runA", "runB"):
        made.record("-e", name, arguments=(str(ord(name[-1])),))
    return made


def ask(case: Case, line: str, added: str, *words: str) -> list[str]:
    """What a statement behind a line prints."""
    case.write("train", SOURCE)
    case.add_after("train", line, added)
    done = rex(case.folder, "replay", "-l", "EXP", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("epochs,chosen", [("1,5:8:2,last", [1, 5, 7]), ("last", [7]), ("0:2,6", [0, 1, 6])])
def test_epochs_outside_and_inside_of_the_inner_loop(case: Case, epochs: str, chosen: list[int], jobs: str) -> None:
    outer = ask(case, "hindsight.log", "print('p', epoch)", "-e", "runA", "--epochs", epochs, "-j", jobs)
    assert outer == [f"p {epoch}" for epoch in chosen]
    inner = ask(case, "model +=", "print('p', epoch, step)", "-e", "runA", "--epochs", epochs, "-j", jobs, "--steps", "0,3:6:2")
    assert inner == [f"p {epoch} {step}" for epoch in chosen for step in (0, 3, 5)]


def test_conditions_over_several_runs_as_a_table(case: Case) -> None:
    rows = ask(case, "hindsight.log", "hindsight.log('norm', epoch * 2); print('x')", "-e", "run*", "--where", "loss < 3", "--json")
    told = [tuple(json.loads(row).values()) for row in rows]
    assert told == [(run, epoch, name, value) for run in ("runA", "runB") for epoch in (6, 7)
                    for name, value in (("norm", 2 * epoch), ("", "x"))]
    rows = ask(case, "hindsight.log", "print('a,b')", "-e", "runB", "--epochs", "3", "--csv")
    assert rows == ["experiment,iteration,name,value", 'runB,3,,"a,b"']


@pytest.mark.parametrize("words", [("--epochs", "8"), ("--where", "accuracy > 1"), ("--sample", "x"), ("-e", "none*"), ("--steps", "last")])
def test_what_cannot_be_asked_is_refused_in_one_line(case: Case, words: tuple[str, ...]) -> None:
    done = rex(case.folder, "replay", "-l", "EXP", *words, "train.py")
    assert done.returncode in (2, 10) and not done.stdout and len(done.stderr.splitlines()) == 1
