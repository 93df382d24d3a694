"""What a log tells, process by process: entries in canonical form, files used, streams."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass, field
from typing import Any, Callable

from rex.expdiff.looks import Looks
from rex.expdiff.spool import Spool

STDIN, STDOUT, STDERR = "standard input", "standard output", "standard error"
STANDARD = {1: STDIN, 2: STDOUT, 3: STDERR}
DATE, DURATION, PROCESSOR_TIME, PROCESS_ID = "the time", "the time that has passed", "processor time", "process ids"
END = 1 << 62             # an event number behind all others
_HEAD_BYTES = 1 << 16     # of a stream kept for -d 2
_HEADS_BYTES = 8 << 20    # of all streams together
_MOST_CHANCES = 1 << 12   # of one kind and process


@dataclass
class Exec:
    """A program that a task began to run."""

    event: int
    path: str
    command: tuple[str, ...]
    label: tuple[str, ...] = ()   # path and command with logical names


@dataclass
class Task:
    """A process or thread of the experiment, as its log numbers it."""

    number: int
    parent: int | None = None
    ordinal: int = 0
    leader: int = 0
    start: int = 0       # event that began it
    end: int = END       # event that ended it
    execs: list[Exec] = field(default_factory=list)
    inherited: str = ""  # what its parent ran as it began

    @property
    def is_thread(self) -> bool:
        """Whether it shares its process with another task."""
        return self.leader != self.number

    @property
    def name(self) -> str:
        """What it ran last, by base name."""
        return self.execs[-1].path.rpartition("/")[2] if self.execs else self.inherited


class Flow:
    """All bytes that one process moved through one stream in one direction.

    Attributes:
        event: the first event that moved some.
        head: the bytes themselves where they are few, else only their beginning.
    """

    def __init__(self, event: int, name: str) -> None:
        self.event = event
        self.name = name
        self.size = 0
        self.head = b""
        self._digest: Any = hashlib.sha256()

    def add(self, data: bytes, room: int) -> None:
        """Append bytes; at most `room` of them are kept."""
        self._digest.update(data)
        self.size += len(data)
        space = min(room, _HEAD_BYTES - len(self.head))
        if space > 0 and len(self.head) + len(data) == self.size:
            self.head += data[:space]

    @property
    def sha256(self) -> str:
        """Hash of all bytes."""
        return self._digest if isinstance(self._digest, str) else self._digest.hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_digest": self.sha256}   # as another process gets it: complete

    @property
    def is_whole(self) -> bool:
        """Whether head has all bytes."""
        return len(self.head) == self.size


@dataclass
class Nature:
    """What always differs, of one kind: how often it was asked, and a hash of the answers."""

    count: int = 0
    digest: int = 0


class Trace:
    """Everything that a comparison needs of one log, in memory that its length does not decide.

    Attributes:
        tasks: by number.
        reads, writes: by process and path, the event of the first open or execution.
        flows: by process, direction and name of the stream.
        entries: canonical entries per task.
        nature: calls whose outcome always differs, by kind.
        chance: by process and what it asked for, the events of that kind that programs act upon; of very many not all.
        looks: what was looked at by name.
        packages: the Python packages in the folders of such that were listed, with their versions.
        failed: number of failed calls, which are not compared.
        events: number of events in the log.
        logical: the name that a path has in any run.
        certain: the same, changed only where that cannot be wrong.
    """

    def __init__(self, spool: Spool | None = None) -> None:
        self.tasks: dict[int, Task] = {}
        self.reads: dict[tuple[int, str], int] = {}
        self.writes: dict[tuple[int, str], int] = {}
        self.flows: dict[tuple[int, str, str], Flow] = {}
        self.entries = spool or Spool()
        self.nature: dict[str, Nature] = {}
        self.chance: dict[tuple[int, str], list[int]] = {}
        self.looks = Looks()
        self.packages: dict[str, str] = {}
        self.failed = 0
        self.events = 0
        self.logical: Callable[[str], str] = str
        self.certain: Callable[[str], str] = str
        self._room = _HEADS_BYTES

    def use(self, process: int, path: str, event: int, is_write: bool) -> None:
        """A process opened, executed or changed a file; the first time counts."""
        (self.writes if is_write else self.reads).setdefault((process, path), event)

    def move(self, process: int, direction: str, name: str, data: bytes, event: int) -> None:
        """A process moved bytes through a stream."""
        flow = self.flows.get((process, direction, name))
        if flow is None:
            flow = self.flows[process, direction, name] = Flow(event, name)
        before = len(flow.head)
        flow.add(data, self._room)
        self._room -= len(flow.head) - before

    def ask(self, process: int, kind: str, event: int) -> None:
        """A process got something by chance that it may act upon."""
        events = self.chance.setdefault((process, kind), [])
        if len(events) < _MOST_CHANCES:
            events.append(event)
        else:
            events[-1] = event

    def by_nature(self, kind: str, value: int) -> None:
        """A call whose outcome always differs."""
        found = self.nature.get(kind)
        if found is None:
            found = self.nature[kind] = Nature()
        found.count += 1
        found.digest = (found.digest * 1000003 ^ value) & 0xFFFFFFFFFFFFFFFF

    def name(self, task: int) -> str:
        """A process as a reader finds it again: its program and its number."""
        known = self.tasks.get(task)
        return f"{known.name if known and known.name else 'a process'} (task {task})"

    @functools.cached_property
    def _first_uses(self) -> tuple[dict[str, int], dict[str, int]]:
        """By path, the first event that read it and the first that wrote it."""
        firsts: tuple[dict[str, int], dict[str, int]] = ({}, {})
        for first, uses in zip(firsts, (self.reads, self.writes)):
            for (_, path), event in uses.items():
                first[path] = min(event, first.get(path, END))
        return firsts

    def has_changed(self, path: str) -> bool:
        """Whether the experiment made, changed or removed what is at a path, or a directory above it."""
        changed = self._first_uses[1]
        while path and path != "/":
            if path in changed:
                return True
            path = path.rpartition("/")[0]
        return False

    def is_read(self, path: str) -> bool:
        """Whether anybody read, executed or loaded what is at a path."""
        return path in self._first_uses[0]

    def is_read_before_written(self, path: str) -> bool:
        """Whether what was at a path before the experiment can have mattered to it."""
        read, written = self._first_uses
        return path in read and read[path] <= written.get(path, END)

    def close(self) -> None:
        """Give up the entries."""
        self.entries.close()
