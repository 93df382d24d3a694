"""What a call meets as it is entered: rows of entry_rules and unlogged_rules, on hand-written logs.

The task is stopped at a call that it never makes: its registers show what a rule made of it.
"""

from __future__ import annotations

import errno
import os
import struct
from pathlib import Path

from engine_rules import (
    ALONE, AT_FDCWD, MEMORY_AT, PATH_AT, PROCESSES, SIGUSR1, STACK_AT, THREADS, Loaded, args, asked, born, event, opened,
    signalled)
from rex.log.records import EXIT, IN, PIPE, RESULT, Event, Moment
from rex.syscalls.table import BY_NAME

BYTES_OF_PIPE, INTERNAL_SOCKET = 2**32 - 2, 2**32 - 3          # what a descriptor is: see PIPE_BYTES, SOCKET_INSIDE in tracee/task.h
SI_TKILL, SIGKILL, SIGUSR2 = -6, 9, 12


def test_the_log_answers(loaded: Loaded) -> None:
    with loaded([*ALONE, asked("access", 0, b"/a", -errno.EACCES)]) as rules:
        rules.tasks(0)
        assert rules.enter(0, "access", PATH_AT, path="/a") == ("logged-event", -errno.EACCES)


def test_the_last_answer_is_given_again(loaded: Loaded) -> None:
    with loaded([*ALONE, asked("access", 0, b"/a"), asked("access", 0, b"/a", -errno.ENOENT)]) as rules:
        rules.tasks(0)
        assert [rules.enter(0, "access", PATH_AT, path="/a") for _ in range(3)] == [
            ("logged-event", 0), ("logged-event", -errno.ENOENT), ("last-answer", -errno.ENOENT)]


def test_what_the_log_does_not_have_is_not_there_and_is_reported(loaded: Loaded, tmp_path: Path) -> None:
    with loaded(ALONE) as rules:
        rules.tasks(0)
        assert rules.enter(0, "access", PATH_AT, path="/a") == ("as-if-alone", -errno.ENOENT)
    assert "not in the log" in (tmp_path / "report").read_text()


def test_without_its_row_nothing_is_reported(loaded: Loaded, tmp_path: Path) -> None:
    with loaded(ALONE, without=["divergence"]) as rules:
        rules.tasks(0)
        assert rules.enter(0, "access", PATH_AT, path="/a") == ("as-if-alone", -errno.ENOENT)
    assert "not in the log" not in (tmp_path / "report").read_text()


def test_a_call_of_a_newer_kernel_does_not_exist(loaded: Loaded) -> None:
    with loaded(ALONE) as rules:
        rules.tasks(0)
        assert rules.enter(0, 9999) == ("unknown-call", -errno.ENOSYS)


def test_the_kernel_makes_what_is_not_logged(loaded: Loaded) -> None:
    with loaded(ALONE) as rules:
        rules.tasks(0)
        assert rules.enter(0, "futex", MEMORY_AT, 1, 1) == ("futex", "runs")
        assert rules.enter(0, "mprotect", MEMORY_AT, 0, 0) == ("unlogged-call", "runs")
        rules.has(0, 5, 7)
        assert rules.enter(0, "dup", 5) == ("descriptor-call", "runs")


def test_a_result_that_depends_on_rights_is_as_recorded(loaded: Loaded) -> None:
    mlock = Event(RESULT, 0, -errno.ENOMEM, args(BY_NAME["mlock"].nr, MEMORY_AT, 4096))
    with loaded([*ALONE, mlock]) as rules:
        rules.tasks(0)
        assert rules.enter(0, "mlock", MEMORY_AT, 4096) == ("real-result", -errno.ENOMEM)
        assert rules.enter(0, "mlock", MEMORY_AT, 4096) == ("unlogged-call", "runs")


def test_a_signal_comes_at_the_read_before_which_it_came(loaded: Loaded) -> None:
    with loaded([*ALONE, signalled(0, 0, Moment.AT_UNSEEN_CALL, BY_NAME["read"].nr, result=STACK_AT)]) as rules:
        rules.tasks(0)
        assert rules.enter(0, "write", 3, MEMORY_AT, 8)[0] != "signal-among-reads"
        assert rules.enter(0, "read", 3, MEMORY_AT, 8) == ("signal-among-reads", "again")


def test_a_collector_suspends_a_thread_by_a_signal_of_now(loaded: Loaded) -> None:
    log = [*THREADS, signalled(1, 100, code=SI_TKILL), event("rt_sigsuspend", 1, MEMORY_AT, 8, result=-errno.EINTR),
           signalled(1, 100, number=SIGUSR2, code=SI_TKILL)]
    with loaded(log) as rules:
        rules.tasks(0, 1)
        assert rules.enter(0, "tgkill", 100, 101, SIGUSR1)[0] == "suspended-thread"


def test_what_passes_over_internal_sockets_is_not_logged(loaded: Loaded) -> None:
    with loaded(THREADS) as rules:
        rules.tasks(0, 1)
        rules.has(0, 0, INTERNAL_SOCKET)
        assert rules.enter(0, "sendto", 0, MEMORY_AT, 4) == ("internal-socket", "runs")


def test_a_call_that_a_signal_cut_short_waits_for_it(loaded: Loaded) -> None:
    with loaded([*ALONE, signalled(0, 0, 0, 0, 1)], is_serialized=True) as rules:
        rules.tasks(0)
        assert rules.enter(0, "access", PATH_AT, path="/a") == ("cut-call", "blocked")


def test_a_wait_for_signals_is_ended_by_one_of_an_earlier_place(loaded: Loaded) -> None:
    with loaded([*PROCESSES, event("kill", 1, 100, SIGUSR1), signalled(0, 101, Moment.AT_UNSEEN_CALL, 3)]) as rules:
        rules.tasks(0, 1)
        assert rules.enter(0, "rt_sigsuspend", MEMORY_AT, 8) == ("signal-to-wait-for", "runs")


def test_a_process_goes_no_further_than_it_was_killed(loaded: Loaded) -> None:
    log = [*PROCESSES, event("kill", 1, 100, SIGUSR1), signalled(0, 101), Event(EXIT, 0, SIGUSR1)]
    with loaded(log) as rules:
        rules.tasks(0, 1)
        assert rules.enter(0, "access", PATH_AT, path="/a") == ("signal-later", "blocked")


def test_a_signal_comes_before_the_call_that_follows_it(loaded: Loaded) -> None:
    with loaded([*ALONE, signalled(0, 0), asked("access", 0, b"/a")]) as rules:
        rules.tasks(0)
        assert rules.enter(0, "access", PATH_AT, path="/a") == ("signal-before-call", "again")


def test_bytes_of_a_pipe_wait_for_their_turn(loaded: Loaded) -> None:
    with loaded([*PROCESSES, Event(PIPE, 0, 4, args(0, 5, 77)), Event(PIPE, 1, 4, args(0, 5, 77))]) as rules:
        rules.tasks(0, 1)
        rules.has(1, 5, BYTES_OF_PIPE)
        assert rules.enter(1, "read", 5, MEMORY_AT, 4) == ("moved-bytes", "held")


def test_a_process_does_no_more_than_before_its_kill(loaded: Loaded) -> None:
    with loaded([*PROCESSES, Event(EXIT, 0, SIGKILL), event("kill", 1, 100, SIGKILL)]) as rules:
        rules.tasks(0, 1)
        assert rules.enter(0, "access", PATH_AT, path="/a") == ("killed-here", "blocked")


def test_a_thread_reads_its_timer_as_often_as_it_comes_round(loaded: Loaded) -> None:
    with loaded([*THREADS, event("timerfd_create", 0, 1, result=5, stream=7)]) as rules:
        rules.tasks(0, 1)
        rules.has(0, 5, 7)
        assert rules.enter(0, "read", 5, MEMORY_AT, 8) == ("timer", "runs")


def test_a_process_of_a_memory_group_pauses_for_real(loaded: Loaded) -> None:
    with loaded(PROCESSES) as rules:
        rules.tasks(0, 1)
        rules.shares(1)
        assert rules.enter(1, "pause") == ("memory-group-pause", "runs")


def test_a_thread_finds_nothing_once_more(loaded: Loaded) -> None:
    with loaded([*THREADS, event("recvfrom", 0, 5, MEMORY_AT, 8, result=-errno.EAGAIN, stream=7)]) as rules:
        rules.tasks(0, 1)
        rules.has(0, 5, 7)
        rules.done(2)
        assert rules.enter(0, "recvfrom", 5, MEMORY_AT, 8) == ("empty-poll", -errno.EAGAIN)


def test_a_thread_draws_more_random_bytes(loaded: Loaded) -> None:
    with loaded(THREADS) as rules:
        rules.tasks(0, 1)
        assert rules.enter(0, "getrandom", MEMORY_AT, 8, 0) == ("more-random-bytes", 8)


def test_a_thread_whose_log_has_ended_reads_for_ever(loaded: Loaded) -> None:
    with loaded(THREADS) as rules:
        rules.tasks(0, 1)
        rules.has(1, 5, 7)
        assert rules.enter(1, "read", 5, MEMORY_AT, 8) == ("never-returns", "blocked")


def test_threads_know_who_they_are(loaded: Loaded) -> None:
    with loaded(THREADS) as rules:
        rules.tasks(0, 1)
        assert rules.enter(1, "getpid") == ("between-siblings", 100)
        assert rules.enter(1, "gettid") == ("between-siblings", 101)


def test_threads_wake_poll_and_sleep_as_often_as_they_have_to(loaded: Loaded) -> None:
    with loaded(THREADS) as rules:
        rules.tasks(0, 1)
        assert rules.enter(0, "tgkill", 100, 101, SIGUSR1) == ("thread-wakeup", "runs")
        assert rules.enter(0, "tgkill", 100, 999, SIGUSR1) == ("thread-wakeup", -errno.ESRCH)
        assert rules.enter(0, "poll", MEMORY_AT, 0, 10) == ("extra-poll", "runs")
        assert rules.enter(0, "nanosleep", MEMORY_AT, 0) == ("extra-sleep", "runs")


def test_a_thread_writes_nothing_after_the_end_of_its_process(loaded: Loaded) -> None:
    with loaded([*THREADS, event("exit_group", 0), Event(EXIT, 1), Event(EXIT, 0)]) as rules:
        rules.tasks(0, 1)
        rules.has(1, 1, 2)
        assert rules.enter(1, "write", 1, MEMORY_AT, 8) == ("past-the-end", "blocked")


def test_a_thread_asks_about_a_sibling_by_the_number_of_now(loaded: Loaded) -> None:
    with loaded(THREADS) as rules:
        rules.tasks(0, 1)
        assert rules.enter(0, "sched_getaffinity", 101, 8, MEMORY_AT) == ("unlogged-name", "runs")


def test_a_thread_opens_a_file_once_more(loaded: Loaded) -> None:
    with loaded([*THREADS, opened(0, os.O_RDONLY)]) as rules:
        rules.tasks(0, 1)
        rules.done(2)
        assert rules.enter(1, "openat", AT_FDCWD, PATH_AT, os.O_RDONLY, path="/w/f") == ("open-again", "runs")


def test_a_step_that_does_not_run_makes_no_call(loaded: Loaded) -> None:
    with loaded([*ALONE, asked("access", 0, b"/a")]) as rules:
        rules.tasks(0)
        rules.has_state(0, "in-a-skipped-step")
        assert rules.enter(0, "access", PATH_AT, path="/a") == ("skipped-step", "runs")


def test_a_descriptor_too_many_is_closed_before_the_call(loaded: Loaded) -> None:
    with loaded([*ALONE, asked("access", 0, b"/a")]) as rules:
        rules.tasks(0)
        rules.has_state(0, "with-a-copy-of-5")
        assert rules.enter(0, "access", PATH_AT, path="/a")[0] == "copied-descriptor"
        assert rules.enter(0, "access", PATH_AT, path="/a") == ("logged-event", 0)


def test_rows_that_act_on_none_are_needed_by_others(loaded: Loaded) -> None:
    with loaded([*ALONE, asked("access", 0, b"/a")], without=["kind"]) as rules:
        rules.tasks(0)
        rules.has(0, 5, 7)
        assert rules.enter(0, "dup", 5)[0] != "descriptor-call"


def test_without_the_row_that_reads_names_no_event_is_found(loaded: Loaded) -> None:
    with loaded([*ALONE, asked("access", 0, b"/a")], without=["pool-child-executes"]) as rules:
        rules.tasks(0)
        assert rules.enter(0, "access", PATH_AT, path="/a")[0] == "as-if-alone"


def test_without_the_row_that_matches_no_event_is_found(loaded: Loaded) -> None:
    with loaded([*ALONE, asked("access", 0, b"/a")], without=["unlogged-file"]) as rules:
        rules.tasks(0)
        assert rules.enter(0, "access", PATH_AT, path="/a")[0] == "as-if-alone"


def test_without_its_last_row_the_call_would_run(loaded: Loaded) -> None:
    with loaded(ALONE, without=["without-event"]) as rules:
        rules.tasks(0)
        assert rules.enter(0, "access", PATH_AT, path="/a") == ("logged-event", "runs")


def test_processes_of_a_memory_group_wake_each_other_once_more(loaded: Loaded) -> None:
    address = struct.pack("<H", 1) + b"at\0"
    bind = event("bind", 0, 5, MEMORY_AT, len(address), stream=7, fields=[(1, IN, address)])
    with loaded([*PROCESSES, bind]) as rules:
        rules.tasks(0, 1)
        rules.shares(1)
        rules.has(1, 5, 7)
        rules.put(MEMORY_AT, address)
        assert rules.enter(1, "sendto", 5, MEMORY_AT, 1, 0, MEMORY_AT, len(address)) == ("memory-group-datagram", 1)


def test_a_socket_of_threads_is_made_before_it_is_known_what_it_is(loaded: Loaded) -> None:
    inet, stream, caller_port = 2, 1, 1234
    address = struct.pack("<H", inet) + struct.pack(">H", 80) + bytes([127, 0, 0, 1]) + bytes(8)
    to = [(1, IN, address)]
    log = [*THREADS, event("socket", 0, inet, stream, result=3, stream=5), event("bind", 0, 3, MEMORY_AT, 16, 0, 80, stream=5, fields=to),
           event("listen", 0, 3, 1, stream=5), event("socket", 1, inet, stream, result=4, stream=6),
           event("connect", 1, 4, MEMORY_AT, 16, 0, caller_port, stream=6, fields=to),
           event("accept", 0, 3, 0, 0, 0, caller_port, 5, result=6, stream=7)]
    with loaded(log) as rules:
        rules.tasks(0, 1)
        assert rules.enter(0, "socket", inet, stream) == ("undecided-socket", "runs")


def test_the_open_says_what_file_a_thread_queries(loaded: Loaded) -> None:
    with loaded([*THREADS, opened(0, os.O_RDONLY)]) as rules:
        rules.tasks(0, 1)
        rules.has_state(0, "with-an-open-file-as-2")
        assert rules.enter(0, "fstat", 2, MEMORY_AT) == ("stat-of-open-file", 0)
