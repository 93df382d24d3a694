"""The new experiments of this server: they live here and not in any page, so closing one loses nothing."""

from __future__ import annotations

import asyncio
import os
import secrets
import selectors
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable

from rex.errors import Conflicts, RexError
from rex.text import command_text
from rex.web.jobs import Job
from rex.web.spool import Spool

if TYPE_CHECKING:
    from rex.runnew import Run as LiveRun
    from rex.runnew import RunOutcome, RunPlan
    from rex.web.jobs import LiveJob
    from rex.web.services import Services

STARTING, RUNNING, ENDING, FINISHED, CANCELLED, FAILED = (
    "starting", "running", "ending", "finished", "cancelled", "failed")
OVER = (FINISHED, CANCELLED, FAILED)
STDOUT, STDERR = 1, 2
_READ_BYTES = 1 << 16
_LINGER_S = 2.0    # for what is still in the pipes after the program's end


@dataclass
class NewRun:
    """One new experiment, from the moment that somebody asked for it.

    Attributes:
        changes: every change in words.
        spool: what it wrote so far.
        outcome: once it is over, if it got that far.
        problem: why it failed.
    """

    key: str
    plan: "RunPlan | Job"
    changes: list[str]
    spool: Spool
    state: str = STARTING
    started_s: float = field(default_factory=time.monotonic)
    started_at: float = field(default_factory=time.time)
    ended_s: float | None = None
    outcome: "RunOutcome | None" = None
    problem: str = ""
    live: "LiveRun | LiveJob | None" = None
    is_cancel_wanted: bool = False
    _listeners: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def parent(self) -> str:
        """Name of the experiment that it was made from."""
        return self.plan.experiment.name

    @property
    def job(self) -> Job | None:
        """The command of Rex that it is; None: it is a new experiment."""
        return self.plan if isinstance(self.plan, Job) else None

    @property
    def verdict(self) -> str:
        """What the end of a command of Rex means; "" for a new experiment."""
        return self.job.verdicts.get(self.exit_code or 0, "It failed: the output says why.") if self.job else ""

    @property
    def command_text(self) -> str:
        """Its command as one would type it."""
        return command_text(self.plan.command)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self.state in OVER

    @property
    def elapsed_s(self) -> float:
        """How long it has run, or did."""
        return (time.monotonic() if self.ended_s is None else self.ended_s) - self.started_s

    @property
    def exit_code(self) -> int | None:
        """The program's exit status, minus the signal that ended it."""
        return os.waitstatus_to_exitcode(self.outcome.status) if self.outcome else None

    def listen(self) -> asyncio.Event:
        """An event of the running loop that is set whenever there is news."""
        event = asyncio.Event()
        with self._lock:
            self._listeners.add((asyncio.get_running_loop(), event))
        return event

    def forget(self, event: asyncio.Event) -> None:
        """Set that event no more."""
        with self._lock:
            self._listeners = {each for each in self._listeners if each[1] is not event}

    def tell(self) -> None:
        """There is news."""
        with self._lock:
            for loop, event in self._listeners:
                try:
                    loop.call_soon_threadsafe(event.set)
                except RuntimeError:   # the server is closing
                    continue

    def cancel(self) -> None:
        """End the program and all its descendants, now or as soon as it starts."""
        with self._lock:
            self.is_cancel_wanted = True
            live = self.live
        if live and not self.is_over:
            live.cancel()


class Runs:
    """All runs of this server."""

    def __init__(self, services: "Services") -> None:
        self._services = services
        self._folder = tempfile.TemporaryDirectory(prefix="rex-runs-")
        self._runs: dict[str, NewRun] = {}
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def all(self) -> list[NewRun]:
        """Every run, the newest first."""
        return list(reversed(self._runs.values()))

    def get(self, key: str) -> NewRun | None:
        """The run with that key."""
        return self._runs.get(key)

    @property
    def folder(self) -> str:
        """A folder that goes when the server ends."""
        return self._folder.name

    def begin(self, plan: "RunPlan | Job", start: Callable[..., Any] | None = None) -> NewRun:
        """Run a plan; returns at once.

        Args:
            start: what starts it; the service for new experiments if not given.

        Raises:
            Conflicts: another run writes into its output directory.
        """
        key = secrets.token_hex(4)
        run = NewRun(key, plan, plan.describe(), Spool(os.path.join(self._folder.name, key)))
        with self._lock:
            if plan.outdir and any(each.plan.outdir == plan.outdir and not each.is_over for each in self._runs.values()):
                raise Conflicts([f"another run writes into {plan.outdir}: choose another output directory"])
            self._runs[key] = run
        thread = threading.Thread(target=self._run, args=(run, start or self._services.start), name=f"run-{key}")
        self._threads.append(thread)
        thread.start()
        return run

    def close(self) -> None:
        """End what still runs, and remove what was kept of its output."""
        for run in self._runs.values():
            run.cancel()
        for thread in self._threads:
            thread.join()
        self._folder.cleanup()

    def _run(self, run: NewRun, start: Callable[..., Any]) -> None:
        state = FAILED
        try:
            run.outcome = self._watch(run, start)
            state = CANCELLED if run.outcome.is_cancelled else FINISHED
        except RexError as error:
            run.problem = str(error)
        except OSError as error:
            run.problem = f"the system refused: {error.strerror or error}"
        except Exception as error:   # our own bug, or a service's: the page says so instead of waiting for ever
            run.problem = f"Rex failed: {type(error).__name__}: {error}"
        finally:
            if state == FAILED and run.is_cancel_wanted:
                state = CANCELLED
            run.ended_s = time.monotonic()
            run.state = state
            run.tell()

    def _watch(self, run: NewRun, start: Callable[..., Any]) -> "RunOutcome":
        pipes = [os.pipe2(os.O_CLOEXEC) for _ in (STDOUT, STDERR)]
        pump = threading.Thread(target=_pump, args=(run, [read for read, _ in pipes]), name=f"output-{run.key}")
        try:
            live = start(run.plan, stdin=subprocess.DEVNULL, stdout=pipes[0][1], stderr=pipes[1][1])
        except BaseException:
            for read, _ in pipes:
                os.close(read)
            raise
        finally:
            for _, write in pipes:
                os.close(write)
        pump.start()
        with run._lock:
            run.live = live
            run.state = RUNNING
        run.tell()
        if run.is_cancel_wanted:   # somebody was faster than the start
            live.cancel()
        try:
            outcome: "RunOutcome" = live.wait()
            return outcome
        finally:
            pump.join(_LINGER_S)   # somebody whom the program left behind may hold the pipe for ever


def _pump(run: NewRun, descriptors: list[int]) -> None:
    """From the pipes into the spool, until both are closed."""
    with selectors.DefaultSelector() as selector:
        for stream, fd in zip((STDOUT, STDERR), descriptors):
            selector.register(fd, selectors.EVENT_READ, stream)
        while selector.get_map():
            for key, _ in selector.select():
                data = os.read(key.fd, _READ_BYTES)
                if data:
                    run.spool.append(key.data, data)
                else:
                    selector.unregister(key.fd)
                    os.close(key.fd)
            run.tell()
    run.spool.finish()
