"""Calls of two logs, process by process."""

from __future__ import annotations

import io
from pathlib import Path

from cli.builders import call
from rex.expdiff import calls
from rex.expdiff.calls import add_texts, compare_calls
from rex.expdiff.canonical import Canonical
from rex.expdiff.processes import match_tasks
from rex.log import Event, LogWriter
from rex.log.records import EXIT, IN, TASK


def log(*paths: bytes, children: int = 0) -> list[Event]:
    made = [Event(TASK, args=(2**32 - 1, 0, 0, 7, 7, 0))]
    made += [call("access", 0, (0, IN, path)) for path in paths]
    for number in range(1, children + 1):
        made += [Event(TASK, task=number, args=(0, number - 1, 17, 7 + number, 7 + number, number)),
                 Event(EXIT, task=number)]
    return made


def run(one: list[Event], two: list[Event], folder: Path) -> calls.Calls:
    left, right = Canonical("/w").read(one), Canonical("/w").read(two)
    found = compare_calls(left, right, match_tasks(left, right))
    files = []
    for name, events in (("l", one), ("r", two)):
        with LogWriter(folder / name) as writer:
            for event in events:
                writer.append(event)
        files.append((folder / name).read_bytes())
    add_texts(found, (lambda: io.BytesIO(files[0]), lambda: io.BytesIO(files[1])))
    return found


def test_the_same(tmp_path: Path) -> None:
    found = run(log(b"/a", b"/b", children=2), log(b"/a", b"/b", children=2), tmp_path)
    assert (found.in_step, found.compared, found.processes) == (4, 3, [])


def test_skipped_calls_with_their_text(tmp_path: Path) -> None:
    found = run(log(b"/a", b"/old", b"/b"), log(b"/a", b"/b", b"/c"), tmp_path)
    process, = found.processes
    assert (process.in_step, process.skipped_left, process.skipped_right, process.changed) == (2, 1, 1, 0)
    told = found.as_json()["processes"][0]["stretches"]
    assert told[0]["left"]["calls"] == [{"event": 2, "text": 'access("/old", F_OK) = 0'}]
    assert told[0]["right"]["count"] == 0 and told[1]["right"]["calls"][0]["event"] == 3


def test_another_outcome(tmp_path: Path) -> None:
    one, two = log(), log()
    one.append(call("readlink", 1, (0, IN, b"/x")))
    two.append(call("readlink", 2, (0, IN, b"/x")))
    process, = run(one, two, tmp_path).processes
    assert process.changed == 1 and process.stretches[0].is_changed


def test_processes_without_counterpart(tmp_path: Path) -> None:
    found = run(log(b"/a", children=1), log(b"/a", children=2), tmp_path)
    process, = found.processes
    assert (process.left, process.right, process.skipped_right) == (None, 2, 1)


def test_long_stretches_are_counted_not_kept(tmp_path: Path) -> None:
    found = run(log(*(b"/%d" % n for n in range(50))), log(), tmp_path)
    side = found.processes[0].stretches[0].left
    assert side.count == 50 and len(side.events) == calls.SHOWN and side.last == 50
