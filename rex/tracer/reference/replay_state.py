"""Replay: what its parts share, and what they do to it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from rex.tracer.plan import Difference, Divergence, Report
from rex.tracer.reference.calls import put_outputs
from rex.tracer.reference.overlay import Overlay
from rex.tracer.reference.replay_clock import note_reading
from rex.tracer.reference.replay_signals import Signals
from rex.tracer.reference.script import Entry, Log, describe, name_of
from rex.tracer.reference.spawn import Standard
from rex.tracer.reference.tasks import Task, Tasks

EpollKey = tuple[int, int]            # process, descriptor


@dataclass
class ReplayState:
    """The state of a replay.

    Attributes:
        watched: the data words of external descriptors that each epoll descriptor watches.
    """

    log: Log
    report: Report
    overlay: Overlay
    signals: Signals
    standard: Standard
    tasks: Tasks
    watched: dict[EpollKey, set[int]] = field(default_factory=dict)

    def emulate(self, task: Task, entry: Entry) -> None:
        """The log answers, the kernel is not asked."""
        put_outputs(task, entry.event)
        note_reading(task, entry.event)
        self.signals.send_with(task, entry)
        task.skip(entry.event.result)
        entry.is_done = True

    def diverged(self, task: Task, entry: Entry | None, why: str) -> None:
        """Replay and log disagree; entry is what the log has instead, None for the task's next."""
        report = self.report
        entry = entry or task.script.next()
        report.divergences += 1
        if report.divergence is None:
            asked = name_of(task.nr)
            if task.path is not None:
                asked += f' "{os.fsdecode(task.path)}"'
            number = entry.number if entry else self.log.count
            report.divergence = Divergence(number, task.script.index, False, why, asked, describe(entry))

    def mismatched(self, entry: Entry | None, stream: int = 0) -> None:
        """The program wrote other bytes than recorded; None: after all that it wrote then."""
        self.report.mismatches += 1
        if self.report.difference is None:
            number = entry.number if entry else self.log.count
            self.report.difference = Difference(number, stream or (entry.event.stream if entry else 0), False)

    def task_named(self, recorded_tid: int) -> Task | None:
        """The living task that had this number when recorded."""
        return next((task for task in self.tasks if task.script.tid == recorded_tid), None)

    def recorded_tid(self, real_tid: int) -> int:
        """The number that a task, or a child that has ended, had when recorded; 0 if unknown."""
        return next((task.script.tid for task in self.tasks.named() if task.tid == real_tid), 0)

    def real_tid(self, recorded_tid: int) -> int:
        """The number of a task, also of a child that has ended; 0 if unknown."""
        return next((task.tid for task in self.tasks.named()
                     if task.tid and task.script.tid == recorded_tid), 0)
