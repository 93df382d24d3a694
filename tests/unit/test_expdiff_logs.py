"""What two logs add to a comparison of experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.builders import Bench, call
from rex.archive import FileEntry, FileState
from rex.expdiff.compare import Side, compare
from rex.expdiff.difference import Comparison
from rex.log import Event
from rex.log.records import ARGV, EXIT, IN, OUT, RESOLVED, TASK


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A new archive."""
    return Bench(tmp_path / "A")


def events(*middle: Event, program: bytes = b"/usr/bin/tool") -> list[Event]:
    return [Event(TASK, args=(2**32 - 1, 0, 0, 500, 500, 0)),
            call("execve", 0, (0, IN, program), (0, RESOLVED, program), (1, ARGV, program + b"\0")),
            *middle, Event(EXIT)]


def opened(path: bytes, flags: int = 0, stream: int = 0) -> Event:
    return call("openat", 3, (1, IN, path), (1, RESOLVED, path), args=(2**64 - 100, 1, flags, 0, 0, 0), stream=stream)


def run(bench: Bench, one: dict[str, Any], two: dict[str, Any], depth: int = 1) -> Comparison:
    left, right = (Side(bench.archive, bench.record(**facts)) for facts in (one, two))
    return compare(left, right, depth)


def socket(data: bytes) -> list[Event]:
    return events(call("socket", 4, stream=4), call("recvfrom", len(data), (1, OUT, data), stream=4),
                  call("sendto", 2, (1, IN, b"hi"), stream=4))


def test_streams_are_inputs_and_outputs(bench: Bench) -> None:
    found = run(bench, {"events": socket(b"abc")}, {"events": socket(b"abd")}, 2)
    each, = found.components["inputs"]
    assert each.item == "socket, read by tool" and each.notes == ("content differs: 3 -> 3 bytes",)
    assert each.details["ranges"] == [[2, 3]] and not found.components["outputs"]
    only, = run(bench, {"events": socket(b"abc")}, {"events": events()}).components["outputs"]
    assert (only.item, only.kind) == ("socket, written by tool", "only_left")


def test_why_an_output_differs(bench: Bench) -> None:
    log = events(opened(b"/i"), opened(b"/o", 0o1101))
    found = run(bench, {"events": log, "inputs": {"/i": b"1"}, "outputs": {"/o": b"1"}},
                {"events": log, "inputs": {"/i": b"2"}, "outputs": {"/o": b"2"}})
    cause, = found.causes
    assert cause.sentence == ("/o: most probably because input /i differs (content differs: 1 -> 1 bytes); "
                              "tool (task 0) read it and wrote /o")
    assert found.as_json()["causes"][0]["item"] == "/i"


def test_why_when_the_command_differs(bench: Bench) -> None:
    log = events(opened(b"/o", 0o1101))
    found = run(bench, {"events": log, "outputs": {"/o": b"1"}, "command": ("tool", "1"), "exit_status": 0},
                {"events": log, "outputs": {"/o": b"2"}, "command": ("tool", "2"), "exit_status": 1})
    assert [cause.sentence for cause in found.causes] == [
        f"{what}: most probably because argument 1 is '1' in the first and '2' in the second; "
        f"tool (task 0) wrote {what}" for what in ("/o", "exit status")]


def test_programs_at_the_same_place(bench: Bench) -> None:
    one, two = ({"events": events(opened(b"/o", 0o1101), program=b"/bin/" + name), "outputs": {"/o": name},
                 "entries": {f"/bin/{name.decode()}": FileEntry(FileState("file", 0o755), roles=("apparatus",))}}
                for name in (b"blastn", b"blastp"))
    cause, = run(bench, one, two).causes
    assert cause.sentence.startswith("/o: most probably because /bin/blastn ran in the first and /bin/blastp in the second; ")


def test_what_is_overwritten_unread_is_no_input(bench: Bench) -> None:
    def changed(old: bytes) -> dict[str, Any]:
        return {"entries": {"/o": FileEntry(FileState("file", size=len(old)), FileState("file", size=9), True,
                                            ("input", "output"))}}
    unread, read = events(opened(b"/o", 0o1101)), events(opened(b"/o", 0o2001))
    found = run(bench, {**changed(b"1"), "events": unread}, {**changed(b"22"), "events": unread})
    assert found.is_same and "what was overwritten unread in 1 file (input)" in [d.item for d in found.by_nature]
    assert not run(bench, {**changed(b"1"), "events": read}, {**changed(b"22"), "events": read}).is_same


def test_temporary_files_that_are_left(bench: Bench) -> None:
    def left(name: bytes) -> dict[str, Any]:
        return {"events": events(opened(name, 0o302)), "outputs": {name.decode(): b"1"}}
    assert run(bench, left(b"/tmp/x.a8Bf93"), left(b"/tmp/x.qZ11xy")).is_same
    assert not run(bench, left(b"/tmp/sample01"), left(b"/tmp/sample02")).is_same


def test_programs_that_the_experiment_made(bench: Bench) -> None:
    def made(initial: FileState | None, size: int) -> dict[str, Any]:
        entry = FileEntry(initial, FileState("file", size=size), True, ("apparatus",))
        return {"entries": {"/prog": entry}, "events": events(opened(b"/prog", 0o1101), call(
            "execve", 0, (0, RESOLVED, b"/prog"), (1, ARGV, b"prog\0")))}
    assert run(bench, made(None, 9), made(FileState("file", size=7), 9)).is_same
    assert [each.item for each in run(bench, made(None, 9), made(None, 8)).components["apparatus"]] == ["/prog"]


def test_calls_are_told_and_never_decide(bench: Bench) -> None:
    one, two = events(opened(b"/a")), events(opened(b"/b"), call("clock_gettime", 0, (1, OUT, b"1")))
    found = run(bench, {"events": one}, {"events": two}, 3)
    assert found.is_same and found.calls and found.calls.processes[0].skipped_left == 1
    assert ("clock and timers", 0, 1) in [(d.item, d.left, d.right) for d in found.by_nature]
    assert found.as_json()["calls"]["processes"][0]["stretches_count"] == 1
    assert "calls" not in run(bench, {"events": one}, {"events": two}).as_json()
