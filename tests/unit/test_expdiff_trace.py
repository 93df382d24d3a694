"""What a trace gathers."""

from __future__ import annotations

import hashlib

import pytest

from rex.expdiff import trace as traces
from rex.expdiff.trace import Exec, Task, Trace


def test_flows_hash_everything_and_keep_a_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "_HEAD_BYTES", 4)
    trace = Trace()
    for event, data in enumerate((b"abc", b"def", b"g")):
        trace.move(0, "read", "x", data, event)
    flow = trace.flows[0, "read", "x"]
    assert flow.sha256 == hashlib.sha256(b"abcdefg").hexdigest() and flow.event == 0
    assert (flow.size, flow.head, flow.is_whole) == (7, b"abcd", False)


def test_what_all_flows_keep_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "_HEADS_BYTES", 5)
    trace = Trace()
    for process in range(3):
        trace.move(process, "read", "x", b"abc", process)
    assert [flow.head for flow in trace.flows.values()] == [b"abc", b"ab", b""]


def test_names_of_tasks() -> None:
    trace = Trace()
    trace.tasks[0] = Task(0, execs=[Exec(1, "/bin/sh", ("sh",))])
    trace.tasks[1] = Task(1, 0, inherited="sh", leader=0)
    assert (trace.name(0), trace.name(1), trace.name(2)) == ("sh (task 0)", "sh (task 1)", "a process (task 2)")
    assert trace.tasks[1].is_thread and not trace.tasks[0].is_thread


def test_by_nature() -> None:
    trace, other = Trace(), Trace()
    for value in (1, 2):
        trace.by_nature("clock", value)
    for value in (2, 1):
        other.by_nature("clock", value)
    assert trace.nature["clock"].count == 2 and trace.nature["clock"].digest != other.nature["clock"].digest
