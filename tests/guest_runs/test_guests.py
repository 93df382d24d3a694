"""Every guest replays exactly, under each engine, with its directory gone.

To add a guest, put a file into tests/guests. A failure keeps the recording and prints the
command that replays it.
"""

from __future__ import annotations

import importlib.util
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Callable

import pytest
from harness import COMPILER, GUESTS, Run, Trial
from rex.tracer import native

REPEATS = 20

LINES = b"first line\nsecond line\nthird line\n"
RUNS: dict[str, Run] = {
    "death_by_signal.c": Run(status=-signal.SIGABRT),
    "exit_statuses.sh": Run(status=7),
    **{name: Run(is_serialized=True) for name in ("race_child_shut_out.c", "race_children_end.c", "race_computes.c", "race_end_parked.c", "race_epoll_child.c",
                                                  "race_futexes.c", "race_manager.py", "race_pipes.c", "race_python.py", "race_sigsuspend.c",
                                                  "race_sleeps_cut.c", "race_spin.c", "race_threads.c", "race_timed_wait.c")},
    "python_serves.py": Run(outside="callers"),
    **{name: Run(outside="servers") for name in ("thread_asks_hidden.c", "threads_ask.c", "threads_clock_after.c", "threads_datagrams.c",
                                                 "threads_hear.c", "threads_say_alike.c", "threads_time_moved.c", "threads_wait_in_vain.c",
                                                 "python_fetches.py")},
    "inherited_files.sh": Run(redirections="6<in.txt 7>new.txt 8>>data/a.txt 9>both.txt 5>&9 4>&1"),
    "read_redirected.sh": Run(stdin=LINES),
    "stdin_file.c": Run(stdin=LINES, is_stdin_file=True),
    "stdin_pipe.c": Run(stdin=LINES),
    "threads_clock_static.c": Run(flags=("-static", "-no-pie")),
    "threads_scheduled.c": Run(flags=("-no-pie", "-fno-omit-frame-pointer", "-fno-asynchronous-unwind-tables")),
    "stdout_closed.c": Run(stdout_limit=100, has_token=False),
    "stdout_closed_kills.c": Run(stdout_limit=100, has_token=False, status=-signal.SIGPIPE),
}

UNSENT = ("a signal wait or a sleep that a signal ended is answered at once, before another thread has sent that "
          "signal: the sender then finds its target gone, or the signal comes before its handler is set")

# What does not replay yet, and why. These lists only shrink. Of the reference engine these are run by mark: most hang until a limit.
ALWAYS: dict[tuple[str, str], str] = {
    ("thread_cancel.c", "reference"): UNSENT + ", so that SIGCANCEL kills",
    ("pipes_polled.c", "reference"): "how much a read of an inner pipe takes is neither logged nor followed by this engine",
    ("pipe_parts.c", "reference"): "a clock that is read as often as an inner pipe gives parts counts as a divergence",
    ("pipe_head.c", "reference"): "as pipes_polled.c: it asks once more what the pipe is, which counts as a divergence",
    ("threads_nap_until.c", "reference"): "it sleeps by the clock of now until a point in time of then, which is over",
    ("alarm_before_nap.c", "reference"): "sleeps end at once in this engine, whatever signal was there before",
    **{(name, "reference"): "this engine does not see rdrand" for name in ("random_processor.c", "random_in_library.sh")},
    ("inherited_files.sh", "reference"): "plain files that the program inherits are not opened again by this engine",
    ("threads_end_late.c", "reference"): "a library that another thread's end loads now is not in the log",
    ("socket_ends.c", "reference"): "this engine does not follow descriptors that are handed over",
    ("peer_memory.c", "reference"): "memory of other processes is refused by this engine",
    ("socket_rights.c", "reference"): "this engine does not follow descriptors that are handed over",
    ("workers_signal_taken.c", "reference"): "a signal that a call has taken comes once more",
    ("sigtimedwait_ignored.c", "reference"): "a signal that nobody listens to ends a wait for another as it is recorded",
}
SOMETIMES: dict[tuple[str, str], str] = {
    ("alarm_after_work.c", "reference"): "sleeps end at once in this engine, whatever signal was there before",
    **{(name, "reference"): "who takes a lock before whom is neither logged nor followed by this engine"
       for name in ("locks_order.c", "locks_tried.c", "writers_join_again.c", "writers_shared.c", "writers_shell.sh")},
    **{(name, "reference"): "a child's sleep is over at once, and this engine knows of no wait with a limit that is over before it"
       for name in ("threads_wait_limit.c", "threads_kill_waiting.c", "threads_kill_late.c", "threads_wait_resumed.c")},
    ("threads_wait_sooner.c", "reference"): "a thread's sleep is over at once in this engine, whatever another waits for until then",
    ("threads_scheduled.c", "reference"): "a runtime is told the readings that the log has, one after the other",
    ("threads_wait_in_vain.c", "reference"): "an answer from outside is there as soon as a free wait looks for it",
    **{(name, "reference"): "sleeps end at once in this engine, whoever had come first" for name in ("sleeps_forks.c", "sleeps_jobs.sh", "threads_naps_on.c")},
    **{(name, "reference"): "who writes to an inner pipe before whom is neither logged nor followed by this engine"
       for name in ("pipe_jobs.sh", "pipe_numbers.c", "pipe_writers.c")},
    ("clock_pace.c", "reference"): "a clock that is read more often than recorded tells at one place what another asked",
    ("counter_signals.c", "reference"): "this engine knows of no signal that comes with a reading of the counter",
    ("threads_kill_own.c", "reference"): "which thread signals its own process is as recorded in this engine",
    ("threads_signal_rounds.c", "reference"): "a signal waits for what the thread asked before it when recorded",
    **{(name, "reference"): "what a thread says is compared with what that thread said when recorded" for name in ("threads_print.c", "threads_say_alike.c")},
    ("workers_die_locked.c", "reference"): "a lock whose holder has died is not handed on: it hangs",
    **{(name, "reference"): "the kernel knows who holds a lock that lends priority by a number that is another now"
       for name in ("threads_priority.c", "workers_priority.c")},
    ("threads_die_locked.c", "reference"): "a lock whose holder has died is not handed on: it hangs",
    ("output_parts.c", "reference"): "this engine wants output in the same writes",
    ("output_killed.c", "reference"): "this engine does not see what a call does that its task does not survive",
    ("mappings_large.c", "reference"): "where large files were mapped is neither logged nor followed by this engine",
    ("sockets_joined.c", "reference"): "how much a read of an inner pipe takes is neither logged nor followed by this engine",
    ("python_hears_beside.py", "reference"): "how much a read of an inner pipe takes is neither logged nor followed by this engine",
    **{(name, "reference"): "a signal that came in the midst of computation comes after as long as when recorded, which may be after the next call"
       for name in ("ticks_counted.c", "ticks_masked.c")},
    ("pipe_tries.c", "reference"): "how much a read of an inner pipe takes is neither logged nor followed by this engine",
    ("plain_calls.c", "reference"): "how much a read of an inner pipe takes is neither logged nor followed by this engine",
    ("signal_looped.c", "reference"): "how much a read of an inner pipe takes is neither logged nor followed by this engine",
    ("epoll_edges.c", "reference"): "epoll_wait runs for real until the log's descriptors are ready, and so takes edges "
    "that the log has at a later wait, which then waits for ever",
    ("python_asyncio.py", "reference"): "a wait before or after the process has had threads is bound to what the log has "
    "ready, which an earlier free wait may have taken: it hangs, or counts as a divergence",
    **{(name, "reference"): "a loop's thread says, and is told, what it was when recorded, whatever other threads have done by now: it hangs"
       for name in ("python_loop.py", "python_loop_woken.py")},
    **{(name, "reference"): "processes share work through memory, so that one has more and another fewer calls than "
       "recorded; this engine knows of no kin" for name in ("python_multiprocessing.py", "python_pools.py", "workers_ask.c", "workers_shared.c",
                                                            "workers_end_locked.c", "workers_keyed.c", "workers_named.c", "workers_unnamed.c",
                                                            "workers_waited.c", "workers_wake.c")},
    **{(name, "reference"): "sockets between threaded processes are answered from the log, call by call: it tries more or "
       "less often, or sends in other parts" for name in ("sockets_retried.c", "sockets_batched.c", "sockets_tokens.c", "python_manager.py",
                                                         "threads_one_more_asks.c", "workers_meet.c")},
    **{(name, "reference"): "children of threads are named by the thread that started them and its ordinal, and their "
       "exit, output and order follow the log of that name, though another job's child has it now"
       for name in ("python_thread_children.py", "python_thread_jobs.py")},
    ("shell_pipeline.sh", "reference"): "the reader of an inner pipe leaves earlier than when recorded, and its writer complains of it",
    **{(name, "reference"): "a child's descriptors are matched by number, which its parent's threads race for"
       for name in ("threads_fork.c", "threads_execute_held.c")},
    ("thread_cut_off.c", "reference"): "a thread that goes on further than when it was cut off counts as a divergence",
    **{(name, "reference"): "signals between threads come only as often as the log has them: it hangs" for name in ("threads_prodded.c", "threads_suspend.c")},
    ("threads_child_served.c", "reference"): "a signal's place among readings of clocks is kept by a thread that mates need meanwhile: it hangs",
    ("threads_ticker.c", "reference"): "a thread that a timer wakes gets no more of its time than recorded: it hangs",
    ("accept_waits.c", "reference"): "a wait for a connection that never came takes no descriptor's number",
    ("threads_open_pipes.c", "reference"): "a question for a limit that is asked once more than recorded counts as a divergence",
    ("threads_watched_children.c", "reference"): "what stands for a child is not opened again by this engine",
    ("threads_close_meanwhile.c", "reference"): "which child a signal of kin reaches is neither logged nor followed by this engine",
    ("poll_halted.c", "reference"): "its many thousand calls may take this engine longer than a test waits",
    ("threads_watch_later.c", "reference"): "a wait by epoll that is made once more than recorded is told of what it does not watch: it hangs",
    ("threads_timer_reads.c", "reference"): "a look for a child's end once more or less than recorded counts as a divergence",
    ("threads_timer_set.c", "reference"): "a thread that a timer wakes sets it no more often than recorded",
    ("threads_clock_never.c", "reference"): "a clock that is read in a replay alone counts as a divergence",
    **{(name, "reference"): "a wait is ended by a signal that is ignored, as a tracer sees it"
       for name in ("threads_child_in_wait.c", "threads_message_queues.c")},
    ("threads_ask_besides.c", "reference"): "this engine does not see which functions ask for the time",
    ("threads_clock_forward.c", "reference"): "what a thread reads of the clock may go back, as it reads it elsewhere",
    ("threads_list_on.c", "reference"): "names in directories are matched in the thread's order",
    ("proc_descriptor.c", "reference"): "what another process has open is not opened by its number there",
    ("threads_hear_workers.c", "reference"): "what threads read from pipes of other processes is neither logged nor followed by this engine",
    ("threads_look_again.c", "reference"): "a thread that looks at a socket once more than recorded is not told that there is nothing",
    ("threads_jobs_where.c", "reference"): "as python_thread_jobs.py: what a job is, is known by the thread that started it",
    **{(name, "reference"): "a connection has the answers that it had, whatever is asked on it now"
       for name in ("threads_ask.c", "threads_ask_one.c", "threads_clock_after.c", "threads_datagrams.c", "threads_hear.c", "threads_time_moved.c",
                    "python_fetches.py")},
    ("python_serves.py", "reference"): "what a caller says when another was answered may come before that",
    ("files_told.c", "reference"): "what comes over a connection is answered from the log, so that a file is read before another process has written it",
    ("rights_threads.c", "reference"): "this engine does not follow descriptors that are handed over",
    ("rights_duplicate.c", "reference"): "this engine does not follow descriptors that are handed over",
    ("rights_known.c", "reference"): "this engine does not follow descriptors that are handed over",
    ("threads_draw_moved.c", "reference"): "what a thread draws is its own in the log, whatever it runs now",
    ("threads_list_moved.c", "reference"): "names in directories are matched in the thread's order",
    ("threads_name_told.c", "reference"): "a file that has another name now is not in the log: there is no such file",
    ("threads_cut_off_make.c", "reference"): "a file that has another name now is not in the log: there is no such file",
    ("threads_named_otherwise.c", "reference"): "a file that has another name now is not in the log: there is no such file",
    ("threads_made_otherwise.c", "reference"): "a change of the tree by another name is not in the log: there is no such file, and others wait for the log's",
    ("threads_drawn_names.c", "reference"): "a directory that has another name now is not in the log: there is no such file",
    ("workers_name_own.c", "reference"): "a file that has another name now is not in the log: others wait for the log's",
    ("threads_files.c", "reference"): "what a thread asks of a file is matched in its order, though another has made it now, or not yet",
    ("threads_divide.c", "reference"): "a file has the size that the log has for it, however much of it a thread wrote now",
    ("threads_serve.c", "reference"): "what is told of sockets is matched by the numbers and the thread that it was told to",
    ("threads_hand_on.c", "reference"): "a thread takes from a connection what it took when recorded, though another has taken what came before",
    ("threads_watch_again.c", "reference"): "a loop is told of a connection that is not yet registered",
    ("threads_shut.c", "reference"): "a connection that is shut before its thread has closed it is not in the log",
    ("threads_known.c", "reference"): "threads are known by the ordinal in which their process makes them, whatever they do",
    ("threads_sockets.c", "reference"): "threads do not make each other's sockets",
    ("workers_execute.c", "reference"): "how much a read of an inner pipe takes is neither logged nor followed by this engine",
    ("pipe_nonblocking.c", "reference"): "it polls, though it never had to when recorded, which counts as a divergence",
    **{(name, "reference"): "this engine does not know which function reads the clock, or the counter"
       for name in ("threads_clock.c", "threads_clock_slower.c", "threads_clock_static.c", "threads_counter.c", "threads_moment.c", "threads_time_asked.c", "threads_time_made.c", "threads_wall.c",
                    "threads_elapsed.c", "threads_nap_looks.c", "python_threads_elapsed.py")},
    ("threads_wait_wall.c", "reference"): "a wait until a time of day is made by the clock of now, by which that is over",
    ("threads_select_less.c", "reference"): "a thread that waits once more than recorded, and for less, is told of what it did not ask for",
    ("threads_proc.c", "reference"): "an answer may be given to two threads at once, or not again",
    ("thread_before_kill.c", "reference"): UNSENT + ": it kills before threads have done what they had",
    ("python_thread_names.py", "reference"): "a name that another thread draws now is not in the log: there is no such file",
    ("threads_kill_later.c", "reference"): "a child that is further than it was when it was killed ends before that",
    **{(name, "reference"): "names in directories are matched in the thread's order" for name in ("threads_list.c", "threads_list_again.c", "threads_remove_tree.c")},
    **{(name, "reference"): "a signal that ended a wait comes before the child has ended, or never"
       for name in ("threads_child_end.c", "threads_child_before_wait.c", "threads_wait_child.c")},
    ("child_end_past.c", "reference"): "a child's end that came before a call no event shows comes at the next traced one",
    ("poll_ended_late.c", "reference"): UNSENT + ": what the sender wrote before is not there yet",
    ("signal_reading.c", "reference"): "where in a file that it reads a program was as a signal came is not logged by this engine",
    ("threads_pipeline.c", "reference"): "as threads_nap_until.c: a wait with a limit of then is over before it begins",
    ("threads_draw_device.c", "reference"): "what a thread reads of a random device more often than recorded never comes",
    ("threads_draw_by_chance.c", "reference"): "what a thread draws once more than recorded it has of what another draws later",
    **{(name, "reference"): "what a thread looks at that a handler in another has done is not ordered by the log"
       for name in ("threads_rest_reaps.c", "threads_rest_cut_off.c")},
    ("threads_rest.c", "reference"): "what is ready inside is told as it comes, though one thread alone works",
    ("threads_polls.c", "reference"): "a loop that reads the counter until a signal comes ends by that alone, which comes at the next traced call: it hangs",
    ("threads_signals.c", "reference"): "now and then a call of an ended thread is left over when the process ends",
    ("python_threads.py", "reference"): "calls that ended threads left over, or took, count as divergences",
    ("socket_tcp.c", "reference"): "fstat of a socket is matched by the descriptor's number, which differs where threads race for numbers",
    **{(name, "reference"): "a signal that came in the midst of computation, or between untraced calls, comes at the next traced "
       "one, after what the program looked at in between" for name in ("timer_busy.c", "timer_itimer.c", "signal_computing.c")},
}
HANG_S = 6

ENGINES = [pytest.param("native", marks=pytest.mark.skipif(not native.is_built(), reason="the native engine is "
                                                           "not built")),
           pytest.param("reference", marks=pytest.mark.skipif(
               not importlib.util.find_spec("rex.tracer.reference"), reason="there is no reference engine"))]
NAMES = sorted(path.name for path in GUESTS.iterdir() if path.suffix in (".c", ".sh", ".py"))
BY_MARK = {pair for pair in (*ALWAYS, *SOMETIMES) if pair[1] == "reference"}
PAIRS = [pytest.param(name, *engine.values, marks=(*engine.marks, *[pytest.mark.stress] * ((name, *engine.values) in BY_MARK)))
         for name in NAMES for engine in ENGINES]
AT_LENGTH = "race_computes.c"            # ten seconds, each time
RACING = [name for name in NAMES if name != AT_LENGTH and name.startswith(("race", "sleeps_", "pipe_jobs", "pipe_numbers", "pipe_writers", "clock_pace", "locks_", "writers", "workers", "python_pools", "python_multi", "thread", "python_threads", "python_asyncio", "python_fetches", "python_serves", "rights_", "socket_tcp", "ipc_"))]


@pytest.fixture(scope="session")
def program_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """What runs for a guest; C guests are compiled once."""
    built = tmp_path_factory.mktemp("programs")

    def program(name: str) -> Path:
        source = GUESTS / name
        if source.suffix != ".c":
            return source
        made = built / source.stem
        if not made.exists():
            if not shutil.which(COMPILER[0]):
                pytest.skip(f"{COMPILER[0]} is not installed")
            subprocess.run([*COMPILER, *RUNS.get(name, Run()).flags, "-o", str(made), str(source)], check=True)
        return made
    return program


@pytest.fixture(scope="session")
def shared_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Archive and cache of an engine: programs and libraries are stored once."""
    top = tmp_path_factory.mktemp("shared")
    return lambda engine: top / engine


def trial_of(name: str, engine: str, place: Path, request: pytest.FixtureRequest, program: Path,
             shared: Path) -> Trial:
    """The trial of a guest, marked where it is known to fail."""
    shared.mkdir(exist_ok=True)
    run = RUNS.get(name, Run())
    if run.is_serialized and engine != "native":
        pytest.skip("only the native engine runs one thread at a time")
    if name.startswith("ipc_") and engine != "native":
        pytest.skip("objects of System V IPC are the machine's in the reference engine: a replay that fails would leave some")
    trial = Trial(GUESTS / name, engine, program, run, place, shared)
    for known, is_strict in ((ALWAYS, True), (SOMETIMES, False)):
        if (name, engine) in known:
            request.applymarker(pytest.mark.xfail(strict=is_strict, reason=known[name, engine]))
            trial.timeout_s = HANG_S
    return trial


@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("name, engine", PAIRS)
def test_guest_replays(name: str, engine: str, tmp_path: Path, request: pytest.FixtureRequest,
                       program_of: Callable[[str], Path], shared_of: Callable[[str], Path]) -> None:
    trial = trial_of(name, engine, tmp_path, request, program_of(name), shared_of(engine))
    trial.replay(trial.record())


@pytest.mark.stress
@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("recorded_fast", ["0", "1"])
def test_guest_replays_where_all_calls_stop(name: str, recorded_fast: str, tmp_path: Path, request: pytest.FixtureRequest,
                                            program_of: Callable[[str], Path], shared_of: Callable[[str], Path]) -> None:
    if not native.is_built():
        pytest.skip("the native engine is not built")
    trial = trial_of(name, "native", tmp_path, request, program_of(name), shared_of(f"native{recorded_fast}"))
    trial.fast = recorded_fast
    recorded = trial.record()
    trial.fast = str(1 - int(recorded_fast))
    trial.replay(recorded)


@pytest.mark.stress
@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("name", NAMES)
def test_guest_replays_one_thread_at_a_time(name: str, tmp_path: Path, request: pytest.FixtureRequest,
                                            program_of: Callable[[str], Path], shared_of: Callable[[str], Path]) -> None:
    if not native.is_built():
        pytest.skip("the native engine is not built")
    shared_of("serialized").mkdir(exist_ok=True)
    run = replace(RUNS.get(name, Run()), is_serialized=True)
    trial = Trial(GUESTS / name, "native", program_of(name), run, tmp_path, shared_of("serialized"))
    trial.replay(trial.record())


@pytest.mark.stress
@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", RACING)
def test_racing_guest_replays_always(name: str, engine: str, tmp_path: Path, request: pytest.FixtureRequest,
                                     program_of: Callable[[str], Path], shared_of: Callable[[str], Path]) -> None:
    trial = trial_of(name, engine, tmp_path, request, program_of(name), shared_of(engine))
    recorded = trial.record()
    for repeat in range(REPEATS):
        trial.replay(recorded, f"out{repeat}")
