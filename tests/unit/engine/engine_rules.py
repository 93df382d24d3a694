"""Asks a replay's rules about hand-written logs, by harness.c."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path
from typing import Callable, Iterable

from rex.log.records import HEADER, IN, NO_TASK, OUT, RESOLVED, SIGNAL, STAT, TASK, Args, Event, Field
from rex.log.writer import LogWriter
from rex.syscalls.table import BY_NAME

ROOT = Path(__file__).parents[3]
CLONE_VM, CLONE_FILES, CLONE_THREAD = 0x100, 0x400, 0x10000
S_IFREG, SIGUSR1 = 0o100000, 10
AT_FDCWD = 2**64 - 100
WHOLE = 255                  # a field of the call as a whole
THREAD = CLONE_VM | CLONE_FILES | CLONE_THREAD
MEMORY_AT = 0x10000000       # as harness.c has it
PATH_AT = MEMORY_AT + 0x8000    # where `enter` puts a path
STACK_AT = MEMORY_AT + 0x10000  # where the stack of what `enter` enters ends
SERIALIZED = 2               # header flag: one task at a time


def build(into: Path) -> Path:
    """The harness, compiled with the engine's sources."""
    sources = [str(path) for path in (ROOT / "rex" / "native").rglob("*.c") if path.name != "main.c"]
    program = into / "harness"
    subprocess.run(["gcc", "-std=c11", "-O0", "-I", str(ROOT / "rex" / "native"), str(Path(__file__).with_name("harness.c")),
                    *sources, "-o", str(program)], check=True)
    return program


def args(*values: int) -> Args:
    """Six arguments; those not given are 0."""
    a, b, c, d, e, f = (*values, *[0] * (6 - len(values)))
    return (a, b, c, d, e, f)


def born(task: int, tid: int, parent: int = NO_TASK, ordinal: int = 0, flags: int = 0, tgid: int = 0) -> Event:
    """The birth of a task."""
    return Event(TASK, task, args=args(parent, ordinal, flags, tid, tgid or tid))


def event(name: str, task: int, *values: int, result: int = 0, stream: int = 0, fields: Iterable[Field] = ()) -> Event:
    """A call that returned."""
    return Event(BY_NAME[name].nr, task, result, args(*values), tuple(fields), stream=stream)


def asked(name: str, task: int, path: bytes, result: int = 0) -> Event:
    """A call that asks about a file."""
    return event(name, task, result=result, fields=[(0, IN, path)])


def changed(name: str, task: int, path: bytes) -> Event:
    """A call that changes the tree."""
    return event(name, task, fields=[(0, IN, path), (WHOLE, RESOLVED, path)])


def opened(task: int, flags: int, path: bytes = b"/w/f") -> Event:
    """A plain file was opened."""
    stat = struct.pack("<QQQI", 1, 77, 1, S_IFREG | 0o644).ljust(144, b"\0")
    return event("openat", task, AT_FDCWD, 0, flags, 0o666, result=3,
                 fields=[(1, IN, path), (WHOLE, RESOLVED, path), (WHOLE, STAT, stat)])


def written(task: int, data: bytes) -> Event:
    """Standard output."""
    return event("write", task, 1, MEMORY_AT, len(data), result=len(data), stream=2, fields=[(1, IN, data)])


def sent(task: int, stream: int = 7) -> Event:
    """A request went out."""
    return event("sendto", task, 5, MEMORY_AT, 4, result=4, stream=stream, fields=[(1, IN, b"abcd")])


def received(task: int, stream: int = 7) -> Event:
    """An answer came."""
    return event("recvfrom", task, 5, MEMORY_AT, 8, result=8, stream=stream, fields=[(1, OUT, b"12345678")])


def time_told(task: int, clock: int, at: int, where: int = 0x7000) -> Event:
    """A clock was read."""
    return event("clock_gettime", task, clock, where, fields=[(1, OUT, struct.pack("<qq", at, 0))])


def facts(number: int, sender: int, code: int = 0) -> bytes:
    """siginfo_t of a signal."""
    return struct.pack("<iiiiii", number, 0, code, 0, sender, 0) + bytes(104)


def signalled(task: int, sender: int, moment: int = 0, *more: int, number: int = SIGUSR1, code: int = 0, result: int = 0) -> Event:
    """A signal came; more: the arguments after its moment."""
    return Event(SIGNAL, task, result, args(number, 0, moment, *more), ((WHOLE, OUT, facts(number, sender, code)),))


ALONE = [born(0, 100)]
THREADS = [born(0, 100), born(1, 101, 0, 0, THREAD, 100)]
PROCESSES = [born(0, 100), born(1, 101, 0)]


class Rules:
    """A log that is loaded, and the tasks that replay it."""

    def __init__(self, program: Path, folder: Path, events: Iterable[Event], without: Iterable[str] = (), is_serialized: bool = False) -> None:
        """Begin.

        Args:
            without: names of rows that are left out.
            is_serialized: the log is one of a task at a time.
        """
        with LogWriter(folder / "log") as log:
            for each in events:
                log.append(each)
        if is_serialized:
            with open(folder / "log", "r+b") as file:
                magic, version, flags, *rest = HEADER.unpack(file.read(HEADER.size))
                file.seek(0)
                file.write(HEADER.pack(magic, version, flags | SERIALIZED, *rest))
        for name in ("out", "work"):
            (folder / name).mkdir()
        plan = {"mode": "replay", "log": folder / "log", "report": folder / "report", "outdir": folder / "out", "work": folder / "work",
                "was_in": "/", "cwd": "/", "program": "/bin/true", "arg": "true"}
        (folder / "plan").write_bytes(b"".join(f"{key}={value}\0".encode() for key, value in plan.items()))
        env = {"REX_RULES": ",".join(f"-{name}" for name in without)}
        self.program = program
        self._report = folder / "report"
        self._process = subprocess.Popen([program, folder / "plan"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)

    def __enter__(self) -> "Rules":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def _say(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _ask(self, line: str) -> list[str]:
        self._say(line)
        assert self._process.stdout
        return self._process.stdout.readline().split()

    def tasks(self, *numbers: int) -> None:
        """Tasks of the log begin."""
        for number in numbers:
            self._say(f"task {number}")

    def call(self, task: int, name: str, *values: int, stream: int = 0, path: str = "-") -> tuple[int | None, str]:
        """A call: the number of the event that answers it, None without one, and the row of match_rules that chose it."""
        found, row = self._ask(f"call {task} {BY_NAME[name].nr} {' '.join(map(str, args(*values)))} {stream} {path}")
        return (None if found == "-" else int(found)), row

    def enter(self, task: int, name: str | int, *values: int, path: str = "") -> tuple[str, str | int]:
        """All that the tracer does as a call is entered.

        Returns:
            The rule that acted, and what came of it: "blocked", "held", "again", "runs", or the result.
        """
        number = name if isinstance(name, int) else BY_NAME[name].nr
        if path:
            self.put(PATH_AT, path.encode() + b"\0")
        rule, state = self._ask(f"enter {task} {number} {' '.join(map(str, args(*values)))}")
        return rule, state if state.isalpha() else int(state)

    def has(self, task: int, fd: int, stream: int) -> None:
        """A descriptor of the task is external."""
        self._say(f"has {task} {fd} {stream}")

    def shares(self, task: int) -> None:
        """A process shares memory with its parent."""
        self._say(f"shares {task}")

    def has_state(self, task: int, state: str) -> None:
        """A task is in a state of harness.c's."""
        self._say(f"is {task} {state}")

    def drawer(self, task: int) -> int:
        """The hash of the functions that draw random bytes in a task."""
        return int(self._ask(f"drawer {task}")[0])

    def put(self, at: int, data: bytes) -> None:
        """Bytes of the tasks' memory, from MEMORY_AT on."""
        self._say(f"put {at} {data.hex()}")

    def may(self, task: int, number: int) -> str:
        """"" if the event may happen now, else the gate that holds it."""
        verdict, gate = self._ask(f"may {task} {number}")
        return "" if verdict == "go" else gate

    def ticks(self, count: int) -> bool:
        """So many seconds of processor time pass within one step; whether the engine goes on."""
        return self._ask(f"ticks {count}") == ["passed"]

    def loop(self) -> None:
        """The engine begins a step that has no end; this returns when it has ended nevertheless."""
        assert self._ask("loop") == []

    def report(self) -> str:
        """What the engine reported before it ended."""
        self._process.wait()
        return self._report.read_text()

    def done(self, number: int) -> None:
        """The event has happened."""
        self._say(f"done {number}")


Loaded = Callable[..., Rules]      # the fixture `loaded`: events, and options of Rules
