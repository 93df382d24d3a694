"""What all tests share: whether programs can be traced here."""

from __future__ import annotations

import ctypes
import functools
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

_PTRACE_SEIZE = 0x4206
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):     # in a shell's background, or by nohup: all that we start would inherit it
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)
# A busy machine is no fault.  The same examples each time, so that a change is judged by itself; a campaign tries others.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="REX_CAMPAIGN" not in os.environ)
settings.load_profile("suite")
NO_PTRACE = "this system does not permit ptrace: guests were not run"


@functools.cache
def may_trace() -> bool:
    """Whether a process may trace its child."""
    libc = ctypes.CDLL(None, use_errno=True)
    child = os.fork()
    if child == 0:
        signal.pause()
        os._exit(0)
    try:
        return libc.ptrace(_PTRACE_SEIZE, child, None, None) == 0
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


@pytest.fixture
def tracing() -> None:
    """Skip a test that traces, with the reason, where that is not permitted."""
    if not may_trace():
        pytest.skip(NO_PTRACE)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say at the end what could not be tested here."""
    skipped = terminalreporter.stats.get("skipped", [])
    count = sum(NO_PTRACE in str(report.longrepr) for report in skipped)
    if count:
        terminalreporter.write_line(f"{count} tests skipped: {NO_PTRACE}")
