"""Run a recorded workflow again, step by step as a plan has it, and persist what the plan says.

Each pass is a replay of the recording in which a gate decides, as each step is born, whether
it runs. One that does not leaves its files where they are expected, from the store or from an
earlier pass. Every step does what it did when it was recorded, so that the results are the same
whatever was lost on the way.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from rex import codec, rlimits
from rex.archive import Archive, Experiment
from rex.errors import NotFound, OwnFailure, UsageError
from rex.hostfailure import advice
from rex.text import quoted_ref
from rex.replayer import Stage, compare_outputs, make_plan, open_stdin
from rex.tracer import Report, choose
from rex.workflow.gate import Gate
from rex.workflow.graph import Workflow, read_workflow
from rex.workflow.passes import Pass, list_passes, list_runs
from rex.workflow.putback import FilePlace, put_back, take_away
from rex.workflow.stepstore import StepStore

_WORK = ".rex-replay-"


@dataclass(frozen=True)
class Request:
    """What is asked for.

    Attributes:
        order, persisted: ids of tasks, as `rex schedule` answers.
        is_complete: the files between the steps are wanted in the end, not only the results.
        is_resumed: what the store has may be used.
    """

    order: Sequence[str]
    persisted: Collection[str]
    grouping: str
    store_url: str
    outdir: str
    is_resumed: bool = False
    is_complete: bool = False
    is_quiet: bool = False


@dataclass
class Rerun:
    """A workflow that ran to its end.

    Attributes:
        runs: ids of steps in the order in which they ran, with the seconds that each took, saving included.
        restored: those left out that had run before.
        left_out: files between the steps that were lost and are needed no more.
        differing: files that differ from the recorded ones: why.
    """

    experiment: Experiment
    status: int = 0
    passes: int = 0
    runs: dict[str, float] = field(default_factory=dict)
    restored: list[str] = field(default_factory=list)
    sent_bytes: int = 0
    left_out: list[str] = field(default_factory=list)
    differing: dict[str, str] = field(default_factory=dict)
    divergences: int = 0


def rerun(archive_path: str, name: str | None, request: Request) -> Rerun:
    """Run the workflow to its end, from what the store has of it.

    Raises:
        NotFound, Damaged, TooNew: archive or store cannot be read.
        UsageError: the plan is for other steps; the store holds another workflow.
        RexError: the store cannot be used.
    """
    archive = Archive.open(archive_path)
    experiment = archive.experiment(name)
    if experiment.state != "complete":
        raise NotFound(f"experiment {experiment.name} is {experiment.state}", "its recording did not finish",
                       "record it again")
    workflow = read_workflow(experiment, request.grouping)
    order = _places(workflow, request.order, "orders")
    persisted = frozenset(_places(workflow, request.persisted, "persists"))
    if sorted(order) != list(range(len(workflow.tasks))):
        raise UsageError("the plan does not order all steps of this recording", "",
                         f"make it with: rex schedule {quoted_ref(archive_path, experiment.name)} --json")
    store = StepStore(request.store_url, fingerprint(experiment, workflow), request.is_resumed)
    top = prepare_place(request.outdir, request.is_resumed)
    try:
        with rlimits.lifted(), Stage(archive, experiment) as stage:
            return _Runner(stage, experiment, workflow, store, persisted, request, top).run(order)
    except OSError as error:
        raise OwnFailure("the workflow could not be run", str(error), f"{advice(error.errno) or 'look at it'}, then use --resume") from error
    finally:
        shutil.rmtree(top, ignore_errors=True)


def fingerprint(experiment: Experiment, workflow: Workflow) -> str:
    """Names a workflow with its steps: the same for the same recording and grouping."""
    log = experiment.manifest.log
    told = [log.sha256 if log else "", workflow.grouping, *(f"{task.id} {task.roots}" for task in workflow.tasks)]
    return hashlib.sha256("\n".join(told).encode("utf-8", "surrogatepass")).hexdigest()


def _places(workflow: Workflow, ids: Collection[str], what: str) -> list[int]:
    place = {task.id: number for number, task in enumerate(workflow.tasks)}
    unknown = next((each for each in ids if each not in place), None)
    if unknown is not None:
        raise UsageError(f"the plan {what} {unknown!r}", "this recording has no such step",
                         "make a plan of this recording, with the same --group")
    return [place[each] for each in ids]


def prepare_place(outdir: str, is_resumed: bool) -> str:
    """Make the output directory; a place of our own in it, which goes in the end.

    Raises:
        UsageError: it holds something else already, or cannot be made.
    """
    try:
        os.makedirs(outdir, exist_ok=True)
        for name in os.listdir(outdir):
            if not (is_resumed and name.startswith(_WORK)):
                raise UsageError(f"the output directory {outdir} is not empty", "", "choose another with -o, or remove it")
            shutil.rmtree(os.path.join(outdir, name))     # of a run that was killed
        return tempfile.mkdtemp(prefix=_WORK, dir=os.path.realpath(outdir))
    except OSError as error:
        raise UsageError(f"cannot make the output directory {outdir}", error.strerror or "") from error


class _Runner:
    def __init__(self, stage: Stage, experiment: Experiment, workflow: Workflow, store: StepStore,
                 persisted: frozenset[int], request: Request, top: str) -> None:
        self._stage, self._experiment, self._workflow = stage, experiment, workflow
        self._store, self._persisted, self._request, self._top = store, persisted, request, top
        self._task_of = {root: place for place, task in enumerate(workflow.tasks) for root in task.roots}
        self._local: dict[int, str] = {}       # outputs of this run, kept aside for other passes
        self._found = Rerun(experiment)
        self._back: set[tuple[int, str]] = set()     # what this pass has put back
        self._is_aside = False
        self._pass = Pass((), frozenset(), True)
        self._out = ""
        self._waiting: dict[int, set[int]] = {}
        self._began_s: dict[int, float] = {}

    def run(self, order: Sequence[int]) -> Rerun:
        tasks = self._workflow.tasks
        records = {place: self._store.steps[task.id] for place, task in enumerate(tasks) if task.id in self._store.steps}
        kept = {place for place, record in records.items() if record.is_kept}
        wanted = {place for place, task in enumerate(tasks) if task.outputs} if self._request.is_complete else set()
        runs = list_runs(self._workflow, order, records.keys(), kept, wanted)
        passes = list_passes(self._workflow, runs)
        self._is_aside = len(passes) > 1
        self._found.restored = [tasks[place].id for place in order if place in records and place not in runs]
        for number, part in enumerate(passes):
            self._found.passes += 1
            self._go_through(part, number)
        self._finish()
        return self._found

    def _go_through(self, part: Pass, number: int) -> None:
        self._pass = part
        self._out = os.path.join(self._top, f"pass{number}")
        self._back.clear()
        os.mkdir(self._out)
        self._waiting = {place: set(self._workflow.tasks[place].roots) for place in part.runs}
        _, engine = choose()
        output = subprocess.DEVNULL if self._request.is_quiet else None
        with Gate(self._born, self._ended) as gate, open_stdin(self._stage) as stdin:
            plan = make_plan(self._stage, self._experiment, self._out)
            plan.gate = gate.theirs
            plan.steps = sorted(self._task_of)
            report: Report | None = None
            try:
                report = engine(plan, stdin=stdin.fileno(), stdout=output, stderr=output)
            finally:
                gate.reraise()
        if self._waiting:
            lost = ", ".join(self._workflow.tasks[place].id for place in self._waiting)
            raise OwnFailure("the replay ended before all steps had run", lost, "try another --group")
        self._found.divergences += report.divergences
        self._found.status = report.status
        if not part.is_last:
            shutil.rmtree(self._out)

    # -------------------------------------------------------------- at the gate

    def _born(self, root: int, pid: int) -> bool:
        """A step begins: whether it runs. If not, its files are put where they would be."""
        place = self._task_of[root]
        if place in self._waiting:
            self._began_s.setdefault(place, time.monotonic())
            return True
        task = self._workflow.tasks[place]
        for path in sorted(task.removed, reverse=True):     # what is in a directory goes first
            take_away(self._out, path)
        where = FilePlace(self._out, pid)
        # What nobody needs can wait for the end, save what somebody who goes on writing holds open.
        for path in (*task.outputs, *task.results):
            is_needed = path in task.outputs and place in self._pass.restores
            if is_needed or os.path.isfile(codec.raw(codec.text(os.fsencode(self._out)) + path)):
                self._restore(place, path, where)
        return False

    def _restore(self, place: int, path: str, where: FilePlace) -> bool:
        """Put one file of a step back; whether it was at hand."""
        record = self._store.steps.get(self._workflow.tasks[place].id)
        if place in self._local:
            put_back(where, path, aside=self._local[place])
        elif record and path in record.files:
            put_back(where, path, record.files[path], self._store)
        else:
            return False
        self._back.add((place, path))
        return True

    def _ended(self, root: int) -> bool:
        """The last process of a step has ended; whether there is more to do in this pass."""
        place = self._task_of[root]
        roots = self._waiting[place]
        roots.discard(root)
        if not roots:
            del self._waiting[place]
            self._keep(place)
            self._found.runs[self._workflow.tasks[place].id] = time.monotonic() - self._began_s[place]
        return bool(self._waiting) or self._pass.is_last

    def _keep(self, place: int) -> None:
        task = self._workflow.tasks[place]
        record = self._store.steps.get(task.id)
        is_kept = place in self._persisted
        if record is None or is_kept and not record.is_kept:
            paths = [*task.results, *(task.outputs if is_kept else ())]
            self._store.keep(task.id, codec.text(os.fsencode(self._out)), paths, is_kept)
        if self._is_aside and not self._pass.is_last:
            self._local[place] = os.path.join(self._top, f"step{place}")
            for path in {**task.outputs, **task.results}:
                put_back(FilePlace(self._local[place]), path, aside=self._out)

    # -------------------------------------------------------------- the end

    def _finish(self) -> None:
        """Move the last pass to its place, with what earlier ones left, and say what is not as recorded."""
        left = set(self._task_of.values()) - set(self._pass.runs)
        for place in sorted(left):
            task = self._workflow.tasks[place]
            for path in (*task.results, *task.remaining):
                # A shell opens the file that a step's output goes to: rather nothing than that.
                if (place, path) not in self._back and not self._restore(place, path, FilePlace(self._out)):
                    take_away(self._out, path)
        outdir = os.path.dirname(self._top)
        for name in os.listdir(self._out):
            os.rename(os.path.join(self._out, name), os.path.join(outdir, name))
        self._found.sent_bytes = self._store.sent_bytes
        between = {path for task in self._workflow.tasks for path in task.outputs} - {
            path for task in self._workflow.tasks for path in task.results}
        for path, why in compare_outputs(self._experiment.manifest, outdir).items():
            if path in between and why == "missing":
                self._found.left_out.append(path)
            else:
                self._found.differing[path] = why
