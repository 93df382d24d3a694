"""What of a workflow is worth persisting when failures come every so often: the plan that the workflow's page shows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rex.extras import install_line
from rex.types import format_duration

if TYPE_CHECKING:
    from rex.workflow.graph import Workflow

PLACES = 21            # of the slider, each 10 ** 0.2 times the one before
DEFAULT = 10
_BUDGET_S = 1.0
_SHORTEST = 0.2        # of the slider's mean times between failures, in times of the whole workflow


@dataclass(frozen=True, slots=True)
class Persisting:
    """A plan for one mean time between failures.

    Attributes:
        place: of the slider.
        expected: name and expected time of keeping nothing, everything, and what the plan keeps.
        kept: files to persist, with the step that makes each.
        why_none: why there is no plan; "" if there is one.
    """

    place: int
    mtbf_s: float
    expected: tuple[tuple[str, str], ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    why_none: str = ""


def persisting(workflow: "Workflow", place: int) -> Persisting:
    """The plan at a place of the slider."""
    whole_s = sum(task.seconds for task in workflow.tasks)
    mtbf_s = max(whole_s, 1e-3) * _SHORTEST * 10 ** (0.2 * place)
    if not workflow.tasks:
        return Persisting(place, mtbf_s, why_none="There are no steps.")
    try:
        return _plan(workflow, place, mtbf_s)
    except ImportError:
        return Persisting(place, mtbf_s, why_none=f"Plans need an extra; install it with: {install_line('workflow')}")


def _plan(workflow: "Workflow", place: int, mtbf_s: float) -> Persisting:
    from rex.workflow.best import find_best, prefer_given_order
    from rex.workflow.dag import Failures
    from rex.workflow.heuristics import Question
    from rex.workflow.line import Line
    from rex.workflow.makespan import evaluate
    from rex.workflow.wfcommons import Storage
    dag = workflow.dag(Storage())
    question = Question(dag, Failures(mtbf_s, 0.0))
    plan = prefer_given_order(question, find_best(question, _BUDGET_S)).plan
    line = Line(dag, plan.schedule.order)
    kept = plan.schedule.checkpointed
    everything = frozenset(range(len(dag))) - dag.unkept
    expected = tuple((name, _text(evaluate(line, line.flags(chosen), question.failures).seconds)) for name, chosen in
                     (("nothing is kept", frozenset()), ("everything is kept", everything), ("this plan", kept)))
    files = tuple((workflow.shown(path), workflow.tasks[task].id) for task in plan.schedule.order if task in kept
                  for path in workflow.tasks[task].outputs)
    return Persisting(place, mtbf_s, expected, files)


def _text(seconds: float) -> str:
    return format_duration(seconds) if math.isfinite(seconds) and seconds < 1e9 else "longer than a life"
