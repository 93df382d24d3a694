"""What an engine reports, and what the user is told of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from rex.cli.replay_run import difference_text, divergence_text
from rex.tracer.plan import Report


@pytest.mark.parametrize("may_race", [True, False])
def test_a_divergence_among_threads_names_the_way_out(may_race: bool) -> None:
    report = Report.decode(b"divergence=7\t2\t%d\tnot in the log\taccess \"a\tb\"\tstat\0divergences=3\0" % may_race)
    outcome: Any = SimpleNamespace(divergence=report.divergence, experiment=SimpleNamespace(name="exp0"))
    told = divergence_text(outcome, "EXP")
    assert "event 7" in told and "rex log EXP:exp0 --around 7" in told and "\n" not in told
    assert ("--serialize" in told) == may_race
    assert report.divergences == 3


@pytest.mark.parametrize("may_race", [True, False])
def test_another_output_of_threads_names_the_way_out_once(may_race: bool) -> None:
    report = Report.decode(b"output_differs=7\t2\t%d\0mismatches=1\0" % may_race)
    assert report.difference and report.mismatches == 1
    outcome: Any = SimpleNamespace(divergence=None, difference=report.difference)
    told = difference_text(outcome)
    assert told.startswith("standard output differs at event 7") and ("--serialize" in told) == may_race
    outcome.divergence = object()
    assert "--serialize" not in difference_text(outcome)
