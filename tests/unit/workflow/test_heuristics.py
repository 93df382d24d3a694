"""The fourteen heuristics: names, rankings, sweeps, limits."""

from __future__ import annotations

import pytest

from rex.errors import UsageError
from rex.workflow.dag import Dag, Failures
from rex.workflow.heuristics import NAMES, OURS, Question, chooser, run_all, run_heuristic
from rex.workflow.makespan import evaluate
from rex.workflow.shapes import FAMILIES, generate

from .examples import make_dag


def test_there_are_fourteen() -> None:
    assert len(set(NAMES)) == 14 and {"DF-CkptW", "BF-CkptPer", "RF-CkptD", "DF-CkptNvr", "DF-CkptAlws"} <= set(NAMES)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_is_the_best_of_its_sweep_and_keeps_no_exit(family: str) -> None:
    dag = generate(family, 40)
    question = Question(dag, Failures(dag.t_inf))
    for name in NAMES[:12]:
        plan = run_heuristic(question, name)
        order, _, rule = name.partition("-")
        line = question.line(order)
        choose = chooser(dag, line, rule)
        logs = [evaluate(line, choose(count), question.failures).log for count in range(len(dag) + 1)]
        assert plan.makespan.log == min(logs), name
        assert not plan.schedule.checkpointed & dag.exits
        plan.schedule.check(dag)
    ends = [run_heuristic(question, name) for name in ("DF-CkptNvr", "DF-CkptAlws")]
    assert [len(plan.schedule.checkpointed) for plan in ends] == [0, len(dag) - len(dag.exits)]
    df = run_heuristic(question, "DF-CkptW")
    assert df.makespan.log <= min(plan.makespan.log for plan in ends)


def test_ours_have_names_of_their_own() -> None:
    dag = generate("LIGO", 40)
    question = Question(dag, Failures(dag.t_inf))
    assert not set(OURS) & set(NAMES)
    found = {name: run_heuristic(question, name) for name in OURS}
    assert found["DFall-CkptW"].schedule.order != run_heuristic(question, "DF-CkptW").schedule.order
    for name, plan in found.items():
        assert plan.name == name
        plan.schedule.check(dag)


def test_rankings() -> None:
    dag = Dag(("a", "b", "c", "x"), (1.0, 3.0, 2.0, 9.0), (3.0, 2.0, 1.0, 0.0), (0.0,) * 4,
              ((), (0,), (1,), (2,)))
    line = Question(dag, Failures(1.0)).line("DF")
    firsts = {rule: [i for i, flag in enumerate(chooser(dag, line, rule)(1)) if flag]
              for rule in ("CkptW", "CkptC", "CkptD", "CkptDall")}
    assert firsts == {"CkptW": [1], "CkptC": [2], "CkptD": [2], "CkptDall": [0]}
    assert sum(chooser(dag, line, "CkptW")(4)) == 3


def test_periods_end_at_the_first_completion_after_them() -> None:
    dag = make_dag([4.0, 1.0, 1.0, 4.0], [(i - 1,) if i else () for i in range(4)])
    choose = chooser(dag, Question(dag, Failures(1.0)).line("DF"), "CkptPer")
    assert choose(0) == choose(1) == [False] * 4
    assert choose(2) == [False, True, False, False]
    assert choose(3) == [True, False, False, False]
    assert choose(4) == [True, True, True, False]


def test_grid_sweeps_come_close() -> None:
    dag = generate("Genome", 150)
    for name in ("DF-CkptW", "DF-CkptC", "DF-CkptD", "DF-CkptPer"):
        logs = [run_heuristic(Question(dag, Failures(dag.t_inf), full_sweep=full), name).makespan.log
                for full in (True, False)]
        assert logs[0] <= logs[1] <= logs[0] + 0.02


def test_limits_in_bytes_hold() -> None:
    dag = generate("LIGO", 60)
    assert dag.output_bytes is not None
    limit = sum(dag.output_bytes) // 10
    question = Question(dag, Failures(dag.t_inf / 2), max_bytes=limit)
    plans = run_all(question)
    assert len(plans) == 13 and all((plan.kept_bytes or 0) <= limit for plan in plans)
    with pytest.raises(UsageError, match="limit in bytes"):
        run_heuristic(question, "DF-CkptAlws")
    assert run_heuristic(Question(dag, Failures(1e4), max_bytes=0), "DF-CkptW").kept_bytes == 0


def test_unknown_names_and_sizes_are_refused() -> None:
    dag = make_dag([1.0], [()])
    with pytest.raises(UsageError, match="choose best or one of"):
        run_heuristic(Question(dag, Failures(1.0)), "DF")
    with pytest.raises(UsageError, match="no output_bytes"):
        Question(dag, Failures(1.0), max_bytes=3)
