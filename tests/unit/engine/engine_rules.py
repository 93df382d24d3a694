"""Asks a replay's rules about hand-written logs, by harness.c."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Iterable

from rex.log.records import NO_TASK, TASK, Args, Event, Field
from rex.log.writer import LogWriter
from rex.syscalls.table import BY_NAME

ROOT = Path(__file__).parents[3]
CLONE_VM, CLONE_FILES, CLONE_THREAD = 0x100, 0x400, 0x10000
THREAD = CLONE_VM | CLONE_FILES | CLONE_THREAD


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


class Rules:
    """A log that is loaded, and the tasks that replay it."""

    def __init__(self, program: Path, folder: Path, events: Iterable[Event], without: Iterable[str] = ()) -> None:
        """without: names of rows that are left out."""
        with LogWriter(folder / "log") as log:
            for each in events:
                log.append(each)
        for name in ("out", "work"):
            (folder / name).mkdir()
        plan = {"mode": "replay", "log": folder / "log", "report": folder / "report", "outdir": folder / "out", "work": folder / "work",
                "was_in": "/", "cwd": "/", "program": "/bin/true", "arg": "true"}
        (folder / "plan").write_bytes(b"".join(f"{key}={value}\0".encode() for key, value in plan.items()))
        env = {"REX_RULES": ",".join(f"-{name}" for name in without)}
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
