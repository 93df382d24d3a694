"""The array form of the formula gives what the list form gives."""

from __future__ import annotations

import random

import numpy
import pytest

from rex.workflow import makespan
from rex.workflow.dag import Failures
from rex.workflow.dense import bit_positions, need_bits, sum_forwards
from rex.workflow.line import Line
from rex.workflow.linearize import linearize
from rex.workflow.makespan import find_shift, list_attempts, sum_backwards
from rex.workflow.shapes import FAMILIES, generate

from .examples import random_case


@pytest.mark.parametrize("seed", range(150))
def test_both_forms_agree_on_random_graphs(seed: int) -> None:
    dag, schedule, failures = random_case(random.Random(seed), most=16)
    line = Line(dag, schedule.order)
    flags = line.flags(schedule.checkpointed)
    attempts = list_attempts(line, flags)
    assert attempts is not None
    shift = find_shift(attempts, failures.rate)
    forwards, other_shift = sum_forwards(line, flags, failures.rate)
    assert shift == pytest.approx(other_shift)
    assert sum_backwards(attempts, failures.rate, shift) == pytest.approx(forwards, rel=1e-13)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("share", (0.0, 0.3, 1.0))
def test_both_forms_agree_on_wide_graphs(family: str, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    dag = generate(family, 160)
    line = Line(dag, linearize(dag, "BF"))
    draw = random.Random(1)
    flags = [draw.random() < share for _ in range(len(dag))]
    rate = Failures(dag.t_inf / 3).rate
    monkeypatch.setattr(makespan, "_SMALL", 10**9)
    attempts = list_attempts(line, flags)
    assert attempts is not None
    forwards, shift = sum_forwards(line, flags, rate)
    assert shift == 0.0
    assert sum_backwards(attempts, rate, 0.0) == pytest.approx(forwards, rel=1e-12)


def test_wide_graphs_are_left_to_the_array_form() -> None:
    dag = generate("Montage", 700)
    line = Line(dag, linearize(dag, "DF"))
    assert list_attempts(line, [False] * len(dag)) is None


def test_needs_go_up_through_outputs_that_are_not_kept() -> None:
    dag, schedule, _ = random_case(random.Random(4))
    line = Line(dag, schedule.order)
    flags = line.flags(schedule.checkpointed)
    for i, bits in enumerate(need_bits(line, flags)):
        wanted, stack = set(), list(line.preds[i])
        while stack:
            j = stack.pop()
            wanted.add(j)
            if not flags[j]:
                stack += line.preds[j]
        assert set(bit_positions(numpy, bits).tolist() if bits else []) == wanted
