"""The reference engine: the executable specification of programs without threads, and the fallback without a compiler.

What it refuses, or records and does not follow, is in limits.

The parts, from the bottom up:
    kernel    ptrace and what else Python lacks      memory, messages  bytes in and out of a tracee
    filter    which calls stop                       tasks             tasks, address spaces, descriptors
    callkeys  which calls are equal for a replay     script            the log, by task
    calls     a call's data, by its declaration      paths, stack      what a path means; a program's stack
    limits    what is refused                        spawn             the first tracee
    loop      stops, signals, names of tasks         record*           stops in, log out
    overlay   files of a replay: archived ones, and those written below the output directory
    replay*   log in, answers out; replay_state is what its parts share
"""

from __future__ import annotations

from rex.tracer.plan import RECORD, Plan, Report
from rex.tracer.reference.loop import Loop
from rex.tracer.reference.record import Recorder
from rex.tracer.reference.replay import Replayer
from rex.tracer.reference.replay_steps import Stopped
from rex.tracer.reference.spawn import Standard

__all__ = ["run"]


def run(plan: Plan, stdin: int | None = None, stdout: int | None = None,
        stderr: int | None = None) -> Report:
    """Run the plan to its end, in this thread.

    While recording, signals sent to us are the program's: those of the terminal
    reach it directly, others are passed on; when it stops, so do we.

    Args:
        stdin, stdout, stderr: descriptors for the program; None is ours, subprocess.DEVNULL /dev/null.
    Raises:
        NotPermitted: the kernel does not let us trace.
        Unsupported: the program, or the log, has what this engine refuses.
        OwnFailure: the log cannot be written, or the tracee has no room for us.
    """
    with Standard(stdin, stdout, stderr) as standard:
        if plan.mode != RECORD:
            replayer = Replayer(plan, standard)
            try:
                return replayer.finish(Loop(plan, replayer).run())
            except Stopped:
                return replayer.finish(0)
        recorder = Recorder(plan, standard)
        try:
            return recorder.finish(Loop(plan, recorder).run())
        except BaseException:
            recorder.abandon()
            raise
