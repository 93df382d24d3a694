"""Which event answers a call, and when: rows of match_rules and gates, on hand-written logs without tracees."""

from __future__ import annotations

import os
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from engine_rules import (
    ALONE, MEMORY_AT, PROCESSES, SIGUSR1, THREAD, THREADS, WHOLE, Loaded, Rules, args, asked, born, changed, event, facts,
    opened, received, sent, signalled, time_told, written)
from rex.log.records import IN, OUT, PIPE, SHARED, STAT, Event, Moment

FLOCK = 73
ANY_CHILD = 2**32 - 1
PART_CONTROL = 48            # of a field: see log/log.h


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
    with loaded([*PROCESSES, event("kill", 1, 100, SIGUSR1), event("nanosleep", 0, 0x7000, result=-4), signalled(0, 101)]) as rules:
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
def test_a_child_that_a_pool_makes_is_of_the_call_that_made_it(loaded: Loaded) -> None:
    with loaded([*THREADS, born(2, 200, 0, 1), event("fork", 0, result=200)]) as rules:
        rules.tasks(0, 1)
        assert rules.call(1, "fork") == (3, "pool-child")


def test_the_end_of_another_child_is_no_answer(loaded: Loaded) -> None:
    log = [*THREADS, born(2, 200, 0, 1), born(3, 201, 0, 2), event("wait4", 0, 201, result=201)]
    with loaded(log) as rules:
        rules.tasks(0, 1)
        assert rules.call(0, "wait4", 200) == (None, "-")
        assert rules.call(0, "wait4", 201) == (4, "pool-child")


def test_a_look_that_found_no_end_is_no_answer_to_a_wait(loaded: Loaded) -> None:
    log = [*THREADS, born(2, 200, 0, 1), event("wait4", 0, 200, 0, os.WNOHANG), event("wait4", 0, ANY_CHILD, result=200)]
    with loaded(log) as rules:
        rules.tasks(0, 1)
        assert rules.call(0, "wait4", ANY_CHILD) == (4, "next-in-queue")
        assert rules.call(0, "wait4", 200) == (None, "-")
        assert rules.call(0, "wait4", 200, 0, os.WNOHANG) == (3, "pool-child")


def test_facts_of_a_descriptor_are_found_whatever_its_number_is(loaded: Loaded) -> None:
    with loaded([*THREADS, event("newfstatat", 0, 5, 0, 0, 0x1000, fields=[(1, IN, b"")])]) as rules:
        rules.tasks(0, 1)
        assert rules.call(0, "newfstatat", 7, 0, 0, 0x1000, path="") == (2, "stat-of-descriptor")


def test_a_child_without_a_name_has_what_any_of_its_like_had(loaded: Loaded) -> None:
    log = [*THREADS, born(2, 200, 0, 1), born(3, 201, 0, 2), asked("chdir", 3, b"/w"), event("execve", 3)]
    with loaded(log) as rules:
        rules.tasks(0, 1, 2)
        assert rules.call(2, "chdir", path="/w") == (None, "-")
        rules.has_state(2, "nameless")
        assert rules.call(2, "chdir", path="/w") == (4, "child-to-be")


def test_what_is_written_tells_whose_output_it_is(loaded: Loaded) -> None:
    with loaded([*THREADS, written(0, b"aaa"), written(1, b"bbb")]) as rules:
        rules.tasks(0, 1)
        rules.put(MEMORY_AT, b"bbb")
        assert rules.call(0, "write", 1, MEMORY_AT, 3, stream=2) == (3, "output-by-content")


def test_what_arrives_first_is_received_first_by_any_thread(loaded: Loaded) -> None:
    with loaded([*THREADS, event("socket", 0, 2, 1, result=5, stream=7), received(0), received(1)]) as rules:
        rules.tasks(0, 1)
        assert rules.call(1, "recvfrom", 5, MEMORY_AT, 8, stream=7) == (3, "arrived-first")


def test_a_reading_once_more_than_recorded_takes_none(loaded: Loaded) -> None:
    log = [*PROCESSES, time_told(0, 1, 5, 0x7000), time_told(0, 1, 6, 0x7100)]
    with loaded(log) as rules:
        rules.tasks(0, 1)
        rules.done(2)
        assert rules.call(0, "clock_gettime", 1, 0x7000) == (None, "-")
        assert rules.call(0, "clock_gettime", 1, 0x7100) == (3, "next-in-queue")


def test_without_its_row_an_extra_reading_takes_the_next(loaded: Loaded) -> None:
    with loaded([*PROCESSES, time_told(0, 1, 5, 0x7000), time_told(0, 1, 6, 0x7100)], without=["extra-reading"]) as rules:
        rules.tasks(0, 1)
        rules.done(2)
        assert rules.call(0, "clock_gettime", 1, 0x7000) == (3, "next-in-queue")


def test_processes_read_a_pipe_in_turn(loaded: Loaded) -> None:
    with loaded([*PROCESSES, Event(PIPE, 0, 4, args(0, 5, 77)), Event(PIPE, 1, 4, args(0, 5, 77))]) as rules:
        rules.tasks(0, 1)
        assert rules.may(1, 3) == "pipe-bytes"
        rules.done(2)
        assert rules.may(1, 3) == ""


def test_a_lock_is_had_after_those_that_had_it_before(loaded: Loaded) -> None:
    with loaded([*PROCESSES, *(Event(SHARED, task, args=args(FLOCK, 5, 77, 1, 2)) for task in (0, 1))]) as rules:
        rules.tasks(0, 1)
        assert rules.may(1, 3) == "lock"
        rules.done(2)
        assert rules.may(1, 3) == ""


def test_an_answer_arrives_after_its_request(loaded: Loaded) -> None:
    with loaded([*THREADS, event("socket", 0, 2, 1, result=5, stream=7), sent(0), received(1)]) as rules:
        rules.tasks(0, 1)
        assert rules.may(1, 4) == "arrival"
        rules.done(3)
        assert rules.may(1, 4) == ""


def test_a_descriptor_is_received_after_it_was_passed(loaded: Loaded) -> None:
    passed = [event(name, task, fields=[(1 | PART_CONTROL, STAT, bytes(144))]) for task, name in enumerate(("sendmsg", "recvmsg"))]
    with loaded([*PROCESSES, *passed]) as rules:
        rules.tasks(0, 1)
        assert rules.may(1, 3) == "sender"
        rules.done(2)
        assert rules.may(1, 3) == ""


def test_a_file_is_read_after_its_writer_has_come_as_far(loaded: Loaded) -> None:
    log = [*PROCESSES, opened(0, os.O_CREAT | os.O_WRONLY), asked("chdir", 0, b"/"), opened(1, os.O_RDONLY)]
    with loaded(log) as rules:
        rules.tasks(0, 1)
        rules.done(2)
        assert rules.may(1, 4) == "read-after-write"
        rules.done(3)
        assert rules.may(1, 4) == ""


def test_a_file_is_opened_once_another_has_written_and_closed_it(loaded: Loaded) -> None:
    appends = os.O_CREAT | os.O_WRONLY | os.O_APPEND
    with loaded([*PROCESSES, opened(0, appends), opened(1, appends)]) as rules:
        rules.tasks(0, 1)
        rules.done(2)
        rules.has(0, 0, 0xC0000001)          # the first file of those that several write
        assert rules.may(1, 3) == "shared-open"
        rules.has(0, 0, 0)
        assert rules.may(1, 3) == ""


def test_a_sleep_ends_after_a_signal_that_another_waits_for(loaded: Loaded) -> None:
    log = [*PROCESSES, event("kill", 1, 100, SIGUSR1), signalled(0, 101, Moment.IN_UNSEEN_CALL), event("nanosleep", 1, 0x7000)]
    with loaded(log) as rules:
        rules.tasks(0, 1)
        rules.enter(1, "kill", 100, SIGUSR1)
        assert rules.may(1, 4) == "sleep-over"
        rules.done(3)
        assert rules.may(1, 4) == ""


def test_a_process_ends_after_its_threads_have_written(loaded: Loaded) -> None:
    with loaded([*THREADS, written(1, b"aaa"), event("exit_group", 0)]) as rules:
        rules.tasks(0, 1)
        assert rules.may(0, 3) == "output-before-exit"
        rules.done(2)
        assert rules.may(0, 3) == ""


def test_a_sleep_that_kept_an_order_lasts_while_others_work(loaded: Loaded) -> None:
    with loaded([*PROCESSES, replace(event("nanosleep", 0, 0x7000), time_ns=10**12)]) as rules:
        rules.tasks(0, 1)
        rules.has_state(1, "beginning")
        assert rules.may(0, 2) == "ordering-sleep"


def test_without_its_gate_a_sleep_is_over_at_once(loaded: Loaded) -> None:
    log = [*PROCESSES, replace(event("nanosleep", 0, 0x7000), time_ns=10**12)]
    with loaded(log, without=["ordering-sleep"]) as rules:
        rules.tasks(0, 1)
        rules.has_state(1, "beginning")
        assert rules.may(0, 2) == ""


def test_a_handler_in_a_resting_thread_keeps_the_order(loaded: Loaded) -> None:
    log = [*THREADS, born(2, 200, 0, 1), asked("access", 1, b"/a"), asked("access", 0, b"/b"), signalled(1, 200, Moment.IN_UNSEEN_CALL)]
    with loaded(log) as rules:
        rules.tasks(0, 1, 2)
        rules.has_state(1, "in-a-handler")
        assert rules.may(0, 4) == "active-thread-first"
        rules.done(3)
        assert rules.may(0, 4) == ""


def test_a_process_is_killed_after_it_has_ended_by_itself(loaded: Loaded) -> None:
    log = [*THREADS, born(2, 200, 0, 1), born(3, 201, 2, 0, THREAD, 200), event("exit_group", 2), event("kill", 0, 200, SIGUSR1)]
    with loaded(log, without=["order"]) as rules:
        rules.tasks(0, 1, 2, 3)
        assert rules.may(0, 5) == "end-in-memory-group"
        rules.done(4)
        assert rules.may(0, 5) == ""


def test_the_one_active_thread_finds_an_end_once_the_child_has_ended(loaded: Loaded) -> None:
    with loaded([*THREADS, born(2, 200, 0, 1), event("wait4", 0, 200, 0, os.WNOHANG, result=200)]) as rules:
        rules.tasks(0, 1, 2)
        assert rules.call(0, "wait4", 200, 0, os.WNOHANG) == (3, "pool-child")
        assert rules.may(0, 3) == "active-thread-waits"


def test_with_one_task_at_a_time_signals_come_by_turn(loaded: Loaded) -> None:
    log = [*PROCESSES, event("kill", 1, 100, SIGUSR1), event("nanosleep", 0, 0x7000, result=-4), signalled(0, 101)]
    with loaded(log, is_serialized=True) as rules:
        rules.tasks(0, 1)
        assert rules.may(0, 3) == ""


def test_without_the_gate_of_turns_the_signal_is_waited_for(loaded: Loaded) -> None:
    log = [*PROCESSES, event("kill", 1, 100, SIGUSR1), event("nanosleep", 0, 0x7000, result=-4), signalled(0, 101)]
    with loaded(log, is_serialized=True, without=["turn"]) as rules:
        rules.tasks(0, 1)
        assert rules.may(0, 3) == "interrupting-signal"


def test_a_signal_of_the_memory_group_is_taken_once_it_is_there(loaded: Loaded) -> None:
    wait = event("rt_sigtimedwait", 1, 0x7000, 0x7100, 0, 8, result=SIGUSR1, fields=[(1, OUT, facts(SIGUSR1, 100))])
    with loaded([*PROCESSES, wait]) as rules:
        rules.tasks(0, 1)
        rules.shares(1)
        assert rules.may(1, 2) == "sigwait-early"


def drawn(task: int, drawer: int) -> Event:
    """Eight random bytes, for a function of the program."""
    return event("getrandom", task, MEMORY_AT, 8, 0, 0, 0, drawer, result=8, fields=[(0, OUT, bytes(8))])


def with_frames(rules: Rules, task: int, function: int) -> int:
    """The task runs a function that only frame pointers show; returns its hash."""
    frames = MEMORY_AT + 0x8000          # harness.c knows it
    rules.put(frames, struct.pack("<QQQQ", frames + 16, function, 0, 0x3333))
    rules.has_state(task, "with-frame-pointers")
    return rules.drawer(task)


def test_random_bytes_go_to_the_function_that_draws_them(loaded: Loaded, tmp_path: Path) -> None:
    with loaded(THREADS) as rules:
        rules.tasks(0)
        one, other = (with_frames(rules, 0, function) for function in (0x1111, 0x2222))
    assert one and other and one != other
    (tmp_path / "second").mkdir()
    with Rules(rules.program, tmp_path / "second", [*THREADS, drawn(1, other), drawn(1, one), drawn(0, other)]) as rules:
        rules.tasks(0, 1)
        with_frames(rules, 0, 0x1111)
        assert rules.call(0, "getrandom", MEMORY_AT, 8) == (3, "random-by-caller")


def test_work_that_moves_between_threads_takes_the_earlier_event(loaded: Loaded) -> None:
    log = [*THREADS, asked("access", 1, b"/a"), asked("access", 0, b"/a")]
    with loaded(log) as rules:
        rules.tasks(0, 1)
        assert rules.call(0, "access", path="/a") == (3, "next-in-queue")
        with_frames(rules, 0, 0x1111)
        assert rules.call(0, "access", path="/a") == (2, "moved-between-threads")
