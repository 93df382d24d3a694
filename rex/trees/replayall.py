"""Replay many recorded runs: each distinct step once, its outputs put back where it comes again.

Each run is a replay of its recording in which a gate decides, as a step is born, whether it runs. Nothing that the author computed
is used: what is put back is what this replay itself has made.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

from rex import codec
from rex.archive import Archive
from rex.errors import OwnFailure, RexError
from rex.hostfailure import advice
from rex.replayer import Stage, compare_outputs, look_at_host, make_plan, open_stdin, prepare_outdir
from rex.tracer import Report, choose
from rex.trees.cluster import replay_on
from rex.trees.cut import Run, load_runs
from rex.trees.deadline import Fit, fit_runs, planned_s
from rex.trees.keeping import KEEP_NOTHING, KeepPlan, plan_kept
from rex.trees.merge import StepTree, merge_steps
from rex.trees.step import Step
from rex.workflow.gate import Gate
from rex.workflow.putback import FilePlace, put_back, take_away

_KEPT = ".rex-steps-"
_FIRST = 0             # the first process of every run


@dataclass
class RunReplayed:
    """A run that was replayed.

    Attributes:
        ran, put_back: ids of steps; steps outside these, and drivers, run always.
        differing: outputs that differ from the recording, by path: why.
        within: outputs that differ only as the user allowed, by path or name of the stream: the verdict on them.
        failed: why it could not be replayed; "" if it was.
        is_host_failure: that is this machine's fault, or Rex's own.
    """

    name: str
    ran: list[str] = field(default_factory=list)
    put_back: list[str] = field(default_factory=list)
    differing: dict[str, str] = field(default_factory=dict)
    is_same_output: bool = True
    is_same_status: bool = True
    divergences: int = 0
    seconds: float = 0.0
    failed: str = ""
    is_host_failure: bool = False
    within: dict[str, str] = field(default_factory=dict)

    @property
    def is_identical(self) -> bool:
        """Files, output and status are as recorded, and nothing failed or diverged."""
        return not (self.differing or self.failed or self.divergences) and self.is_same_output and self.is_same_status

    def describe(self) -> str:
        """What came of it, in words."""
        parts = [self.failed] if self.failed else [f"{path}: {why}" for path, why in sorted(self.differing.items())]
        parts += [] if self.is_same_output or self.failed else ["what it prints differs"]
        parts += [] if self.is_same_status or self.failed else ["the exit status differs"]
        parts += ["the log was not followed"] if self.divergences else []
        parts = parts or (["identical within tolerance"] if self.within else ["identical"])
        return "; ".join([*parts, *(f"{name}: {said}" for name, said in sorted(self.within.items()))])


@dataclass
class StepsReplayed:
    """All of them.

    Attributes:
        cpu_s: processor time of all that was done for it, as the plan counts it.
    """

    plan: KeepPlan
    runs: list[RunReplayed]
    cpu_s: float
    wall_s: float

    @property
    def is_identical(self) -> bool:
        """All runs are identical."""
        return all(run.is_identical for run in self.runs)


class _Shared:
    """What runs know of each other: which steps are done, and where their outputs are kept."""

    def __init__(self, tree: StepTree, plan: KeepPlan, top: str) -> None:
        self.plan, self.top = plan, top
        self.node_of = {(name, step.roots): node.id for node in tree.nodes.values() for name, step in node.members}
        self.left = {node.id: [each.path for each in node.step.left] for node in tree.nodes.values()}
        self.waiting_runs = {node: {name for name, _ in tree.nodes[node].members} for node in plan.kept}
        self.done: set[str] = set()
        self.running: dict[str, str] = {}          # node -> the run that it runs in
        self.change = threading.Condition()

    def aside(self, node: str) -> str:
        return os.path.join(self.top, node)

    def finish_run(self, name: str) -> None:
        """Let go of what no later run needs."""
        with self.change:
            for node in [node for node, owner in self.running.items() if owner == name]:
                del self.running[node]
            for node, runs in self.waiting_runs.items():
                runs.discard(name)
                if not runs:
                    shutil.rmtree(self.aside(node), ignore_errors=True)
            self.change.notify_all()


class _OneRun:
    """The replay of one run."""

    def __init__(self, archive: Archive, run: Run, shared: _Shared, outdir: str, is_sandboxed: bool) -> None:
        self._archive, self._run, self._shared, self._is_sandboxed = archive, run, shared, is_sandboxed
        self._out = os.path.join(outdir, run.name)
        self._streams = [os.path.join(outdir, f"{run.name}.{name}") for name in ("stdout", "stderr")]
        self._step_of: dict[int, tuple[str, Step]] = {}
        for step in run.steps:
            node = shared.node_of[run.name, step.roots]
            if node in shared.plan.kept:
                self._step_of.update((root, (node, step)) for root in step.roots)
        self._left_out: set[tuple[int, ...]] = set()
        self._running: dict[tuple[int, ...], set[int]] = {}
        self._found = RunReplayed(run.name)

    def replay(self) -> RunReplayed:
        began = time.monotonic()
        try:
            os.mkdir(self._out)
            with Stage(self._archive, self._run.experiment, self._is_sandboxed) as stage, open_stdin(stage) as stdin, \
                    open(self._streams[0], "wb", buffering=0) as self._stdout, open(self._streams[1], "wb", buffering=0) as self._stderr:
                self._run_or_put_back(stage, stdin.fileno())
            self._found.differing = compare_outputs(self._run.experiment.manifest, self._out)
        except RexError as error:
            self._found.failed, self._found.is_host_failure = str(error), isinstance(error, OwnFailure)
        except OSError as error:
            self._found.failed, self._found.is_host_failure = f"{error} ({advice(error.errno) or 'look at it'})", True
        finally:
            self._shared.finish_run(self._run.name)
        self._found.seconds = time.monotonic() - began
        return self._found

    def _run_or_put_back(self, stage: Stage, stdin: int) -> None:
        """A run that is one step as a whole need not begin: the engine asks at the gate for what processes start."""
        is_one_step = _FIRST in self._step_of
        if is_one_step and not self._born(_FIRST, 0):
            return
        self._compare(self._run_engine(stage, stdin))
        if is_one_step:
            self._ended(_FIRST)

    def _run_engine(self, stage: Stage, stdin: int) -> Report:
        _, engine = choose()
        plan = make_plan(stage, self._run.experiment, self._out)
        if self._is_sandboxed:
            plan.sandbox = stage.sandbox(self._out)
        with Gate(self._born, self._ended) as gate:
            if asked := sorted(self._step_of.keys() - {_FIRST}):
                plan.gate, plan.steps = gate.theirs, asked
            try:
                return engine(plan, stdin=stdin, stdout=self._stdout.fileno(), stderr=self._stderr.fileno())
            finally:
                gate.reraise()

    def _compare(self, report: Report) -> None:
        manifest = self._run.experiment.manifest
        look_at_host(manifest, self._out, report)
        self._found.divergences = report.divergences
        self._found.is_same_output = report.difference is None
        self._found.is_same_status = os.waitstatus_to_exitcode(report.status) == manifest.exit_status

    # -------------------------------------------------------------- at the gate

    def _born(self, root: int, pid: int) -> bool:
        node, step = self._step_of[root]
        shared = self._shared
        with shared.change:
            if step.roots not in self._left_out and step.roots not in self._running:
                # A run that executes a step never waits, so no two runs wait for each other.
                shared.change.wait_for(lambda: self._running or node not in shared.running)
                if node in shared.done:
                    self._left_out.add(step.roots)
                else:
                    shared.running.setdefault(node, self._run.name)
                    self._running[step.roots] = set(step.roots)
        if step.roots in self._running:
            return True
        if root == step.roots[-1]:
            self._put_back(node, step, pid)
        return False

    def _put_back(self, node: str, step: Step, pid: int) -> None:
        self._found.put_back.append(node)
        where, aside = FilePlace(self._out, pid), self._shared.aside(node)
        kept = dict(zip((each.path for each in step.left), self._shared.left[node]))
        for each in sorted(step.left, key=lambda each: each.path, reverse=True):      # what is in a directory goes first
            if each.state is None:
                take_away(self._out, each.path)
        for each in step.left:
            if each.state is not None:
                put_back(where, each.path, aside=aside, name_aside=kept[each.path])
        for stream, text in step.printed:
            (self._stdout if stream == 2 else self._stderr).write(text.encode("latin-1"))

    def _ended(self, root: int) -> bool:
        node, step = self._step_of[root]
        roots = self._running.get(step.roots, set())
        roots.discard(root)
        if not roots and step.roots in self._running:
            is_first = self._shared.running.get(node) == self._run.name
            if is_first:
                for path in self._shared.left[node]:
                    put_back(FilePlace(self._shared.aside(node)), path, aside=self._out)
            with self._shared.change:
                self._running.pop(step.roots, None)
                if is_first:
                    del self._shared.running[node]
                    self._shared.done.add(node)
                self._shared.change.notify_all()
            self._found.ran.append(node)
        return True


@dataclass(frozen=True)
class Wishes:
    """What the user asked of a replay of many runs.

    Attributes:
        budget_bytes: what the outputs that are kept for later runs may take together (with Dask: those of one task); None: all of it.
        workers: runs side by side.
        is_sandboxed: let each run see nothing of this machine but its own files and outputs: then nothing is put back.
        dask: address of a Dask scheduler; empty for this machine alone.
        deadline_s: seconds that the plan may take; None: no limit.
    """

    archive: str
    outdir: str
    budget_bytes: int | None = None
    workers: int = 1
    is_sandboxed: bool = False
    dask: str = ""
    deadline_s: float | None = None

    def plan(self, tree: StepTree) -> KeepPlan:
        """Which steps are kept."""
        return plan_kept(tree, KEEP_NOTHING if self.is_sandboxed else self.budget_bytes)

    def fit(self, tree: StepTree) -> Fit | None:
        """The runs that meet the deadline, if there is one.

        Raises:
            UsageError: no run does.
        """
        if self.deadline_s is None:
            return None
        return fit_runs(tree, self.deadline_s, lambda part: planned_s(part, self.plan(part), self.workers), self.workers)


def replay_steps(wishes: Wishes, runs: list[Run], tree: StepTree) -> StepsReplayed:
    """Replay runs: outputs in OUTDIR/<experiment>, what they print in OUTDIR/<experiment>.stdout and .stderr.

    Raises:
        UsageError: the output directory is not empty; there is no such cluster.
        OwnFailure: there is no room; the cluster lost its workers.
    """
    began = time.monotonic()
    wishes = replace(wishes, archive=os.path.abspath(wishes.archive), outdir=prepare_outdir(wishes.outdir))
    try:
        top = tempfile.mkdtemp(prefix=_KEPT, dir=wishes.outdir)
    except OSError as error:
        raise OwnFailure(f"cannot write to {wishes.outdir}", error.strerror or "", advice(error.errno) or "") from error
    try:
        if wishes.dask:
            part = partial(replay_part, wishes, top, tuple(run.name for run in runs))
            found = _joined(replay_on(wishes.dask, part, tree), runs, tree)
        else:
            found = _replay(wishes, top, runs, tree)
    finally:
        shutil.rmtree(codec.raw(codec.text(os.fsencode(top))), ignore_errors=True)
    return replace(found, wall_s=time.monotonic() - began)


def replay_part(wishes: Wishes, top: str, chosen: tuple[str, ...], names: list[str]) -> StepsReplayed:
    """Replay some of the chosen runs, which share steps; a task of a cluster, which may have begun it before with a worker that was lost.

    Args:
        top: where outputs are kept.
    """
    archive = Archive.open(wishes.archive)
    runs = load_runs((archive.experiment(name) for name in chosen), others=archive.experiments())
    for name in names:
        shutil.rmtree(os.path.join(wishes.outdir, name), ignore_errors=True)
    return _replay(wishes, tempfile.mkdtemp(dir=top), [run for run in runs if run.name in names], merge_steps(runs).only(set(names)))


def _replay(wishes: Wishes, top: str, runs: list[Run], tree: StepTree) -> StepsReplayed:
    began, used_s = time.monotonic(), _used_s()
    archive, plan = Archive.open(wishes.archive), wishes.plan(tree)
    shared = _Shared(tree, plan, top)
    with ThreadPoolExecutor(wishes.workers) as pool:
        done = list(pool.map(lambda run: _OneRun(archive, run, shared, wishes.outdir, wishes.is_sandboxed).replay(), runs))
    return StepsReplayed(plan, done, _used_s() - used_s, time.monotonic() - began)


def _used_s() -> float:
    """Processor time so far of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def _joined(parts: list[StepsReplayed], runs: list[Run], tree: StepTree) -> StepsReplayed:
    """What tasks did, as one; a step that two of them ran counts twice."""
    plans = [part.plan for part in parts]
    whole = plan_kept(tree, None)
    plan = replace(whole, kept=frozenset[str]().union(*(plan.kept for plan in plans)), cost_s=sum(plan.cost_s for plan in plans),
                   peak_bytes=sum(plan.peak_bytes for plan in plans))
    found = {run.name: run for part in parts for run in part.runs}
    return StepsReplayed(plan, [found[run.name] for run in runs], sum(part.cpu_s for part in parts), 0.0)
