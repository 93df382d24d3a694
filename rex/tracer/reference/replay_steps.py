"""Steps of a workflow: processes with all that they start, of which a gate decides whether they run.

One that does not exits as it is born, and for the others all that the log has of it has
happened. What it would have written has been put below the output directory by then. When
the last task of a step has ended, nothing goes on until the gate says so.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rex.errors import OwnFailure
from rex.syscalls import BY_NAME
from rex.tracer.plan import STEP_BORN, STEP_ENDED, STEP_QUESTION, STEP_SKIP, STEP_STOP, Plan
from rex.tracer.reference import kernel
from rex.tracer.reference.script import Log, Script
from rex.tracer.reference.tasks import SYSCALL_BYTES, Task

if TYPE_CHECKING:
    from rex.log.records import Event

_EXIT_GROUP = BY_NAME["exit_group"].nr


class Stopped(Exception):
    """All that was wanted has happened."""


class Steps:
    """Asks the gate."""

    def __init__(self, plan: Plan, log: Log) -> None:
        self._gate = plan.gate
        self._log = log
        self._steps = set(plan.steps)
        self._living: dict[int, int] = {}
        if self._gate >= 0:
            os.set_inheritable(self._gate, False)

    def born(self, parent: Task, task: Task) -> None:
        """A task belongs to its parent's step, or begins one."""
        task.step = parent.step or (task.script if task.script.index in self._steps else None)
        if task.step:
            self._living[task.step.index] = self._living.get(task.step.index, 0) + 1

    def start(self, task: Task) -> None:
        """At its first stop: skip the step that it begins, if it is not to run."""
        if self._gate < 0 or task.step is None or task.step is not task.script:
            return
        if self._ask(STEP_BORN, task.script.index, task.tid) == STEP_SKIP:
            self._forget(task.script)
            task.skipped = True
            _leave(task)

    def ended(self, task: Task) -> None:
        """Report a step whose last task this was."""
        if task.step is None:
            return
        self._living[task.step.index] -= 1
        if not self._living[task.step.index] and self._gate >= 0 and not task.skipped:
            self._ask(STEP_ENDED, task.step.index, task.tid)

    def _ask(self, what: bytes, task: int, pid: int) -> bytes:
        os.write(self._gate, STEP_QUESTION.pack(what, task, pid))
        answer = os.read(self._gate, 1)
        if not answer:
            raise OwnFailure("the replay stopped", "who decides on the steps is gone")
        if answer == STEP_STOP:
            raise Stopped
        return answer

    def _forget(self, step: Script) -> None:
        """Children are numbered after their parents."""
        inside = {step.index}
        for script in self._log.scripts_from(step.index):
            birth: Event | None = script.birth
            if script is step or birth and birth.args[0] in inside:
                inside.add(script.index)
                script.finish()
                if script.exit:
                    script.exit.is_done = True


def _leave(task: Task) -> None:
    """Back to the instruction that made the child, which now makes it exit.

    The status does not matter: its parent gets what the log has.
    """
    registers = kernel.registers(task.tid)
    registers.orig_rax, registers.rax, registers.rdi = (1 << 64) - 1, _EXIT_GROUP, 0
    registers.rip -= SYSCALL_BYTES
    kernel.set_registers(task.tid, registers)
