"""What the steps of each run are known by, so that a recording with reuse reads only the runs that it needs (docs/formats/steps.md)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rex.cacheplace import cache_root
from rex.archive.locks import write_atomically
from rex.errors import NotFound, RexError
from rex.trees.cut import plain_runs
from rex.trees.factcache import load_facts
from rex.trees.facts import NEVER, REUSED
from rex.trees.grafts import Makers
from rex.trees.steps import StepMaker

if TYPE_CHECKING:
    from rex.archive import Experiment

FORMAT = 14
_MAX_BYTES = 1 << 26


@dataclass(frozen=True)
class Entry:
    """A process that executed a program, and the step that it begins.

    Attributes:
        words: hash of its arguments.
        key, result: of the step; result "": not all of it is known.
        needs: hash of everything that has to be equal now; "": it is never put back.
    """

    task: int
    words: str
    key: str
    result: str
    needs: str


def hash_words(arguments: Sequence[str]) -> str:
    """What programs' arguments are found by."""
    return hashlib.sha256("\0".join(arguments).encode("utf-8", "surrogatepass")).hexdigest()[:24]


class Source:
    """A run, read as far as it was needed."""

    def __init__(self, experiment: "Experiment", makers: Makers) -> None:
        self.experiment, self._makers = experiment, makers
        self._maker: StepMaker | None = None

    def maker(self) -> StepMaker:
        """Makes its steps.

        Raises:
            RexError: it cannot be read.
        """
        if self._maker is None:
            try:
                self._maker = self._makers.maker(self.experiment)
            except NotFound:     # without a run that has been removed, steps around those that were put back are not known
                self._maker = StepMaker(self.experiment.manifest, load_facts(self.experiment))
        return self._maker

    def entries(self) -> list[Entry]:
        """Its steps; none of what is no run of a program, is unfinished, or cannot be read."""
        if self.experiment.state != "complete":
            return []
        path = os.path.join(cache_root(), "steps", f"{self.experiment.identity}.index.json")
        try:
            with open(path, "rb") as file:
                found = json.loads(file.read(_MAX_BYTES))
            if found["format"] == FORMAT:
                return [Entry(*each) for each in found["steps"]]
        except (OSError, ValueError, KeyError, TypeError):      # none yet, or a crash cut it
            pass
        entries = self._read()
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            steps = [[each.task, each.words, each.key, each.result, each.needs] for each in entries]
            write_atomically(path, json.dumps({"format": FORMAT, "steps": steps}).encode(), is_durable=False)
        except OSError:        # without a cache it is made again
            pass
        return entries

    def _read(self) -> list[Entry]:
        if not plain_runs([self.experiment]):
            return []
        maker, put = self.maker(), self.experiment.manifest.extra.get(REUSED, {})
        return [_entry(maker, task) for task in sorted(maker.tasks) if maker.is_program(task) and str(task) not in put]


def _entry(maker: StepMaker, task: int) -> Entry:
    step = maker.step([task])
    may_be = not (step.against or NEVER.intersection(step.sources) or step.status is None or step.status < 0)
    needs = repr([step.programs, [(each.kind, each.path, each.value, each.seen) for each in step.given], step.against, step.passing,
                  step.status, [(each.path, each.value, each.was_there) for each in step.left]])
    return Entry(task, hash_words(maker.program(task)["arguments"]), step.key, step.result if step.is_known else "",
                 hashlib.sha256(needs.encode("utf-8", "surrogatepass")).hexdigest()[:24] if may_be else "")


def sources(experiments: Sequence["Experiment"]) -> list[tuple[Source, list[Entry]]]:
    """All runs that can be read, and their steps."""
    found, makers = [], Makers(experiments)
    for experiment in experiments:
        source = Source(experiment, makers)
        try:
            found.append((source, source.entries()))
        except RexError:         # what cannot be read is not reused
            continue
    return found
