"""Runs a plan with rex-engine, the tracer written in C."""

from __future__ import annotations

import os
import signal
import threading

from rex import elf
from rex.errors import Damaged, NotPermitted, OwnFailure
from rex.hints import TYPE_CHECKING, Any, BinaryIO, Callable
from rex.hostfailure import advice, told_by
from rex.tracer.plan import DEVNULL, LIVE, RECORD, Plan, Report

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


def _write_beside(plan: Plan, name: str, data: bytes) -> str:
    """A new file in the run's private directory; its path."""
    path = os.path.join(os.path.dirname(plan.report), name)
    with open(path, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(data)
    return path


def _entrance(gate: int) -> Callable[[], None]:
    """What the engine of a live run does before it executes: only it inherits the gate, not one that another thread starts."""
    from rex.tracer import ipcspace
    enter = ipcspace.entrance()

    def entered() -> None:
        enter()
        if gate >= 0:
            os.set_inheritable(gate, True)

    return entered


class Started:
    """rex-engine at work on a plan; a live one in a sandbox, or with System V objects and message queues of its own."""

    def __init__(self, plan: Plan, stdin: int | None = None, stdout: int | None = None,
                 stderr: int | None = None, others: tuple[int, ...] = ()) -> None:
        """Use `rex.tracer.start` instead."""
        import subprocess   # it takes a while
        self._plan = plan
        self._box: Sandbox | None = None
        self._file: BinaryIO | None = None
        self.is_apart = True
        if plan.sandbox:
            self._box = _box_of(plan, plan.sandbox)
            self.process = subprocess.Popen(self._box.command(), stdin=stdin, stdout=stdout, stderr=stderr, pass_fds=others)
        elif plan.mode == LIVE:
            from rex.tracer import ipcspace
            where = _write_beside(plan, "plan", plan.encode())   # by a descriptor of ours nobody reads it in a user namespace
            self.process = subprocess.Popen([PATH, where], stdin=stdin, stdout=stdout, stderr=stderr, close_fds=False,
                                            preexec_fn=_entrance(plan.gate))
            self.is_apart = ipcspace.is_apart(self.process.pid)
        else:
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
        if self._file:
            self._file.close()
        if self._box:
            _check_made(self._box, status)
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
    box = _box_of(plan, box)
    engine = subprocess.Popen(box.command(), stdin=stdin, stdout=stdout, stderr=stderr)
    status = engine.returncode = _wait(engine.pid, False)
    _check_made(box, status)
    return _report(plan, status)


def _box_of(plan: Plan, box: Sandbox) -> Sandbox:
    """The sandbox with the engine in it, and the plan."""
    from dataclasses import replace
    facts = elf.read(PATH)
    libraries = {name: os.path.realpath(path) for name, path in elf.resolve_needed(PATH, {}).found.items()}
    loader = facts.interpreter if facts else ""      # none of an engine that is linked statically
    return replace(box, program=PATH, loader=os.path.realpath(loader) if loader else "", libraries=libraries,
                   arguments=[_write_beside(plan, "plan", plan.encode())], refusal=_write_beside(plan, "refusal", b""))


def _check_made(box: Sandbox, status: int) -> None:
    """Make sure that a sandbox, which ended with this status, could be made.

    Raises:
        NotPermitted: it could not.
    """
    from rex.tracer.sandbox import REFUSED
    if status == REFUSED:
        with open(box.refusal, encoding="utf-8", errors="replace") as refused:
            raise NotPermitted("a sandbox cannot be made here", refused.read() or "the kernel does not say why",
                               "see: rex doctor; or leave --sandbox out for what you trust")


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
        raise OwnFailure("the log could not be written", why["log_error"], advice(told_by(why["log_error"])) or "look at the disk")
    if "damaged" in why:
        raise Damaged("the log is damaged", why["damaged"], "get the archive again from where it comes from")
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
    if threading.current_thread() is not threading.main_thread():
        handlers = {}                     # only the main thread may have any
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
