"""Which steps run after failures: against the model, in virtual time."""

from __future__ import annotations

import math
import random
import statistics

from rex.workflow.dag import Dag, Failures, Schedule
from rex.workflow.graph import Task, Workflow
from rex.workflow.linearize import random_first
from rex.workflow.makespan import expected_makespan
from rex.workflow.passes import list_passes, list_runs, needs_of
from rex.workflow.shapes import random_dag


def workflow(dag: Dag, frames: frozenset[int] = frozenset()) -> Workflow:
    """A recording that would give this graph; the root processes are numbered as the tasks are."""
    tasks = [Task(name, () if place in frames else (place + 1,), name, dag.weights[place], 0.0,
                  {pred: () for pred in dag.preds[place]}, {}, {}, is_frame=place in frames)
             for place, name in enumerate(dag.ids)]
    return Workflow(tuple(tasks), "depth", (0,), 0.0, frozenset(), False)


def run_time(dag: Dag, schedule: Schedule, failures: Failures, draw: random.Random) -> float:
    """One run against random failures: what has run and what is kept decides what runs next."""
    flow, needs, clock_s = workflow(dag), needs_of(workflow(dag)), 0.0
    done: set[int] = set()
    kept: set[int] = set()
    while True:
        left_s = draw.expovariate(failures.rate)
        present: set[int] = set()
        for task in list_runs(flow, schedule.order, done, kept):
            fresh = kept & needs[task] - present
            present |= fresh | {task}
            is_kept = task in schedule.checkpointed and task not in kept
            cost_s = dag.weights[task] + sum(dag.recovery_costs[each] for each in fresh)
            cost_s += dag.checkpoint_costs[task] if is_kept else 0.0
            if cost_s > left_s:
                clock_s += left_s + failures.downtime_s
                break
            left_s -= cost_s
            clock_s += cost_s
            done.add(task)
            if is_kept:
                kept.add(task)
        else:
            return clock_s


def test_the_mean_time_of_runs_that_fail_is_the_predicted_one() -> None:
    draw, scores = random.Random(11), []
    for seed in range(40):
        dag = random_dag(draw.randint(2, 10), draw, draw.choice((0.1, 0.3, 0.6)))
        order = random_first(dag, seed)
        kept = frozenset(task for task in order if draw.random() < 0.5) - dag.unkept
        failures = Failures(dag.t_inf * 10 ** draw.uniform(-0.2, 1), draw.choice((0.0, 2.0)))
        times = [run_time(dag, Schedule(order, kept), failures, draw) for _ in range(400)]
        expected = expected_makespan(dag, Schedule(order, kept), failures).seconds
        spread = statistics.stdev(times) / math.sqrt(len(times))
        scores.append((statistics.mean(times) - expected) / max(spread, 1e-9 * expected))
    assert max(map(abs, scores)) < 4.5 and abs(statistics.mean(scores)) < 4 / math.sqrt(len(scores))


def test_nothing_runs_before_what_it_needs_and_only_what_is_lost_runs_again() -> None:
    draw = random.Random(12)
    for seed in range(200):
        dag = random_dag(draw.randint(1, 12), draw, 0.3)
        flow, order = workflow(dag), random_first(dag, seed)
        done = set(order[:draw.randint(0, len(order))])
        kept = {task for task in done if draw.random() < 0.5}
        runs = list_runs(flow, order, done, kept)
        assert len(runs) == len(set(runs)) and set(order) - done <= set(runs) and not kept & set(runs)
        seen = set(kept)
        for task in runs:
            assert set(dag.preds[task]) <= seen
            seen.add(task)
        again = set(runs) & done
        assert all(any(task in dag.preds[other] for other in runs) for task in again)


def test_passes_follow_the_recording() -> None:
    draw = random.Random(13)
    for seed in range(200):
        dag = random_dag(draw.randint(1, 12), draw, 0.3)
        flow, order = workflow(dag), random_first(dag, seed)
        passes = list_passes(flow, list_runs(flow, order, (), ()))
        assert [task for part in passes for task in part.runs] == list(order)
        assert [part.is_last for part in passes] == [False] * (len(passes) - 1) + [True]
        before: set[int] = set()
        for part in passes:
            assert list(part.runs) == sorted(part.runs) and part.restores <= before
            before |= set(part.runs)
            assert all(set(dag.preds[task]) <= part.restores | set(part.runs) for task in part.runs)


def test_what_lies_behind_a_stretch_of_the_frame_is_needed_too() -> None:
    dag = Dag(("a", "frame", "b"), (1.0,) * 3, (0.0,) * 3, (0.0,) * 3, ((), (0,), (1,)))
    flow = workflow(dag, frozenset({1}))
    assert needs_of(flow)[2] == {0}
    assert list_runs(flow, (0, 1, 2), {0}, ()) == [0, 2] and list_runs(flow, (0, 1, 2), {0}, {0}) == [2]
