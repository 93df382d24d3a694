"""Which event answers a call, and when: rows of match_rules and gates, on hand-written logs without tracees."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path
from typing import Callable

import pytest
from engine_rules import THREAD, Rules, born, build, event
from rex.log.records import IN, OUT, RESOLVED, SIGNAL, Event

WHOLE = 255                  # a field of the call as a whole
ALONE = [born(0, 100)]
THREADS = [born(0, 100), born(1, 101, 0, 0, THREAD, 100)]
PROCESSES = [born(0, 100), born(1, 101, 0)]
SIGUSR1 = 10
Loaded = Callable[..., Rules]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    return build(tmp_path_factory.mktemp("rules"))


@pytest.fixture
def loaded(program: Path, tmp_path: Path) -> Loaded:
    return lambda events, **options: Rules(program, tmp_path, events, **options)


def asked(name: str, task: int, path: bytes, result: int = 0) -> Event:
    return event(name, task, result=result, fields=[(0, IN, path)])


def changed(name: str, task: int, path: bytes) -> Event:
    return event(name, task, fields=[(0, IN, path), (WHOLE, RESOLVED, path)])


def time_told(task: int, clock: int, at: int) -> Event:
    return event("clock_gettime", task, clock, 0x7000, fields=[(1, OUT, struct.pack("<qq", at, 0))])


def facts(signal: int, sender: int) -> bytes:
    return struct.pack("<iiiiii", signal, 0, 0, 0, sender, 0) + bytes(104)


def test_the_first_equal_event_that_is_left_answers(loaded: Loaded) -> None:
    with loaded([*ALONE, asked("access", 0, b"/a"), asked("access", 0, b"/b"), asked("access", 0, b"/a", -2)]) as rules:
        rules.tasks(0)
        assert rules.call(0, "access", path="/a") == (1, "next-in-queue")
        rules.done(1)
        assert rules.call(0, "access", path="/b") == (2, "next-in-queue")
        rules.done(2)
        assert rules.call(0, "access", path="/a") == (3, "next-in-queue")
        assert rules.call(0, "access", path="/c") == (None, "-")


def test_each_clock_has_a_queue_of_its_own(loaded: Loaded) -> None:
    with loaded([*ALONE, time_told(0, 1, 5), time_told(0, 0, 9)]) as rules:
        rules.tasks(0)
        assert rules.call(0, "clock_gettime", 0, 0x7000) == (2, "next-in-queue")
        assert rules.call(0, "clock_gettime", 1, 0x7000) == (1, "next-in-queue")


def test_a_process_has_only_its_own_events(loaded: Loaded) -> None:
    with loaded([*PROCESSES, asked("access", 1, b"/a")]) as rules:
        rules.tasks(0, 1)
        assert rules.call(0, "access", path="/a") == (None, "-")
        assert rules.call(1, "access", path="/a") == (2, "next-in-queue")


def test_a_thread_may_do_what_a_sibling_did(loaded: Loaded) -> None:
    with loaded([*THREADS, asked("access", 1, b"/a")]) as rules:
        rules.tasks(0, 1)
        assert rules.call(0, "access", path="/a") == (2, "sibling")


def test_without_its_row_a_sibling_is_not_asked(loaded: Loaded) -> None:
    with loaded([*THREADS, asked("access", 1, b"/a")], without=["sibling"]) as rules:
        rules.tasks(0, 1)
        assert rules.call(0, "access", path="/a") == (None, "-")


def test_a_thread_has_its_own_reading_of_a_clock(loaded: Loaded) -> None:
    with loaded([*THREADS, time_told(0, 1, 1), time_told(1, 1, 2)]) as rules:
        rules.tasks(0, 1)
        assert rules.call(1, "clock_gettime", 1, 0x7000) == (3, "clock-by-caller")
        assert rules.call(0, "clock_gettime", 1, 0x7000) == (2, "clock-by-caller")


def test_a_thread_has_the_time_of_day_of_the_call_site(loaded: Loaded) -> None:
    told = [event("gettimeofday", 0, at, fields=[(0, OUT, struct.pack("<qq", n, 0))]) for n, at in enumerate((0x7000, 0x7900))]
    with loaded([*THREADS, *told]) as rules:
        rules.tasks(0, 1)
        assert rules.call(0, "gettimeofday", 0x7900) == (3, "reading-by-call-site")
        assert rules.call(0, "gettimeofday", 0x7000) == (2, "reading-by-call-site")


def test_changes_of_one_file_keep_their_order_between_processes(loaded: Loaded) -> None:
    with loaded([*PROCESSES, changed("mkdir", 0, b"/w/a"), changed("rmdir", 1, b"/w/a")]) as rules:
        rules.tasks(0, 1)
        assert rules.call(1, "rmdir", path="/w/a") == (3, "next-in-queue")
        assert rules.may(1, 3) == "order"
        rules.done(2)
        assert rules.may(1, 3) == ""


def test_without_its_gate_the_order_is_not_kept(loaded: Loaded) -> None:
    with loaded([*PROCESSES, changed("mkdir", 0, b"/w/a"), changed("rmdir", 1, b"/w/a")], without=["order"]) as rules:
        rules.tasks(0, 1)
        assert rules.may(1, 3) == ""


def test_what_a_signal_ended_waits_until_it_was_sent(loaded: Loaded) -> None:
    signal = Event(SIGNAL, 0, args=(SIGUSR1, 0, 0, 0, 0, 0), fields=((WHOLE, OUT, facts(SIGUSR1, 101)),))
    with loaded([*PROCESSES, event("kill", 1, 100, SIGUSR1), event("nanosleep", 0, 0x7000, result=-4), signal]) as rules:
        rules.tasks(0, 1)
        assert rules.call(0, "nanosleep", 0x7000) == (3, "next-in-queue")
        assert rules.may(0, 3) == "interrupting-signal"


def test_a_wait_for_a_signal_ends_once_it_was_sent(loaded: Loaded) -> None:
    wait = event("rt_sigtimedwait", 0, 0x7000, 0x7100, 0, 8, result=SIGUSR1, fields=[(1, OUT, facts(SIGUSR1, 101))])
    with loaded([*PROCESSES, event("kill", 1, 100, SIGUSR1), wait]) as rules:
        rules.tasks(0, 1)
        assert rules.call(0, "rt_sigtimedwait", 0x7000, 0x7100, 0, 8) == (3, "next-in-queue")
        assert rules.may(0, 3) == "sigwait-sent"


def test_an_engine_that_stays_in_one_step_ends(loaded: Loaded) -> None:
    with loaded(ALONE) as rules:
        assert rules.ticks(9)
        assert not rules.ticks(5)
        assert rules.report() == "died=the log keeps the replay busy without an end; rex check tells whether it is damaged\0"


@pytest.mark.stress      # it takes the processor time that ends it
def test_a_step_without_an_end_is_ended(loaded: Loaded) -> None:
    with loaded(ALONE) as rules:
        rules.loop()
        assert "died=the log keeps the replay busy" in rules.report()
