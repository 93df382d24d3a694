"""The engine as a whole, on plans of its own: status, streams, and what an error leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rex.log import LogReader
from rex.log.records import EXIT, TASK
from rex.tracer.plan import RECORD, Plan, Report
from rex.tracer.reference import run
from rex.tracer.reference.record import Recorder


def plan_of(tmp_path: Path, *args: str) -> Plan:
    return Plan(RECORD, str(tmp_path / "log"), os.fsencode(args[0]), [os.fsencode(a) for a in args],
                [b"PATH=/usr/bin:/bin"], report=str(tmp_path / "report"))


def record(tmp_path: Path, script: str) -> tuple[Report, bytes]:
    with open(tmp_path / "out", "w+b") as out:
        report = run(plan_of(tmp_path, "/bin/sh", "-c", script), subprocess.DEVNULL, out.fileno(), out.fileno())
        out.seek(0)
        return report, out.read()


def children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def test_status_and_streams(tmp_path: Path) -> None:
    report, output = record(tmp_path, "echo one; echo two >&2; exit 7")
    assert (os.waitstatus_to_exitcode(report.status), output) == (7, b"one\ntwo\n")
    assert report.events and report.duration_ns and not report.problems
    with LogReader(tmp_path / "log") as log:
        events = list(log)
    assert log.is_finished and log.count == len(events) == report.events
    assert events[0].call == TASK and events[-1].call == EXIT and events[-1].result == 7 << 8


def test_swapped_streams(tmp_path: Path) -> None:
    """Places may be sources: run in a process of its own, whose standard streams are given crosswise."""
    code = ("import sys; from rex.tracer.plan import Plan; from rex.tracer.reference import run\n"
            f"run(Plan('record', {str(tmp_path / 'log')!r}, b'/bin/sh', [b'sh', b'-c', b'echo o; echo e >&2'],"
            " [], ''), 0, 2, 1)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, stdin=subprocess.DEVNULL,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert (done.stdout, done.stderr) == (b"e\n", b"o\n")


def test_a_killed_program(tmp_path: Path) -> None:
    report, _ = record(tmp_path, "kill -9 $$")
    assert os.WTERMSIG(report.status) == signal.SIGKILL


@pytest.mark.parametrize(("program", "code"), [("/no/such", 127), ("/etc/passwd", 126)])
def test_not_a_program(tmp_path: Path, program: str, code: int) -> None:
    assert os.waitstatus_to_exitcode(run(plan_of(tmp_path, program)).status) == code


def test_ignored_signals_are_not_inherited(tmp_path: Path) -> None:
    question = "grep -E 'Sig(Blk|Ign)' /proc/self/status"
    _, output = record(tmp_path, question)
    plain = subprocess.run(["sh", "-c", question], capture_output=True, text=True, check=True).stdout
    assert output == plain.encode()


@pytest.mark.parametrize("stop", [1, 40])
def test_an_error_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int) -> None:
    def handlers() -> list[object]:
        return [signal.getsignal(number) for number in range(1, 32)]

    before, seen = (handlers(), signal.pthread_sigmask(signal.SIG_BLOCK, ())), 0

    def failing(recorder: Recorder) -> None:
        nonlocal seen
        seen += 1
        if seen == stop:
            raise RuntimeError("as if interrupted")

    monkeypatch.setattr(Recorder, "settle", failing)
    known = children()
    with pytest.raises(RuntimeError):
        record(tmp_path, "sleep 100 & sleep 101 & (sleep 102; true) & wait")
    assert children() == known
    assert (handlers(), signal.pthread_sigmask(signal.SIG_BLOCK, ())) == before
    with LogReader(tmp_path / "log") as log:
        assert not log.is_finished
