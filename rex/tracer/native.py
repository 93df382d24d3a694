"""Runs a plan with rex-engine, the tracer written in C."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any, BinaryIO, Callable

from rex import elf
from rex.errors import NotPermitted, OwnFailure
from rex.tracer.plan import DEVNULL, RECORD, Plan, Report

if TYPE_CHECKING:
    from rex.tracer.sandbox import Sandbox

PATH = os.path.join(os.path.dirname(os.path.dirname(__file__)), "native", "rex-engine")


def is_built() -> bool:
    """Whether the engine was built when Rex was installed."""
    return os.access(PATH, os.X_OK)


def _hand_over(plan: Plan) -> tuple[BinaryIO, str]:
    """The plan in memory, as it holds the whole environment, credentials too; and its name there."""
    file = os.fdopen(os.memfd_create("rex-plan"), "wb")
    file.write(plan.encode())
    file.flush()
    return file, f"/proc/{os.getpid()}/fd/{file.fileno()}"


class Started:
    """rex-engine at work on a plan."""

    def __init__(self, plan: Plan, stdin: int | None = None, stdout: int | None = None,
                 stderr: int | None = None) -> None:
        import subprocess   # it takes a while
        self._plan = plan
        self._file, where = _hand_over(plan)
        self.process = subprocess.Popen([PATH, where], stdin=stdin, stdout=stdout, stderr=stderr,
                                        close_fds=False)

    def cancel(self) -> None:
        """End all tracees of a live run; harmless after the end."""
        self.process.send_signal(signal.SIGTERM)

    def wait(self) -> Report:
        """What the engine reports in the end.

        Raises:
            NotPermitted: the kernel does not let us trace.
            OwnFailure: the engine failed.
        """
        return self.report(self.process.wait())

    def report(self, status: int) -> Report:
        """What an engine that ended with this status reports."""
        self._file.close()
        return _report(self._plan, status)


def _spawn(arguments: list[str], streams: tuple[int | None, ...]) -> int:
    """Start a program that has our descriptors, as subprocess does; its number. Of us it has no signal ignored.

    Args:
        streams: descriptors of its standard streams; None leaves it ours.
    """
    actions = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) if given == DEVNULL else
               (os.POSIX_SPAWN_DUP2, given, number) for number, given in enumerate(streams) if given is not None]
    return os.posix_spawn(arguments[0], arguments, os.environb, file_actions=actions,
                          setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])   # which Python ignores


def run(plan: Plan, stdin: int | None = None, stdout: int | None = None,
        stderr: int | None = None) -> Report:
    """Run the plan to its end.

    While recording, signals sent to us are the program's: those of the terminal
    reach it directly, others are passed on; when it stops, so do we.

    Raises:
        NotPermitted: the kernel does not let us trace, or make a sandbox.
        OwnFailure: the engine failed.
    """
    if plan.sandbox:
        return _run_inside(plan, plan.sandbox, stdin, stdout, stderr)
    file, where = _hand_over(plan)
    with file:
        return _report(plan, _wait(_spawn([PATH, where], (stdin, stdout, stderr)), plan.mode == RECORD))


def _run_inside(plan: Plan, box: Sandbox, stdin: int | None, stdout: int | None, stderr: int | None) -> Report:
    """Run the plan in a sandbox; the variables of a replay are those of the archive, and no secret."""
    import subprocess   # few ask
    from dataclasses import replace
    from rex.tracer.sandbox import REFUSED
    directory = os.path.dirname(plan.report)
    plan_path, refusal = os.path.join(directory, "plan"), os.path.join(directory, "refusal")
    for path, data in ((plan_path, plan.encode()), (refusal, b"")):
        with open(path, "xb") as file:
            file.write(data)
    facts = elf.read(PATH)
    libraries = {name: os.path.realpath(path) for name, path in elf.resolve_needed(PATH, {}).found.items()}
    box = replace(box, program=PATH, loader=os.path.realpath(facts.interpreter) if facts else "",
                  libraries=libraries, arguments=[plan_path], refusal=refusal)
    engine = subprocess.Popen(box.command(), stdin=stdin, stdout=stdout, stderr=stderr)
    status = engine.returncode = _wait(engine.pid, False)
    if status == REFUSED:
        with open(refusal, encoding="utf-8", errors="replace") as refused:
            raise NotPermitted("a sandbox cannot be made here", refused.read() or "the kernel does not say why",
                               "see: rex doctor; or replay without --sandbox what you trust")
    return _report(plan, status)


def _report(plan: Plan, status: int) -> Report:
    try:
        with open(plan.report, "rb") as report_file:
            report = Report.decode(report_file.read())
    except FileNotFoundError:
        report = Report()
    if status:
        _fail(report, status)
    return report


def _fail(report: Report, status: int) -> None:
    why = dict(problem.split(": ", 1) for problem in report.problems if ": " in problem)
    if "not_permitted" in why:
        raise NotPermitted("tracing is not permitted here", why["not_permitted"], "see: rex doctor")
    if "log_error" in why:
        raise OwnFailure("the log could not be written", why["log_error"], "free some space")
    how = f"exit status {status}" if status > 0 else signal.Signals(-status).name
    raise OwnFailure("the engine stopped before the program ended", why.get("died", how))


def _wait(engine: int, is_recording: bool) -> int:
    def ignore(_number: int, _frame: Any) -> None:
        pass

    def forward(number: int, _frame: Any) -> None:
        try:
            os.kill(engine, number)
        except ProcessLookupError:   # it has just ended
            pass

    saved: dict[int, Any] = {}
    handlers: dict[int, Callable[[int, Any], None]] = {}
    if is_recording:
        handlers = {signal.SIGINT: ignore, signal.SIGQUIT: ignore, signal.SIGTSTP: ignore,
                    signal.SIGTERM: forward, signal.SIGHUP: forward,
                    signal.SIGUSR1: forward, signal.SIGUSR2: forward}
    for number, handler in handlers.items():
        if signal.getsignal(number) is not signal.SIG_IGN:
            saved[number] = signal.signal(number, handler)
    try:
        while True:
            _, status = os.waitpid(engine, os.WUNTRACED)
            if not os.WIFSTOPPED(status):
                return os.waitstatus_to_exitcode(status)
            os.kill(os.getpid(), signal.SIGSTOP)   # go on with the engine, by SIGCONT to all
    except BaseException:
        os.kill(engine, signal.SIGKILL)   # its tracees go with it
        os.waitpid(engine, 0)
        raise
    finally:
        for number, handler in saved.items():
            signal.signal(number, handler)
