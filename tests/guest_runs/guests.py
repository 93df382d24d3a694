"""What each guest says of itself in its first comment: how it is run, and what it shows.

A guest is a C program, a shell script or a Python script in a folder of tests/guests. The folders are named as the
modules of the engine. The comment begins with one or two sentences; then come lines `key: value`:

    run: racing, outside=servers     how it is run, see Run; left out where that is as usual
    live: yes                        it also runs as a new experiment in each test run; `no (REASON)`: never;
                                     `differs=FILE FILE`: these files hold the time of the run
    engine: native (threads)         the reference engine refuses it, or does not follow what it shows: see limits.py there
    shows: read, poll                the system calls, and instructions, that it is there to show
    source: signals; timers          the sources of nondeterminism that it prints, see SOURCES
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

GUESTS = Path(__file__).resolve().parent.parent / "guests"
MODULES = ("clock", "cpu", "fastpath", "files", "ipc", "match", "net", "order", "pipes", "progress", "record", "regime",
         "signals", "tasks", "turns", "wait")
INSTRUCTIONS = frozenset(("cpuid", "rdrand", "rdtsc"))
LINES = b"first line\nsecond line\nthird line\n"
SOURCES = (
    "clocks, also by the vDSO", "sleeps and timeouts", "time-stamp counter", "timers", "random bytes: getrandom, /dev/urandom, rdrand",
    "auxiliary vector, addresses (ASLR)", "environment, arguments", "process, thread, group and session ids", "users, host name",
    "cpuid, processors, affinity", "resource usage", "/proc and /sys", "inodes, sizes, times and modes of files", "directory order",
    "names, renames, files without a name", "locks", "files written by several processes",
    "large reads and writes, copies inside the kernel", "descriptor numbers", "terminals", "standard streams",
    "pipes: sizes of reads, order of writers", "poll, select, epoll", "inotify", "signals", "ends and statuses of children",
    "fork, clone, exec", "sockets inside the experiment", "servers and clients outside the experiment",
    "descriptors passed over sockets", "shared memory, mapped files", "System V IPC, POSIX message queues",
    "memory of other processes", "limits, seccomp filters, undumpable processes",
    "rights, flags and space of file systems", "io_uring", "which thread does a piece of work",
    "order of threads, one at a time")
_HEADS = {".c": re.compile(r"/\*(.*?)\*/", re.S), ".py": re.compile(r'"""(.*?)"""', re.S), ".sh": re.compile(r"#!.*\n((?:#.*\n)+)")}
_MARK = re.compile(r"^ ?[*#] ?", re.M)
_LINE = re.compile(r"^(run|live|engine|shows|source): (.+)$")
_REASON = re.compile(r"^(no|native) \((.+)\)$")


@dataclass(frozen=True)
class Run:
    """How a guest is run, where that is not as usual.

    Attributes:
        stdin: what it reads; nothing by default. `stdin=pipe` and `stdin=file` give it LINES.
        is_stdin_file: standard input is a plain file, not a pipe.
        status: its exit status, or minus the signal that ends it.
        stdout_limit: standard output is closed after so many bytes (`stdout=N`).
        has_token: the last line of its output is TOKEN (not so: `no-token`).
        is_serialized: it is recorded one thread at a time (`serialized`).
        redirections: of further descriptors, as a shell that starts the recording has them.
        flags: for the compiler, too.
        outside: `servers` or `callers` of outside.py, which run meanwhile; GUEST_PORT says where.
        is_racing: its threads or processes race, so that it is also replayed many times (`racing`).
        is_long: it runs in the long suite only (`long`).
    """

    stdin: bytes = b""
    is_stdin_file: bool = False
    status: int = 0
    stdout_limit: int | None = None
    has_token: bool = True
    is_serialized: bool = False
    outside: str = ""
    redirections: str = ""
    args: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    is_racing: bool = False
    is_long: bool = False


@dataclass(frozen=True)
class Guest:
    """One guest.

    Attributes:
        name: its path below tests/guests.
        text: the sentences about it.
        shows: names of system calls and instructions.
        sources: members of SOURCES.
        native_reason: why the reference engine cannot replay it; empty where it can.
        is_live: it is run as a new experiment in each test run, not by mark alone.
        not_live: why it cannot be run as a new experiment; empty where it can.
        differs: files that another run makes otherwise.
    """

    name: str
    text: str
    run: Run
    shows: tuple[str, ...]
    sources: tuple[str, ...]
    native_reason: str
    is_live: bool
    not_live: str
    differs: frozenset[bytes]

    @property
    def path(self) -> Path:
        """Where its source is."""
        return GUESTS / self.name


def _run_of(words: list[str]) -> Run:
    known: dict[str, object] = {}
    for word in words:
        key, has_value, value = word.partition("=")
        if not has_value:
            known.update({"racing": {"is_racing": True}, "serialized": {"is_serialized": True}, "no-token": {"has_token": False},
                          "long": {"is_long": True}}[key])
        elif key == "stdin":
            known.update(stdin=LINES, is_stdin_file={"pipe": False, "file": True}[value])
        elif key == "stdout":
            known["stdout_limit"] = int(value)
        elif key == "status":
            known[key] = int(value)
        elif key == "flags":
            known[key] = tuple(value.split())
        else:
            known[{"outside": "outside", "redirections": "redirections"}[key]] = value
    return Run(**known)                  # type: ignore[arg-type]


def read_guest(name: str, source: str) -> Guest:
    """Read a guest's first comment.

    Raises:
        ValueError: there is none, or a line of it is not of the form above.
    """
    head = _HEADS[Path(name).suffix].match(source)
    if not head:
        raise ValueError(f"{name}: its first comment should say how to run it, see tests/guest_runs/guests.py")
    text, values = [], {"run": "", "live": "", "engine": "", "shows": "", "source": ""}
    for line in _MARK.sub("", head[1]).splitlines():
        found = _LINE.match(line.strip())
        if found:
            values[found[1]] = found[2]
        elif line.strip():
            text.append(line.strip())
    reasons = {key: (_REASON.match(values[key]) or ("", "", ""))[2] for key in ("live", "engine")}
    live = [] if reasons["live"] else _split(values["live"], ",")
    try:
        run = _run_of(_split(values["run"], ","))
        differs = [word.removeprefix("differs=") for word in live if word != "yes"]
        if (values["engine"] and not reasons["engine"]) or len(differs) > 1:
            raise KeyError(values["engine"] or differs)
    except (KeyError, ValueError) as error:
        raise ValueError(f"{name}: {error} is not known in its first comment") from error
    return Guest(name, " ".join(text), run, tuple(_split(values["shows"], ",")), tuple(_split(values["source"], ";")), reasons["engine"],
                 "yes" in live, reasons["live"], frozenset(file.encode() for file in " ".join(differs).split()))


def _split(value: str, mark: str) -> list[str]:
    return [word.strip() for word in value.split(mark) if word.strip()]


@cache
def all_guests() -> dict[str, Guest]:
    """Every guest by its name."""
    names = sorted(path.relative_to(GUESTS).as_posix() for path in GUESTS.glob("*/*") if path.suffix in _HEADS)
    return {name: read_guest(name, (GUESTS / name).read_text()) for name in names}
