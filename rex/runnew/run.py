"""Run a plan, watch it, and say what came of it."""

from __future__ import annotations

import os
import shutil
import stat
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import BinaryIO, ContextManager, Protocol

from rex import codec, rlimits
from rex.archive import Experiment, Manifest, Process
from rex.cacheplace import cache_root
from rex.errors import OwnFailure
from rex.hostfailure import advice, no_room
from rex.inventory import read_processes
from rex.recorder import Streams
from rex.replayer import Stage, open_stdin
from rex.runnew.answers import read_answers
from rex.runnew.engineplan import engine_plan
from rex.runnew.outputs import find_outputs
from rex.runnew.plan import RunPlan
from rex.runnew.recorded import RunRecording
from rex.tracer import Report, ipcspace, start as start_engine
from rex.tracer.hidden import hidden_names

_AGAIN_S = 0.2
_LOG = "log"   # of a run in a sandbox, or with reuse and not recorded, in its own directory


@dataclass(frozen=True, order=True)
class LiveUse:
    """One use of the live system where the archive had no answer.

    Attributes:
        kind: file, directory, program, randomness, time, network, device, system (/proc, /sys), or missing (a
            file of which the archive has the name only, and this machine nothing).
        what: the path, address or thing used.
    """

    kind: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind} {self.what}" if self.what else self.kind


@dataclass(frozen=True)
class RunOutcome:
    """A run that has ended.

    Attributes:
        status: wait status of the program (os.waitstatus_to_exitcode tells its exit code).
        is_cancelled: somebody ended it before its time; it is then not recorded.
        outputs: files that the run made or changed: path in the experiment, file below OUTDIR.
        live_uses: what of the live system was used, in order of kind and name.
        experiment: the experiment that was recorded; None without recording.
        notes: what else the user must know.
        duration_s: wall-clock seconds.
    """

    status: int
    is_cancelled: bool
    outputs: tuple[tuple[str, str], ...]
    live_uses: tuple[LiveUse, ...]
    experiment: str | None
    notes: tuple[str, ...]
    duration_s: float


class Gate(Protocol):
    """Who says what is executed in a program's place."""

    theirs: int                # a socket, for the tracer

    def complete(self, manifest: Manifest) -> Manifest:
        """The manifest of the recorded run, with what that changed."""

    def take_times(self, read: Callable[[], Iterable[Process]]) -> None:
        """What the processes of a run that has ended are, if it wants to know."""


class Run:
    """A new experiment while it runs; `wait` must be called in the end.

    Attributes:
        pid: process id of the engine; its tracees end with it.
    """

    def __init__(self, plan: RunPlan, stdin: int | None, stdout: int | None,
                 stderr: int | None, is_sandboxed: bool, gate: Gate | None) -> None:
        """Use `start` instead."""
        self.plan, self._gate = plan, gate
        self._is_sandboxed = is_sandboxed
        self._is_cancelled = False
        self._begun = time.monotonic()
        self._recording: RunRecording | None = None
        self._stage = Stage(plan.archive, plan.experiment, is_sandboxed)
        try:
            with rlimits.lifted(), _open_stdin(self._stage, stdin) as archived:
                stdin = archived.fileno() if archived else stdin
                self._begin((0 if stdin is None else stdin, 1 if stdout is None else stdout,
                             2 if stderr is None else stderr))
        except BaseException:
            self._end(None)
            raise
        self.pid = self._engine.process.pid

    def _begin(self, streams: Streams) -> None:
        answers = read_answers(self.plan.experiment)
        self._refused = rlimits.for_run(self.plan.experiment.manifest.limits)[1]
        log, withheld, hidden = os.path.join(self._stage.work, _LOG) if self._gate else "", [], []
        if self.plan.is_recorded:
            self._recording = RunRecording(self.plan, answers, streams)
            log, withheld = self._recording.log_path, self._recording.withheld
            if self._is_sandboxed:       # which has no room for the archive, nor for the directory that it lies in
                log = os.path.join(self._stage.work, _LOG)
            else:
                hidden = hidden_names([os.fsencode(self.plan.archive.path)], [codec.raw(self.plan.cwd), codec.raw(self.plan.program)])
        self._objects = ipcspace.objects()
        self._engine = start_engine(engine_plan(self.plan, self._stage, answers, log, withheld, self._is_sandboxed, hidden,
                                                self._gate.theirs if self._gate else -1),
                                    *streams)

    def poll(self) -> bool:
        """Whether the program has ended."""
        return self._engine.process.poll() is not None

    def cancel(self) -> None:
        """End the program and all its descendants now. Any thread may call it, at any time."""
        if self._is_cancelled or self.poll():
            return
        self._is_cancelled = True
        threading.Thread(target=self._insist, daemon=True).start()

    def _insist(self) -> None:
        """A signal that comes just before the engine begins to wait would be seen late."""
        while not self.poll():
            self._engine.cancel()
            time.sleep(_AGAIN_S)

    def wait(self) -> RunOutcome:
        """Wait for the end; take what was recorded into the archive. Once, in any one thread.

        Raises:
            OwnFailure, NotPermitted: the engine failed, or this machine had no room; nothing was recorded.
        """
        report = None
        try:
            report = self._wait()
            duration_s = time.monotonic() - self._begun
            outputs = find_outputs(self.plan)
            if (outputs or report.status) and not self._is_cancelled:
                self._look_for_room()
            ours = os.fsencode(cache_root()) + b"/"     # where steps are put back from
            uses = [LiveUse(kind, codec.text(what)) for kind, what in report.live if not (self._gate and what.startswith(ours))]
            if not self.plan.is_recorded:
                uses.append(LiveUse("time", "(watched only when recorded)"))
            experiment = self._end(None if self._is_cancelled else report)
            notes = [*self._refused, *report.problems, *self._left_behind(), *(experiment.manifest.warnings if experiment else ())]
            return RunOutcome(report.status, self._is_cancelled, outputs, tuple(sorted(uses)),
                              experiment.name if experiment else None, tuple(notes), duration_s)
        finally:
            self._end(None)

    def _look_for_room(self) -> None:
        """Make sure that what the run wrote is not cut: that would say nothing of the experiment.

        Raises:
            OwnFailure: the output directory is full.
        """
        if number := no_room(self.plan.outdir):
            raise OwnFailure(f"the outputs do not fit into {self.plan.outdir}", os.strerror(number), advice(number))

    def _left_behind(self) -> list[str]:
        """A note of what the run may have left on the machine, where it could not have a namespace of its own."""
        new = set() if self._engine.is_apart else ipcspace.objects() - self._objects
        return [f"System V objects came during the run and may be its own; to remove them: ipcrm {' '.join(sorted(new))}"] if new else []

    def _wait(self) -> Report:
        try:
            return self._engine.wait()
        except KeyboardInterrupt:
            self.cancel()
            return self._engine.wait()

    def _end(self, report: Report | None) -> Experiment | None:
        """Finish the recording, or without a report abandon it; remove what was made for the run."""
        recording, self._recording = self._recording, None
        try:
            if recording and report:
                if self._is_sandboxed:
                    shutil.move(os.path.join(self._stage.work, _LOG), recording.log_path)
                return recording.finish(report, self._gate.complete if self._gate else lambda manifest: manifest)
            if recording:
                recording.abandon()
            elif self._gate and report:
                self._gate.take_times(lambda: read_processes(os.path.join(self._stage.work, _LOG))[0])
            return None
        finally:
            self._stage.close()


def _open_stdin(stage: Stage, given: int | None) -> ContextManager[BinaryIO | None]:
    """The file that was on standard input, unless there is other input now: a file, a pipe, a socket."""
    if "stdin" not in stage.manifest.attachments:
        return nullcontext()
    try:
        mode = os.fstat(0 if given is None else given).st_mode
    except OSError:   # closed, or subprocess.DEVNULL
        mode = 0
    is_given = stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
    return nullcontext() if is_given else open_stdin(stage)


def start(plan: RunPlan, stdin: int | None = None, stdout: int | None = None,
          stderr: int | None = None, is_sandboxed: bool = False, gate: Gate | None = None) -> Run:
    """Start a planned run and return at once.

    Args:
        stdin, stdout, stderr: descriptors for the program; None hands on ours. They may be
            closed here once this has returned. Where the experiment had a plain file on its
            standard input, and stdin is a terminal or nothing, it has that file again.
        is_sandboxed: let it see nothing of this machine but its own files, those of the changes, and the output directory.
        gate: who may put steps back instead of running them, not in a sandbox.
    Raises:
        OwnFailure: it could not be prepared.
        NotPermitted: by `wait`: the kernel does not let us make a sandbox.
        UsageError: the native engine is not there.
    """
    try:
        os.makedirs(codec.raw(plan.outdir), exist_ok=True)
        return Run(plan, stdin, stdout, stderr, is_sandboxed, gate)
    except OSError as error:
        raise OwnFailure("the run could not be prepared", str(error),
                         f"{advice(error.errno) or 'look at it'}, or set REX_CACHE to another directory") from error
