"""Starts the processes of a replay of versions, on archived files alone."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import threading
from dataclasses import replace

from rex import codec
from rex.archive import Archive, Experiment
from rex.cells import serving
from rex.errors import OwnFailure, RexError
from rex.multiversion.worker_protocol import Orders
from rex.multiversion.worker import Refusal, Worker, WorkerLost
from rex.replayer import Stage
from rex.runnew.answers import read_answers
from rex.runnew.changes import Changes
from rex.runnew.engineplan import engine_plan
from rex.runnew.plan import plan_run
from rex.tracer import Plan, start
from rex.tracer.native import Started
from rex.tracer.sandbox import Sandbox

_WORK = ".rex-replay-"
_CONTROL = threading.Lock()              # the runner's descriptor has one number
_PATIENCE_S = 5.0
_FOREIGN = ("file", "program", "missing")


class LiveLab:
    """Processes on the apparatus of recorded versions.

    For each base there is one process that has run no cell, from which all others are forked. The
    files of each branch are in a directory of their own below OUTDIR; those of a version that has
    ended become OUTDIR/<experiment>. In a sandbox they see these files and nothing else of this machine.
    """

    def __init__(self, archive: Archive, orders: Orders, outdir: str, is_sandboxed: bool) -> None:
        self._archive, self._is_sandboxed = archive, is_sandboxed
        self._orders = orders
        self._outdir = outdir
        self._work = tempfile.mkdtemp(prefix=_WORK, dir=outdir)
        self._count = 0
        self._lock = threading.Lock()
        self.notes: list[str] = []
        self._stages: dict[str, Stage] = {}
        self._engines: list[Started] = []
        self._first: dict[str, Worker] = {}

    def __enter__(self) -> "LiveLab":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._first.values():
            worker.drop()
        for engine in self._engines:
            self._end(engine)
        for stage in self._stages.values():
            stage.close()
        shutil.rmtree(self._work, ignore_errors=True)

    def _end(self, engine: Started) -> None:
        """Without processes an engine ends by itself, and tells what it had to take from this machine."""
        try:
            report = engine.report(engine.process.wait(_PATIENCE_S))
        except subprocess.TimeoutExpired:
            engine.process.kill()               # its tracees go with it
            engine.process.wait()
            return
        except RexError:
            return
        for kind, what in report.live:
            if kind in _FOREIGN:
                self.notes.append(f"the archive lacks the {kind} {codec.text(what)}; this machine's was used")

    # -------------------------------------------------------------- processes

    def start(self, base: str) -> Worker:
        """A fresh process before the first cell."""
        for _ in range(2):
            with self._lock:
                if base not in self._first:
                    self._first[base] = self._launch(base)
            try:
                with self._lock:
                    found = self._first[base].fork(self.branch(self._first[base]))
            except WorkerLost:
                del self._first[base]
                continue
            if isinstance(found, Refusal):
                raise OwnFailure("a fresh process could not be forked", found.reason)
            return found
        raise OwnFailure("the processes of the replay do not survive", "", "see what the system's log says of them")

    def _launch(self, base: str) -> Worker:
        """Start an engine and in it the process that all others of this base come from."""
        ours, theirs = socket.socketpair()
        directory = self._directory()
        os.mkdir(directory)
        plan = self._plan(base, directory)
        with _CONTROL:
            os.dup2(theirs.fileno(), serving.CONTROL, inheritable=True)
            try:
                engine = start(plan, subprocess.DEVNULL, subprocess.DEVNULL, subprocess.DEVNULL, (serving.CONTROL,))
            finally:
                os.close(serving.CONTROL)
                theirs.close()
        self._engines.append(engine)
        try:
            return Worker(ours, directory, engine.process.pid if plan.sandbox else 0)
        except WorkerLost:
            engine.wait()                       # raises what it knows
            raise OwnFailure("the first process of the replay ended at once", "",
                             "see whether one version replays: rex replay -e EXP") from None

    def _plan(self, base: str, directory: str) -> Plan:
        """The engine's plan: the runner of the first version, and the files of each as a world."""
        made: Plan | None = None
        worlds = []
        experiments = [self._archive.experiment(version.name) for version in self._orders.bases[base]]
        for experiment in experiments:
            command = (*experiment.manifest.command[:2], "--serve")
            run = plan_run(self._archive, experiment, Changes(args=command), directory, is_continued=True)
            plan = engine_plan(run, self._stage(experiment), read_answers(experiment))
            worlds.append(plan)
            made = made or plan
        assert made
        # Programs that are not the same in all worlds are prepared where they are executed.
        made.programs = {path: file for path, file in made.programs.items()
                         if all(plan.programs.get(path) == file for plan in worlds)}
        if self._is_sandboxed:
            made.sandbox = self._sandbox(experiments)
        return replace(made, worlds=worlds, seed=self._orders.bases[base][0].seed)

    def _sandbox(self, experiments: list[Experiment]) -> Sandbox:
        """One in which the files of all these versions are, and the directories of all branches."""
        first, *others = map(self._stage, experiments)
        box = first.sandbox(self._work, [stage.private for stage in others if stage.private])
        return replace(box, writable=[*box.writable, *(stage.work for stage in others)])

    def _stage(self, experiment: Experiment) -> Stage:
        if experiment.name not in self._stages:
            self._stages[experiment.name] = Stage(self._archive, experiment, self._is_sandboxed)
        return self._stages[experiment.name]

    # -------------------------------------------------------------- files

    def _directory(self) -> str:
        self._count += 1
        return os.path.join(self._work, f"branch{self._count}")

    def branch(self, worker: Worker) -> str:
        """A new place for a branch's files, with a copy of those that the worker has."""
        directory = self._directory()
        shutil.copytree(worker.directory, directory, symlinks=True)
        return directory

    def discard(self, directory: str) -> None:
        """Nobody needs a branch's files any more."""
        shutil.rmtree(directory, ignore_errors=True)

    def keep(self, worker: Worker, versions: list[str]) -> None:
        """The process has ended: its files are what these versions wrote."""
        first = os.path.join(self._outdir, versions[0])
        os.rename(worker.directory, first)
        for name in versions[1:]:
            shutil.copytree(first, os.path.join(self._outdir, name), symlinks=True)
