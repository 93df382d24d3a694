"""What a recording says about its processes: files used, in order, and which processes exchange data directly."""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Callable

from rex import codec
from rex.log import LogReader
from rex.log.decoded import stat_in
from rex.log.records import DUP, EXIT, IN, RESOLVED, STAT, TASK, Event
from rex.log.uses import MOVED, READ, WRITE, file_uses, open_flags
from rex.syscalls import CALLS, Hook

if TYPE_CHECKING:
    from rex.archive import Experiment, Manifest, Process

BORN = "born"          # a use without path: the process begins

_EXECS = frozenset(nr for nr, call in CALLS.items() if call.hook is Hook.EXEC)
_OPENS = frozenset(nr for nr, call in CALLS.items() if call.hook is Hook.OPEN)
_WANTED = _EXECS | _OPENS | {TASK, EXIT, DUP} | {nr for nr, call in CALLS.items() if call.hook is Hook.TREE}
_ACCESS, _SIGNAL = 3, 0x7F


@dataclass(frozen=True, slots=True)
class Use:
    """A process used a path, or was born.

    Attributes:
        kind: as in rex.log.uses, or BORN.
        size_bytes: of the file as it was opened; -1 unknown.
        target: of what was moved, where to.
    """

    time_s: float
    process: int
    kind: str
    path: str = ""
    size_bytes: int = -1
    target: str = ""


@dataclass
class Recorded:
    """All of it.

    Attributes:
        processes: by task, parents before children.
        uses: in order; files that the experiment never changes are left out.
        ties: pairs of processes that exchange data through pipes or memory: what one of them
            did cannot be done without the other.
        end_s: when the last one ended.
    """

    manifest: "Manifest"
    processes: dict[int, "Process"]
    uses: list[Use] = field(default_factory=list)
    ties: list[tuple[int, int]] = field(default_factory=list)

    @property
    def end_s(self) -> float:
        """Seconds from the start to the end of the last process."""
        return max([self.manifest.duration_s, *(p.end_s or 0.0 for p in self.processes.values())])


@dataclass(frozen=True, slots=True)
class _Standard:
    """What a process has on a standard descriptor."""

    path: str
    is_writable: bool
    is_own: bool          # the process opened it itself


def read_recorded(experiment: "Experiment") -> Recorded:
    """What the log and the manifest of a finished experiment tell.

    Raises:
        NotFound: it is unfinished or has no log.
        Damaged, TooNew: they cannot be read.
    """
    reader = RecordedReader(experiment.manifest)
    with LogReader(experiment.open_log()) as log:
        for event in log.select(_WANTED):
            reader.take(event)
    return reader.finish()


class RecordedReader:
    """Takes the events of a log, in order; those that it needs not are passed over."""

    def __init__(self, manifest: "Manifest") -> None:
        processes = {process.task: process for process in manifest.processes}
        self._found = Recorded(manifest, processes)
        self._leaders: dict[int, int] = {}
        self._standard: dict[int, dict[int, _Standard]] = {}
        self._opened: set[tuple[int, str]] = set()
        self._executed: set[int] = set()
        # By pipe: which processes hold its reading end, and its writing end.
        self._ends: dict[str, tuple[set[int], set[int]]] = {}
        self._is_fixed: dict[str, bool] = {}
        self._special: dict[int, Callable[[Event], None]] = {TASK: self._begin, EXIT: self._end, DUP: self._duplicate}

    def take(self, event: Event) -> None:
        """The next event."""
        act = self._special.get(event.call)
        if act:
            act(event)
        elif event.call in _WANTED and event.result >= 0:
            self._call(event)

    def finish(self) -> Recorded:
        """All that they tell."""
        self._tie_pipes()
        return self._found

    def _is_unchanged(self, path: str) -> bool:
        """Whether nothing that happens to a path can matter to another process."""
        found = self._is_fixed.get(path)
        if found is None:
            entry = self._found.manifest.files.get(path)
            found = self._is_fixed[path] = entry is not None and not entry.is_changed
        return found

    def _process(self, task: int) -> int:
        return self._leaders.get(task, task)

    def _use(self, event: Event, kind: str, path: str, size_bytes: int = -1) -> None:
        if not self._is_unchanged(path):
            use = Use(event.time_ns / 1e9, self._process(event.task), kind, path, size_bytes)
            self._found.uses.append(use)

    def _tie(self, one: int, two: int) -> None:
        if one != two and one in self._found.processes and two in self._found.processes:
            self._found.ties.append((one, two))

    def _begin(self, event: Event) -> None:
        parent, leader = self._process(event.args[0]), event.args[5]
        self._leaders[event.task] = leader
        if leader == event.task:
            inherited = self._standard.get(parent, {})
            self._standard[leader] = {fd: _Standard(s.path, s.is_writable, False) for fd, s in inherited.items()}
            self._found.uses.append(Use(event.time_ns / 1e9, leader, BORN))

    def _end(self, event: Event) -> None:
        process = self._process(event.task)
        if event.task != process or process in self._executed:
            return
        self._settle(event)
        if event.result & _SIGNAL:    # what it shared is not known
            self._tie_to_parent(process)

    def _tie_to_parent(self, process: int) -> None:
        parent = self._found.processes[process].parent if process in self._found.processes else None
        if parent is not None:
            self._tie(self._process(parent), process)

    def _duplicate(self, event: Event) -> None:
        process, path = self._process(event.task), codec.text(event.data(RESOLVED) or b"")
        if event.args[1]:             # of a directory, which hands over nothing
            return
        if event.result > 2:
            self._tie_to_parent(process)
        elif event.stream:
            self._standard.setdefault(process, {}).pop(event.result, None)
        else:
            is_own = (process, path) in self._opened
            standard = _Standard(path, bool(event.args[0] & _ACCESS), is_own)
            self._standard.setdefault(process, {})[event.result] = standard
            if process in self._executed:
                self._take(event, standard)

    def _settle(self, event: Event) -> None:
        """As it executes a program, or ends without: what it got from others to read and write."""
        for standard in self._standard.get(self._process(event.task), {}).values():
            self._take(event, standard)

    def _take(self, event: Event, standard: _Standard) -> None:
        if standard.path.startswith("pipe:"):
            ends = self._ends.setdefault(standard.path, (set(), set()))
            ends[standard.is_writable].add(self._process(event.task))
        elif standard.path.startswith("/") and not standard.is_own:
            # Through a descriptor that another process opened, from where that one had come.
            self._use(event, READ, standard.path)
            if standard.is_writable:
                self._use(event, WRITE, standard.path)

    def _call(self, event: Event) -> None:
        process = self._process(event.task)
        if event.call in _EXECS:
            self._settle(event)
            self._executed.add(process)
        paths = file_uses(event)
        size_bytes = -1
        if event.call in _OPENS and paths:
            path = codec.text(paths[0][0])
            is_pipe, size_bytes = self._opened_as(event, path)
            if is_pipe:
                return
        for name, kind in paths:
            if kind == MOVED:
                self._found.uses.append(Use(event.time_ns / 1e9, process, MOVED, codec.text(name),
                                            target=codec.text(paths[-1][0])))
            else:
                self._use(event, kind, codec.text(name), size_bytes)

    def _opened_as(self, event: Event, path: str) -> tuple[bool, int]:
        """Whether a pipe was opened, by its name or through /dev/fd; else the file's size."""
        process, is_writable = self._process(event.task), bool(open_flags(event) & _ACCESS)
        self._opened.add((process, path))
        if event.result <= 2:
            self._standard.setdefault(process, {})[event.result] = _Standard(path, is_writable, True)
        told = stat_in(event.data(STAT) or b"")
        if told and stat.S_ISFIFO(told.mode) or path.startswith("pipe:"):
            self._ends.setdefault(path, (set(), set()))[is_writable].add(process)
            return True, -1
        return False, told.size if told and stat.S_ISREG(told.mode) else -1

    def _tie_pipes(self) -> None:
        """All that hold a pipe; where nobody is at one end, the parents that made it are."""
        for readers, writers in self._ends.values():
            holders = sorted(readers | writers)
            for one, two in zip(holders, holders[1:]):
                self._tie(one, two)
            if not readers or not writers:
                for process in holders:
                    self._tie_to_parent(process)
