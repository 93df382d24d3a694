"""The first tracee: a fork of this process that waits to be seized and then executes."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import subprocess
from typing import Callable

from rex.tracer.plan import Plan
from rex.tracer.reference import kernel
from rex.tracer.reference.filter import Filter

_FAILED, _NOT_EXECUTABLE, _NOT_FOUND = 125, 126, 127
_ENOENT = 2
_ABOVE_STANDARD = 10


class Standard:
    """The tracee's standard streams as our descriptors; use as a context manager."""

    def __init__(self, stdin: int | None, stdout: int | None, stderr: int | None) -> None:
        self._null = -1
        self.fds = [number if given is None else self._open_null() if given == subprocess.DEVNULL else given
                    for number, given in enumerate((stdin, stdout, stderr))]

    def _open_null(self) -> int:
        if self._null < 0:
            self._null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        return self._null

    def __enter__(self) -> "Standard":
        return self

    def __exit__(self, *_: object) -> None:
        if self._null >= 0:
            os.close(self._null)

    def source(self, fd: int) -> int:
        """Our descriptor behind the tracee's."""
        return self.fds[fd] if fd < len(self.fds) else fd

    def install(self) -> None:
        """In the tracee: put each in its place; copies first, as places may be sources."""
        copies = []
        for number, fd in enumerate(self.fds):
            if fd != number:
                copies.append((fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _ABOVE_STANDARD), number))
        for copy, number in copies:
            os.dup2(copy, number)


class Spawned:
    """A tracee that waits at its gate: seize it, then `open_gate`."""

    def __init__(self, plan: Plan, standard: Standard, become: Callable[[], None]) -> None:
        """Fork. All that needs memory is made before, as little as can be is done after."""
        self._plan, self._standard, self._become = plan, standard, become
        self._filter = Filter()
        self._args, self._env = kernel.string_array(plan.args), kernel.string_array(plan.env)
        wait_end, self._gate = os.pipe2(os.O_CLOEXEC)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self._gate)
                self._run(wait_end)
            finally:
                os._exit(_FAILED)
        os.close(wait_end)

    def open_gate(self) -> None:
        """Let it go on to its exec."""
        os.write(self._gate, b"\0")
        self.close()

    def close(self) -> None:
        """If the gate was not opened, the tracee gives up."""
        if self._gate >= 0:
            os.close(self._gate)
            self._gate = -1

    def _run(self, gate: int) -> None:
        plan = self._plan
        if not os.read(gate, 1):
            os._exit(_FAILED)
        os.close(gate)
        self._standard.install()
        self._become()
        if plan.umask is not None:
            os.umask(plan.umask)
        if plan.cwd:
            os.chdir(plan.cwd)
        for number, pair in plan.limits.items():
            resource.setrlimit(number, pair)
        # Handlers go with the exec; what Python ignores for itself does not.
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        kernel.make_predictable()
        if kernel.install_filter(self._filter.program):
            error = kernel.execute(plan.program, self._args, self._env)
            os._exit(_NOT_FOUND if error == _ENOENT else _NOT_EXECUTABLE)
