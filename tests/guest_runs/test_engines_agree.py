"""Both engines write the same archives of programs without threads, up to times and identities, and replay each other's.

Each guest is recorded with both; then each archive is replayed with both. A failure
keeps its archives in pytest's temporary directory.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from commands import REX
from rex.archive import Archive, Manifest
from rex.log import LogReader
from rex.log.records import EXIT, IN, NO_TASK, NOTE, SIGNAL, TASK, TSC, Event
from rex.syscalls import CALLS, Hook, Key
from rex.tracer import native

ENGINES = ("native", "reference")
TIMEOUT_S = 120
SIGCHLD = 17
# Calls of which a run may make more or fewer, as the timing is: asking whether a child has
# ended or what is ready, and for how long a lock was waited for. A random name may need two draws.
TIMED_HOOKS = frozenset((Hook.WAIT, Hook.PAUSE, Hook.POLL, Hook.SELECT))
TIMED_MARKS = frozenset(("time", "random"))
# Identities in paths: /proc/4211, the random names of temporary files of Python and sed.
IDENTITY = re.compile(r"(?<=/proc/)\d+|(?<=tmp)\w{8}\b|(?<=/sed)\w{6}\b")

needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")
needs_native = pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")


@dataclass
class Guest:
    """A program, and the files that it finds in its directory."""

    command: list[str]
    files: dict[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    status: int = 0


SHELL = {
    "pipeline": "date; echo $RANDOM $$; head -c 8 /dev/urandom | od -x; "
                "seq 50 | sort -r | awk '{s+=$1} END {print s}'",
    "tree": "mkdir -p a/b; echo x > a/b/f; ln -s b a/l; ln a/b/f a/h; mv a/b/f a/g; cat a/h; ls a; chmod 600 a/g; "
            "rm -r a/b a/l; touch -d 2001-01-01 a/g; ls -l a | wc -l; rm in; [ ! -e in ]; echo tree",
    "inplace": "sed -i s/one/1/ in; echo more >> in; cat in; sort -o in in; : > empty; cp in in2; cat in2",
    "input": "read a; echo \"got $a\"; cat | tr a-z A-Z",
    "processes": "for i in 1 2 3; do (exit $i); echo $?; done; (sleep 0.1; echo late) & wait; trap 'echo usr' USR1; "
                 "kill -USR1 $$; ./script x; sh -c 'kill -9 $$'; echo $?; exit 9",
    "system": "uname -a; id; hostname; cat /proc/self/comm /proc/uptime; readlink /proc/self/exe; stat in; df . | wc -l",
    "missing": "cat none; ls none 2>&1; cd none; cd ..; cd - > /dev/null; [ -r in ] && [ ! -w /proc ]; none; echo $?",
}

PYTHON = r"""
import os, random, select, socket, subprocess, tempfile, time, uuid
print(time.time(), random.random(), uuid.uuid4(), os.getpid(), os.getcwd())
try: socket.create_connection(("127.0.0.1", 9), 2)
except OSError as error: print(error)
def work(i, into):
    with open(f"part{i}", "w") as file:
        file.write(str(i * i))
    into[i] = os.stat(f"part{i}").st_size
parts = {}
for i in range(4): work(i, parts)
print(sorted(parts.items()))
r, w = os.pipe()
if os.fork() == 0:
    os.write(w, b"child"); os._exit(3)
print(select.select([r], [], [], 5)[0] == [r], os.read(r, 9), os.wait()[1])
print(subprocess.run(["sh", "-c", "echo out; exit 4"], capture_output=True))
a, b = socket.socketpair(); a.sendmsg([b"one", b"two"]); print(b.recvmsg(9)[0])
with tempfile.NamedTemporaryFile(dir=".") as file:
    file.write(b"x"); file.flush(); os.rename(file.name, "kept"); open(file.name, "w").close()
print(sorted(os.listdir(".")), os.urandom(4).hex(), os.sched_getaffinity(0))
"""

C_SIGNALS = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <poll.h>
#include <fcntl.h>
#include <x86intrin.h>
static volatile int alarms;
static void on_alarm(int s) { (void)s; alarms++; }
int main(void)
{
    struct sigaction a = {.sa_handler = on_alarm};
    struct itimerval every = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
    sigset_t alarm_only, before;
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm_only, &before);     /* one that comes in between is at no place that both know */
    sigaction(SIGALRM, &a, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    while (alarms < 3) sigsuspend(&before);
    setitimer(ITIMER_REAL, &never, NULL);
    unsigned long long first = __rdtsc();
    printf("alarms %d tsc %d\n", alarms >= 3, __rdtsc() > first);
    int p[2];
    if (pipe(p)) return 1;
    pid_t child = vfork();
    if (child == 0) { execl("/bin/echo", "echo", "from the child", (char *)0); _exit(1); }
    int status;
    waitpid(child, &status, 0);
    printf("child %d of %d\n", WEXITSTATUS(status), child > 0);
    struct pollfd f = {p[0], POLLIN, 0};
    printf("poll %d\n", poll(&f, 1, 10));
    if (write(p[1], "x", 1) != 1) return 1;
    printf("poll %d revents %d\n", poll(&f, 1, -1), f.revents);
    int fd = open("in", O_RDWR), high = fcntl(fd, F_DUPFD, 50), tty = open("/dev/tty", O_RDWR);
    char *m = mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, high, 0);
    memcpy(m, "MAPD", 4);
    munmap(m, 4);
    char text[8] = "";
    printf("read %zd %s tty %d\n", pread(fd, text, 7, 0), text, tty >= 0);
    printf("done %d\n", getpid() > 0);
    raise(SIGTERM);
    return 0;
}
"""

GUESTS = {
    **{name: Guest(["sh", "-c", script], {"in": "one\ntwo\n", "script": "#!/bin/sh -e\necho script $1\n"})
       for name, script in SHELL.items()},
    "python": Guest([sys.executable, "guest.py"], {"guest.py": PYTHON}),
    "signals": Guest(["./guest"], {"guest.c": C_SIGNALS, "in": "one\ntwo\n"}, status=-15),
}
GUESTS["input"].stdin = b"first\nsecond\nthird\n"
GUESTS["processes"].status = 9


def rex(engine: str, *args: str, cwd: Path, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """Run the command line under an engine."""
    env = {**os.environ, "REX_ENGINE": engine, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "0",
           "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([*REX, *args], cwd=cwd, input=stdin, env=env,
                          capture_output=True, timeout=TIMEOUT_S, check=False)


def prepare(guest: Guest, directory: Path) -> None:
    """Its files as new, at the same place for both engines."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    for name, text in guest.files.items():
        (directory / name).write_text(text)
        (directory / name).chmod(0o755)
        os.utime(directory / name, (10**9, 10**9))
    if "guest.c" in guest.files:
        subprocess.run(["gcc", "-O1", "-o", "guest", "guest.c"], cwd=directory, check=True)


Name = tuple[int, ...]


def sequences(archive: Path) -> dict[Name, list[tuple[str, str, str]]]:
    """Per task, named by ordinals from the first: its calls, paths and classes of results.

    What depends on the timing is left out, and in how many parts a directory was listed.
    """
    names: dict[int, Name] = {}
    found: dict[Name, list[tuple[str, str, str]]] = defaultdict(list)
    experiment = Archive.open(archive).experiment(None)
    with LogReader(experiment.open_log()) as log:
        for event in log:
            if event.call == TASK:
                parent = event.args[0]
                names[event.task] = () if parent == NO_TASK else (*names[parent], event.args[1])
            entry = _describe(event)
            so_far = found[names[event.task]] if entry else []
            if entry and not (entry[0].startswith("getdents") and entry in so_far[-1:]):
                so_far.append(entry)
    return dict(found)


def _describe(event: Event) -> tuple[str, str, str] | None:
    call = CALLS.get(event.call)
    if call is None:
        if event.call == SIGNAL and event.args[0] != SIGCHLD:
            return "signal", str(event.args[0]), ""
        return {EXIT: ("exit", str(event.result), ""), NOTE: ("note", "", "")}.get(event.call)
    if call.hook in TIMED_HOOKS or TIMED_MARKS & call.marks:
        return None
    path = (event.data(IN) or b"").decode(errors="replace") if call.key is Key.PATH else ""
    return call.name, IDENTITY.sub("#", path), str(event.result) if event.result < 0 else "done"


def files_of(manifest: Manifest) -> dict[str, object]:
    """Paths, contents, modes and roles; times and owners of inodes are not compared."""
    def state(one: object) -> object:
        return one and (one.type, one.mode, one.target, one.size)      # type: ignore[attr-defined]
    return {IDENTITY.sub("#", path): (entry.roles, state(entry.initial), state(entry.final))
            for path, entry in manifest.files.items()}


def contents_of(manifest: Manifest) -> dict[str, object]:
    """What files held before the run: the same for both, as nothing random can be in it."""
    return {path: entry.initial.content for path, entry in manifest.files.items() if entry.initial}


@needs_native
@pytest.mark.parametrize("name", [pytest.param(name, marks=needs_gcc) if "guest.c" in guest.files else name
                                  for name, guest in GUESTS.items()])
def test_engines_agree(name: str, tmp_path: Path) -> None:
    guest, directory = GUESTS[name], tmp_path / "exp"
    recorded = {}
    for engine in ENGINES:
        prepare(guest, directory)
        recorded[engine] = rex(engine, "record", "-l", str(tmp_path / engine), "--", *guest.command,
                               cwd=directory, stdin=guest.stdin)
        assert recorded[engine].returncode == guest.status, recorded[engine].stderr.decode()
    manifests = {engine: Archive.open(tmp_path / engine).experiment(None).manifest for engine in ENGINES}
    _compare_logs(*(sequences(tmp_path / engine) for engine in ENGINES))
    assert files_of(manifests["native"]) == files_of(manifests["reference"])
    assert contents_of(manifests["native"]) == contents_of(manifests["reference"])
    shutil.rmtree(directory)
    for recorder in ENGINES:
        for replayer in ENGINES:
            out = tmp_path / f"{recorder}-{replayer}"
            again = rex(replayer, "replay", "-l", str(tmp_path / recorder), "-o", str(out), cwd=tmp_path)
            _compare_runs(recorded[recorder], again, f"recorded with {recorder}, replayed with {replayer}")
            assert not directory.exists()


def _compare_logs(native_log: dict[Name, list[tuple[str, str, str]]],
                  reference_log: dict[Name, list[tuple[str, str, str]]]) -> None:
    assert sorted(native_log) == sorted(reference_log)
    for task, events in native_log.items():
        assert events == reference_log[task], f"task {task}"


def _compare_runs(recorded: "subprocess.CompletedProcess[bytes]", again: "subprocess.CompletedProcess[bytes]",
                  how: str) -> None:
    def own(stream: bytes) -> list[bytes]:
        return [line for line in stream.splitlines() if not line.startswith(b"rex: ")]

    assert again.stdout == recorded.stdout, f"{how}: {again.stderr.decode()}"
    assert own(again.stderr) == own(recorded.stderr), how
    assert again.returncode == recorded.returncode, f"{how}: {again.stderr.decode()}"


@needs_gcc
@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("engine", [pytest.param("native", marks=needs_native), "reference"])
@pytest.mark.parametrize("listens", [False, True])
def test_end_of_a_child_is_a_signal_where_a_handler_waits_for_it(engine: str, listens: bool, tmp_path: Path) -> None:
    source = f"""#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static void on_end(int sig) {{ (void)sig; }}
int main(void)
{{
    if ({int(listens)}) signal(SIGCHLD, on_end);
    if (fork() == 0) _exit(0);
    return wait(0) < 0;
}}
"""
    place = tmp_path / "place"
    prepare(Guest(["./guest"], {"guest.c": source}), place)
    done = rex(engine, "record", "-q", "-l", str(tmp_path / "archive"), "--", "./guest", cwd=place)
    assert done.returncode == 0, done.stderr
    with LogReader(Archive.open(tmp_path / "archive").experiment(None).open_log()) as log:
        assert any(event.call == SIGNAL and event.args[0] == SIGCHLD for event in log) == listens


@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("engine", [pytest.param("native", marks=needs_native), "reference"])
@pytest.mark.parametrize("is_asked", [False, True])
def test_a_loader_reads_the_counter_for_itself(engine: str, is_asked: bool, tmp_path: Path) -> None:
    """Only where it is to print how long it took do its readings mean something."""
    command = ["env", "LD_DEBUG=statistics", "/bin/true"] if is_asked else ["/bin/true"]
    done = rex(engine, "record", "-q", "-l", str(tmp_path / "archive"), "--", *command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with LogReader(Archive.open(tmp_path / "archive").experiment(None).open_log()) as log:
        assert any(event.call == TSC for event in log) == is_asked
