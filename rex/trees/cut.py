"""Which processes of several runs are steps: the same choice in each, whatever time they took."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rex.errors import Damaged, RexError
from rex.trees.factcache import load_facts
from rex.trees.facts import REUSED, RunFacts
from rex.trees.grafts import Makers
from rex.trees.step import Step
from rex.trees.steps import StepMaker
from rex.workflow.recorded import Recorded
from rex.workflow.steps import DEPTH, Tree, cpu_below, find_steps

if TYPE_CHECKING:
    from rex.archive import Experiment

_LONG_S, _PART_OF_DRIVER = 0.5, 0.1


@dataclass
class Run:
    """A recorded run and its steps, in the order in which they began.

    Attributes:
        outside_s: processor time of what is in no step; processes: how many these are.
    """

    experiment: "Experiment"
    steps: list[Step]
    outside_s: float
    processes: int

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.experiment.name

    @property
    def seconds(self) -> float:
        """Seconds of wall-clock time that the run took."""
        return self.experiment.manifest.duration_s


def plain_runs(experiments: Iterable["Experiment"]) -> list["Experiment"]:
    """Those that are finished and have a log of one program."""
    found = []
    for experiment in experiments:
        if experiment.state != "complete" or experiment.is_session:
            continue
        manifest = experiment.manifest
        if manifest.log and manifest.engine != "hindsight" and "cells" not in manifest.attachments:
            found.append(experiment)
    return found


def load_runs(experiments: Iterable["Experiment"], notes: list[str] | None = None, others: Iterable["Experiment"] = ()) -> list[Run]:
    """Runs with their steps; those that cannot be read are left out, with a note.

    A program that is taken apart in one run is so in all: it is a driver, whose parts are steps.

    Args:
        others: more of the archive's runs, which may have recorded what was put back in these.
    """
    experiments = list(experiments)
    read: list[tuple[Experiment, RunFacts, Recorded]] = []
    for experiment in experiments:
        try:
            facts = load_facts(experiment)
            processes = {process.task: process for process in experiment.manifest.processes}
            if not processes:
                raise Damaged("its manifest names no process", "", "see: rex check")
            if unknown := sorted(processes.keys() ^ facts.processes.keys()):
                raise Damaged("its manifest does not fit its log", f"one of them lacks process {unknown[0]}", "see: rex check")
            read.append((experiment, facts, Recorded(experiment.manifest, processes, [], facts.ties)))
        except RexError as error:
            if notes is not None:
                notes.append(f"{experiment.name} is left out: {error}")
    drivers: set[tuple[str, str]] = set()
    for _, facts, recorded in read:
        drivers |= {_driver(facts, task) for task in find_steps(recorded, DEPTH, is_by_cpu=True).frame
                    if facts.processes[task].parent is not None or _arranges(recorded, task)}
    runs: list[Run] = []
    makers = Makers([*experiments, *others], {experiment.identity: facts for experiment, facts, _ in read if REUSED not in experiment.manifest.extra})
    for experiment, facts, recorded in read:
        maker = _maker(experiment, facts, makers)
        whole = _whole_original(experiment, runs)
        made = whole or [step for roots in _groups(facts, recorded, drivers) for step in _originals(experiment, maker.step(roots), makers, runs)]
        outside = maker.tasks.difference(*(step.members for step in made if not whole))
        runs.append(Run(experiment, sorted(made, key=lambda step: step.begins_at), maker.cpu_s(outside), len(outside)))
    return runs


def _maker(experiment: "Experiment", facts: RunFacts, makers: Makers) -> StepMaker:
    """Makes a run's steps; without what was put back in them, if the run that recorded it is gone."""
    try:
        return makers.maker(experiment)
    except RexError:
        return StepMaker(experiment.manifest, facts)


def _whole_original(experiment: "Experiment", runs: list[Run]) -> list[Step]:
    """The steps of the run that was put back as a whole; none if only parts were."""
    found = experiment.manifest.extra.get(REUSED, {})
    where = found.get("0") if isinstance(found, dict) else None
    return next(([replace(step, busy_s=0.0, is_put_back=True) for step in run.steps] for run in runs if where == [run.experiment.identity, 0]), [])


def _originals(experiment: "Experiment", step: Step, makers: Makers, runs: list[Run]) -> list[Step]:
    """What a step that was put back when it was recorded stands for, if that run is here: a step, or several where that run has a driver there."""
    found = experiment.manifest.extra.get(REUSED, {})
    where = found.get(str(step.roots[0])) if isinstance(found, dict) and len(step.roots) == 1 else None
    if not (isinstance(where, list) and len(where) == 2):
        return [step]
    try:
        maker = makers.maker(makers.original(where[0]))
    except RexError:
        return [step]
    if where[1] not in maker.tasks:
        return [step]
    inside = frozenset(maker.members([where[1]]))
    parts = [part for run in runs if run.experiment.identity == where[0] for part in run.steps if part.members and part.members < inside]
    if parts:                # no process of this run is one of them, so none is left out alone
        return [replace(part, roots=(), members=frozenset(), begins_at=step.begins_at, busy_s=0.0, is_put_back=True) for part in parts]
    return [replace(maker.step([where[1]]), roots=step.roots, members=step.members, begins_at=step.begins_at, busy_s=step.busy_s, is_put_back=True)]


def _driver(facts: RunFacts, task: int) -> tuple[str, str]:
    """What tells one driver from another: its program, and the script or file that it was given first."""
    process = facts.processes[task]
    return process.program, " ".join(process.arguments[:2])


def _arranges(recorded: Recorded, task: int) -> bool:
    """Whether a run's first process is there for what it starts: it does not compute long, or that takes a good part of the time."""
    whole_s, own_s = cpu_below(recorded, Tree.of(recorded))[task], recorded.processes[task].cpu_s
    return own_s < _LONG_S or whole_s - own_s > _PART_OF_DRIVER * whole_s


def _opened(facts: RunFacts, drivers: set[tuple[str, str]]) -> set[int]:
    """Drivers and all above them; and forks with children, of shells and the like, that one of these has made."""
    parents = {process.parent for process in facts.processes.values()}
    found: set[int] = set()
    for task in facts.processes:
        if task in parents and _driver(facts, task) in drivers:
            above: int | None = task
            while above is not None and above not in found:
                found.add(above)
                above = facts.processes[above].parent
    for task, process in facts.processes.items():      # parents come first
        if process.is_forked and task in parents and (process.parent is None or process.parent in found):
            found.add(task)
    return found


def _groups(facts: RunFacts, recorded: Recorded, drivers: set[tuple[str, str]]) -> list[list[int]]:
    """Roots of steps; a run of a single process, or of one that only needs some help from others, is one step itself."""
    first = next(iter(facts.processes))
    if _driver(facts, first) not in drivers:
        return [[first]]
    steps = find_steps(recorded, DEPTH, opened=_opened(facts, drivers), is_by_cpu=True)
    groups: dict[int, list[int]] = {}
    for root in steps.roots():
        groups.setdefault(steps.sets.find(root), []).append(root)
    return list(groups.values()) or [[first]]
