"""Runs the good experiment with some of the differences of the bad one, until those are left that make the output differ."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Callable

from rex.bisect.differences import Delta, by_lines, changes_of, find_deltas
from rex.bisect.isolate import OutOfRuns, isolate
from rex.contents.client import Comparer
from rex.contents.rules import Rules
from rex.errors import NotPermitted, OwnFailure, RexError, UsageError
from rex.expdiff.many import ABSENT, Subject, gather, is_same_result
from rex.runnew import RunOutcome, RunPlan, plan_run, start
from rex.trees.reuse import run_reusing

if TYPE_CHECKING:
    from rex.archive import Archive, Experiment

LABEL = "bisect"     # of each run: the two experiments


@dataclass
class Found:
    """What a search has found.

    Attributes:
        causes: the differences that are enough together; of a search that was ended early the fewest known.
        lines: of causes that are texts, the changed lines that are enough; none where that is not known.
        is_complete: none of these can be left out.
        runs: experiments that were made, in order.
        reused: steps that these put back.
        left_out: differences that no run can be made with, in words.
    """

    output: str
    differences: int
    causes: list[Delta] = field(default_factory=list)
    lines: list[Delta] = field(default_factory=list)
    is_complete: bool = False
    runs: list[str] = field(default_factory=list)
    reused: int = 0
    left_out: list[str] = field(default_factory=list)


class Search:
    """One search."""

    def __init__(self, archive: "Archive", good: "Experiment", bad: "Experiment", output: str, rules: Rules,
                 tell: Callable[[str, int, bool], None], reuses: bool = True, is_sandboxed: bool = False) -> None:
        """
        Args:
            tell: is called after each run with its name, how many differences it had, and whether it gave the bad output.
            reuses: runs put back steps that the archive proves to be unchanged; but for the two that show whether the outputs follow from the differences.
            is_sandboxed: let each run see nothing of this machine but its own files; nothing is put back then.

        Raises:
            UsageError: the two do not differ there.
        """
        self._archive, self._rules, self._tell = archive, rules, tell
        self._reuses, self._is_sandboxed = reuses and not is_sandboxed, is_sandboxed
        self._good, self._bad = (gather(archive, each, each.name) for each in (good, bad))
        self._comparer = Comparer(rules)
        self._output = output or self._only_output()
        if self._output not in {*self._good.results, *self._bad.results}:
            raise UsageError(f"there is no output {self._output}", f"outputs are {', '.join(sorted(self._bad.results))}"[:300])
        if self._is_same(self._good, self._bad):
            raise UsageError(f"{good.name} and {bad.name} have the same {self._output}", "", "see: rex expdiff")
        self._found = Found(self._output, 0)
        self._tried = 0

    def _only_output(self) -> str:
        names = [name for name in sorted({*self._good.results, *self._bad.results}) if self._good.results.get(name) != self._bad.results.get(name)]
        if len(names) != 1:
            raise UsageError("no output was named" if names else "the outputs are the same", f"{len(names)} differ: {', '.join(names)}"[:300], "name one")
        return names[0]

    def run(self, most: int) -> Found:
        """Search, by so many runs at most.

        Raises:
            UsageError: the good experiment with all differences does not give the bad output, or without any of them does not give the good one.
        """
        found = self._found
        deltas, found.left_out = find_deltas(self._good.experiment.manifest, self._bad.experiment.manifest)
        found.differences = len(deltas)
        try:
            if self._gives_bad([], is_whole=True):
                raise UsageError("the good experiment, run again, gives the bad output", "what makes it differ is not in the archive")
            if not self._gives_bad(deltas, is_whole=True):
                raise UsageError("the good experiment with all differences does not give the bad output", "; ".join(found.left_out)[:300],
                                 "allow for what always differs: --ignore, --rtol")
            found.causes, found.is_complete = self._fewest(deltas, [], most - self._tried)
            if found.is_complete:
                self._find_lines(most)
        finally:
            self._comparer.close()
        return found

    def _fewest(self, deltas: list[Delta], always: list[Delta], most: int) -> tuple[list[Delta], bool]:
        """The fewest of these differences that give the bad output together with others, and whether none of them can be left out."""
        try:
            return isolate(deltas, lambda chosen: self._gives_bad([*always, *chosen]), most), True
        except OutOfRuns as end:
            return [each for each in end.left if isinstance(each, Delta)], False

    def _find_lines(self, most: int) -> None:
        """Of each cause that is a text find the lines."""
        found = self._found
        for cause in found.causes:
            lines = by_lines(cause, self._good.experiment.manifest, self._archive)
            others = [each for each in found.causes if each != cause]
            if len(lines) > 1:
                lines, is_complete = self._fewest(lines, others, most - self._tried)
                found.is_complete &= is_complete
            found.lines += lines

    def _is_same(self, one: Subject, two: Subject) -> bool:
        return is_same_result(self._output, one, two, self._comparer)

    def _gives_bad(self, deltas: list[Delta], is_whole: bool = False) -> bool:
        """Whether a run with these differences has the bad output; one that cannot be made has not."""
        self._tried += 1
        with tempfile.TemporaryDirectory(prefix="rex-bisect-") as folder:
            try:
                changes = changes_of(deltas, self._good.experiment.manifest, self._bad.experiment.manifest, self._archive, folder)
                plan = plan_run(self._archive, self._good.experiment, changes, os.path.join(folder, "out"), is_recorded=True)
                plan = replace(plan, labels={LABEL: f"{self._good.name} {self._bad.name}"})
                with open(os.devnull, "r+b", buffering=0) as nowhere:
                    streams = (nowhere.fileno(), nowhere.fileno(), nowhere.fileno())
                    outcome = self._run(plan, streams, is_whole)
            except (NotPermitted, OwnFailure):   # of this machine, and nothing of the experiments
                raise
            except RexError as error:
                self._tell(f"not run: {error}", len(deltas), False)
                return False
        if outcome.experiment is None:
            raise UsageError("the search was cancelled")
        run = gather(self._archive, self._archive.experiment(outcome.experiment), outcome.experiment)
        is_bad = run.results.get(self._output, ABSENT) == self._bad.results.get(self._output, ABSENT) or self._is_same(run, self._bad)
        self._found.runs.append(run.name)
        self._tell(run.name, len(deltas), is_bad)
        return is_bad

    def _run(self, plan: RunPlan, streams: tuple[int, int, int], is_whole: bool) -> RunOutcome:
        if is_whole or not self._reuses:
            return start(plan, *streams, is_sandboxed=self._is_sandboxed).wait()
        outcome, summary = run_reusing(self._archive, plan, streams)
        self._found.reused += len(summary.reused)
        return outcome
