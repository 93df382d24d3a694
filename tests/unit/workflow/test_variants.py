"""Simulated worlds against the formula, closed forms, an independent list scheduler, and their bounds."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from rex.cli.schedule_command import command
from rex.errors import UsageError
from rex.workflow.dag import Dag, Failures, Schedule, dag_as_json
from rex.workflow.makespan import expected_makespan
from rex.workflow.shapes import random_dag
from rex.workflow.simulate import simulate
from rex.workflow.variants import World, bound_world, simulate_world

from .examples import figure_one, make_dag, random_case


def test_the_plain_world_is_that_of_the_formula() -> None:
    draw, scores = random.Random(11), []
    for number in range(25):
        dag, schedule, failures = random_case(draw, 8)
        failures = replace(failures, mtbf_s=max(failures.mtbf_s, dag.t_inf))
        found = simulate_world(dag, schedule, failures, World(), 400, number)
        expected = expected_makespan(dag, schedule, failures).seconds
        scores.append((found.mean_s - expected) / max(found.standard_error_s, 1e-9 * expected))
        assert bound_world(dag, schedule, failures, World()) == (expected, expected)
    assert max(map(abs, scores)) < 4.5 and abs(sum(scores) / 25) < 0.8


def weibull_mean_s(work_s: float, mtbf_s: float, shape: float, downtime_s: float) -> float:
    """The mean time of one task that begins anew after each failure: renewals, by numeric integration."""
    scale = mtbf_s / math.gamma(1 + 1 / shape)
    steps = 4000
    survive = [math.exp(-((work_s * i / steps) / scale) ** shape) for i in range(steps + 1)]
    try_s = work_s / steps * (sum(survive) - (survive[0] + survive[-1]) / 2)
    return (try_s + (1 - survive[-1]) * downtime_s) / survive[-1]


@pytest.mark.parametrize("shape", (0.5, 0.7, 1.0, 2.0))
def test_failures_that_age_agree_with_renewal_theory(shape: float) -> None:
    dag, schedule, failures = make_dag([10.0], [()]), Schedule((0,), frozenset()), Failures(15.0, 2.0)
    found = simulate_world(dag, schedule, failures, World(shape=shape), 6000, 5)
    assert abs(found.mean_s - weibull_mean_s(10.0, 15.0, shape, 2.0)) < 4 * found.standard_error_s
    assert found.mean_s >= bound_world(dag, schedule, failures, World(shape=shape))[0] - 4 * found.standard_error_s


def list_schedule_s(dag: Dag, order: tuple[int, ...], machines: int) -> float:
    """When list scheduling without failures ends: at each moment the first ready task of the order, by brute stepping."""
    ends: dict[int, float] = {}
    free = [0.0] * machines
    left = list(order)
    while left:
        now = min(free)
        ready = [task for task in left if all(ends.get(pred, math.inf) <= now for pred in dag.preds[task])]
        if ready:
            ends[ready[0]] = free[free.index(now)] = now + dag.weights[ready[0]]
            left.remove(ready[0])
        else:
            free[free.index(now)] = min(end for end in [*ends.values()] if end > now)
    return max(ends.values())


def test_machines_without_failures_follow_list_scheduling() -> None:
    draw = random.Random(3)
    for _ in range(40):
        dag = random_dag(draw.randint(1, 14), draw, draw.choice((0.0, 0.1, 0.3)))
        order = dag.topological_order
        for machines in (1, 2, 3):
            world, schedule = World(machines), Schedule(order, frozenset())
            found = simulate_world(dag, schedule, Failures(math.inf), world, 1).mean_s
            assert found == pytest.approx(list_schedule_s(dag, order, machines))
            least_s, _ = bound_world(dag, schedule, Failures(math.inf), world)
            path_s = bound_world(dag, schedule, Failures(math.inf), World(len(dag)))[0]
            assert least_s <= found + 1e-9 and found <= dag.t_inf / machines + path_s + 1e-9      # Graham's bound


def test_two_machines_with_a_task_each_end_with_the_slower() -> None:
    failures = Failures(12.0, 1.0)
    alone = [[simulate(make_dag([work], [()]), Schedule((0,), frozenset()), failures, 1, seed).mean_s for seed in range(4000)]
             for work in (8.0, 10.0)]
    random.Random(1).shuffle(alone[1])
    expected = sum(map(max, *alone)) / 4000
    found = simulate_world(make_dag([8.0, 10.0], [(), ()]), Schedule((0, 1), frozenset()), failures, World(2), 4000, 7)
    assert abs(found.mean_s - expected) < 6 * found.standard_error_s


def test_what_an_idle_machine_had_in_memory_can_be_lost() -> None:
    """Task 1 needs task 0 again where the machine that ran it failed meanwhile, unless it was persisted."""
    dag = make_dag([5.0, 20.0, 1.0], [(), (), (0, 1)], cost=0.0)
    failures = Failures(30.0)
    lost, kept = (simulate_world(dag, Schedule((0, 1, 2), frozenset(kept)), failures, World(2), 3000, 1) for kept in ((), (0, 1)))
    assert lost.mean_s > kept.mean_s + 3 * lost.standard_error_s


def test_overlap_lies_between_its_bounds() -> None:
    draw = random.Random(9)
    for number in range(15):
        dag, schedule, failures = random_case(draw, 8)
        dag = replace(dag, recovery_costs=tuple(min(w, r) for w, r in zip(dag.weights, dag.recovery_costs)))
        failures = replace(failures, mtbf_s=max(failures.mtbf_s, dag.t_inf))
        found = simulate_world(dag, schedule, failures, World(overlaps=True), 300, number)
        least_s, most_s = bound_world(dag, schedule, failures, World(overlaps=True))
        assert least_s - 4 * found.standard_error_s <= found.mean_s <= most_s + 4 * found.standard_error_s
    dag, schedule = figure_one()
    assert simulate_world(dag, schedule, Failures(math.inf), World(overlaps=True), 1).mean_s == dag.t_inf


def test_an_upload_that_a_failure_interrupts_is_lost() -> None:
    """Up to 20 s a failure loses task 0 and its upload, and both begin anew; later it loses task 1 alone."""
    dag = make_dag([10.0, 60.0], [(), (0,)], cost=10.0, recovery=0.0)
    rate = 1 / 40.0
    found = simulate_world(dag, Schedule((0, 1), frozenset([0])), Failures(40.0), World(overlaps=True), 5000, 2)
    kept_s = math.expm1(60 * rate) / rate
    early, whole = math.exp(-20 * rate), math.exp(-70 * rate)
    expected = ((1 - whole) / rate + (early - whole) * kept_s) / early
    assert abs(found.mean_s - expected) < 4 * found.standard_error_s


def test_the_command_tells_world_and_bounds(tmp_path: Path) -> None:
    path = tmp_path / "dag.json"
    path.write_text(json.dumps(dag_as_json(figure_one()[0])))
    words = [str(path), "--mtbf", "100", "--heuristic", "DF-CkptW", "--simulate", "200", "--machines", "2", "--weibull", "0.7"]
    told = json.loads(CliRunner().invoke(command, [*words, "--json"], catch_exceptions=False).stdout)
    assert told["world"]["machines"] == 2 and told["world"]["at_least_s"] <= told["simulation"]["mean_s"]
    assert "with 2 machines, Weibull shape 0.7: the mean is at least" in CliRunner().invoke(command, words).stdout
    with pytest.raises(UsageError, match="add --simulate"):
        CliRunner().invoke(command, [str(path), "--mtbf", "100", "--overlap"], catch_exceptions=False)
    with pytest.raises(UsageError, match="shape must be"):
        CliRunner().invoke(command, [*words[:-1], "0"], catch_exceptions=False)
