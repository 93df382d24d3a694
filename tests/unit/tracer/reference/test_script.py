"""The log's index: matching by key, children, order between processes."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from rex.errors import Damaged
from rex.log import Event, LogWriter
from rex.log.records import EXIT, IN, NO_ARG, NO_TASK, OUT, RESOLVED, SIGNAL, TASK
from rex.syscalls import BY_NAME
from rex.tracer.reference.script import Log, describe

NR = {name: BY_NAME[name].nr for name in ("openat", "getpid", "write", "unlink", "clock_gettime")}
CREATE = (0, 0, 0o101, 0, 0, 0)


def birth(task: int, parent: int, ordinal: int, process: int) -> Event:
    return Event(TASK, task, args=(parent, ordinal, 0, 100 + task, process, 0))


def opened(task: int, path: bytes, args: tuple[int, ...] = (0,) * 6) -> Event:
    return Event(NR["openat"], task, 3, args, ((1, IN, path), (1, RESOLVED, b"/" + path)))


def load(tmp_path: Path, *events: Event) -> Log:
    with LogWriter(tmp_path / "log") as writer:
        for event in events:
            writer.append(event)
    return Log(str(tmp_path / "log"))


def test_calls_are_found_by_path_in_any_order(tmp_path: Path) -> None:
    log = load(tmp_path, birth(0, NO_TASK, 0, 100), opened(0, b"a"), opened(0, b"b"), opened(0, b"a"))
    script = log.script(0)
    first, b, second = script.entries
    key_a, key_b = (NR["openat"], (b"a", 0)), (NR["openat"], (b"b", 0))
    assert script.find(key_b) is b
    b.is_done = True
    assert script.find(key_b) is None and script.last(key_b) is b
    assert script.next() is script.find(key_a) is first
    first.is_done = True
    assert script.next() is script.find(key_a) is second
    assert script.after(first) is second and script.after(second) is None


def test_children_by_ordinal(tmp_path: Path) -> None:
    log = load(tmp_path, birth(0, NO_TASK, 0, 100), birth(1, 0, 0, 101), birth(2, 0, 1, 102))
    assert [log.child(0, ordinal) for ordinal in range(3)] == [log.script(1), log.script(2), None]
    assert log.script(2).tid == 102 and not log.has_threads


def test_threads_are_seen(tmp_path: Path) -> None:
    assert load(tmp_path, birth(0, NO_TASK, 0, 100), birth(1, 0, 0, 100)).has_threads


def test_a_task_needs_its_birth(tmp_path: Path) -> None:
    with pytest.raises(Damaged, match="never born"):
        load(tmp_path, birth(0, NO_TASK, 0, 100), opened(5, b"a"))


def test_processes_keep_the_order_of_what_others_see(tmp_path: Path) -> None:
    log = load(tmp_path, birth(0, NO_TASK, 0, 100), birth(1, 0, 0, 101),
               opened(0, b"f", CREATE), opened(1, b"f"), opened(1, b"other"), Event(EXIT, 0))
    made, read, other = log.script(0).entries[0], *log.script(1).entries
    assert log.changed == {b"/f"}
    assert (made.is_ordered, read.is_ordered, other.is_ordered) == (True, True, False)
    assert log.is_turn(made) and log.is_turn(other) and not log.is_turn(read)
    made.is_done = True
    assert log.is_turn(read)
    ending = log.script(0).exit
    assert ending and ending.is_ordered and not log.is_turn(ending)


def test_signals(tmp_path: Path) -> None:
    def signal(number: int, code: int) -> Event:
        info = struct.pack("<iii", number, 0, code).ljust(128, b"\0")
        return Event(SIGNAL, 0, args=(number, 0, 0, 0, 0, 0), fields=((NO_ARG, OUT, info),))

    log = load(tmp_path, birth(0, NO_TASK, 0, 100), signal(17, 1), signal(11, 1), signal(11, 0),
               Event(NR["getpid"], 0))
    assert [e.is_asynchronous for e in log.script(0).entries] == [True, False, True, False]
    assert [e.signal for e in log.script(0).entries] == [17, 11, 11, 0]


def test_events_in_words(tmp_path: Path) -> None:
    log = load(tmp_path, birth(0, NO_TASK, 0, 100), opened(0, b"a"), Event(NR["getpid"], 0), Event(SIGNAL, 0))
    assert [describe(e) for e in log.script(0).entries] == ['openat "a"', "getpid", "signal"]
    assert describe(None) == "nothing more"
