"""A live run on its way into the archive: the same experiment as a recording would make, with its parent noted."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Mapping

from rex import codec, inventory, rlimits
from rex.archive import Experiment, Manifest, about
from rex.credentials import credential_variables
from rex.keeping import Keeper
from rex.recorder import Streams, begun_facts, new_manifest, standard_input, withheld_names
from rex.runnew.answers import Answers
from rex.runnew.plan import RunPlan
from rex.runnew.tree import RunTree
from rex.tracer import Report, choose
from rex.tracer.plan import CAPTURED


def _new_credentials(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The variables that look like credentials only now: what the parent keeps, its user chose to keep."""
    kept = credential_variables(before)
    return withheld_names({name: value for name, value in after.items() if before.get(name) != value and name not in kept})


class RunRecording:
    """One experiment in the making; `finish` or `abandon` must be called in the end."""

    def __init__(self, plan: RunPlan, answers: Answers, streams: Streams) -> None:
        """Begin it in the plan's archive.

        Raises:
            UsageError: the name was taken meanwhile.
        """
        parent = plan.experiment.manifest
        self._plan, self._answers = plan, answers
        self.withheld = _new_credentials(parent.environment, plan.environment)
        facts = begun_facts(list(plan.command), plan.cwd)
        self._recording = plan.archive.begin(plan.name, facts)
        self.name = self._recording.name
        self.log_path = self._recording.log_path
        try:
            attachments, stdin_facts = standard_input(self._recording, Keeper(self._recording), streams[0])
            kept = {name: value for name, value in plan.environment.items() if name not in self.withheld}
            manifest = new_manifest(facts, kept, sorted({*self.withheld, *parent.withheld} - set(kept)), choose()[0],
                                    streams)
            self._manifest = replace(
                manifest, umask=parent.umask, attachments=attachments,
                limits=dict(rlimits.for_run(parent.limits)[0]),
                extra={**about.facts(plan.labels, ""), "record": {"program": plan.program, "stdin": stdin_facts},
                       "runnew": {"from": plan.experiment.name, "changes": plan.describe(),
                                  "local": dict(sorted(plan.files.items()))}})
        except BaseException:
            self.abandon()
            raise

    def finish(self, report: Report, complete: Callable[[Manifest], Manifest]) -> Experiment:
        """Keep what the run used and left; `complete` adds to the manifest."""
        touched = [codec.text(path) for path, state in report.touched.items() if state == CAPTURED]
        tree = RunTree(self._recording, self._plan, self._answers, touched, {codec.text(path) for path in report.gone})
        return self._recording.finish(
            complete(inventory.complete(self._manifest, tree, report, lambda: inventory.read_processes(self.log_path))))

    def abandon(self) -> None:
        """Leave nothing of it in the archive."""
        self._recording.abandon()
        self._plan.archive.remove(self.name)
