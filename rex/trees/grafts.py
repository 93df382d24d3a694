"""Facts of runs, with what the steps that were put back in them were given and did, which only their first runs have recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from rex.errors import NotFound
from rex.trees.factcache import load_facts
from rex.trees.facts import REUSED, RunFacts, Use
from rex.trees.step import Step
from rex.trees.steps import StepMaker

if TYPE_CHECKING:
    from rex.archive import Experiment


class Makers:
    """Makes the steps of an archive's runs; a step that contains others that were put back has their inputs too."""

    def __init__(self, experiments: Iterable["Experiment"], read: Mapping[str, RunFacts] | None = None) -> None:
        """read: facts that are read already, of runs in which nothing was put back, by the run's identity."""
        self._known = {each.identity: each for each in experiments if each.state == "complete"}
        self._facts = dict(read or {})
        self._makers: dict[str, StepMaker] = {}
        self._begun: set[str] = set()

    def maker(self, experiment: "Experiment") -> StepMaker:
        """Makes a run's steps.

        Raises:
            RexError: the run cannot be read, or one of which it put back a step is gone.
        """
        found = self._makers.get(experiment.identity)
        if found is None:
            found = self._makers[experiment.identity] = StepMaker(experiment.manifest, self.facts(experiment))
        return found

    def facts(self, experiment: "Experiment") -> RunFacts:
        """A run's facts; what a step that was put back did is done by the process in its place. Errors as of `maker`."""
        identity = experiment.identity
        if identity in self._facts:
            return self._facts[identity]
        if identity in self._begun:
            raise NotFound(f"{experiment.name} cannot be read", "its steps were put back from itself", "see: rex check")
        self._begun.add(identity)
        facts = load_facts(experiment)
        put = experiment.manifest.extra.get(REUSED, {})
        if isinstance(put, dict) and put:
            _graft(facts, {task: self._step_of(put[str(task)]) for task in facts.processes if str(task) in put})
        self._facts[identity] = facts
        return facts

    def original(self, identity: str) -> "Experiment":
        """The run that recorded a step which was put back.

        Raises:
            NotFound: it was removed.
        """
        if identity not in self._known:
            raise NotFound("a run of which steps were put back is gone", "", "")
        return self._known[identity]

    def _step_of(self, where: object) -> tuple[Step, list[Use]]:
        """The step that was put back, and what it did from the start of its program on."""
        if not (isinstance(where, list) and len(where) == 2):
            raise NotFound("a run of which steps were put back is gone", "", "")
        experiment, task = self.original(where[0]), where[1]
        maker, facts = self.maker(experiment), self.facts(experiment)
        if task not in facts.processes:
            raise NotFound(f"{experiment.name} has no process {task}", "a step of it was put back", "see: rex check")
        step, begins_at = maker.step([task]), facts.processes[task].begins_at
        return step, [use for use in facts.uses if use.process in step.members and (use.process != task or use.at >= begins_at)]


def _graft(facts: RunFacts, originals: dict[int, tuple[Step, list[Use]]]) -> None:
    """Replace what the programs that put back did by what the steps did. Numbers of events grow so that there is room behind each."""
    room = 1 + max((len(uses) for _, uses in originals.values()), default=0)
    kept = [use for use in facts.uses if use.process not in originals or use.at < facts.processes[use.process].begins_at]
    facts.uses = [replace(use, at=use.at * room) for use in kept]
    for process in facts.processes.values():
        process.begins_at *= room
        process.ends_at = max(process.ends_at * room, -1)
        process.printed = [(at * room, stream, text) for at, stream, text in process.printed]
    for task, (step, uses) in originals.items():
        process = facts.processes[task]
        process.sources = list(dict.fromkeys([*process.sources, *step.sources]))
        process.against = list(dict.fromkeys([*process.against, *step.against]))
        facts.uses += [replace(use, at=process.begins_at + 1 + number, process=task) for number, use in enumerate(uses)]
        facts.put_back_s[task] = step.seconds
    facts.uses.sort(key=lambda use: use.at)
