"""What the processes of a recorded run were given and what they left, as steps are made of it (docs/formats/steps.md)."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

REUSED = "reused"               # key of a manifest's extra: by task, the run and process whose step was put back

# Kinds of uses. Given: a file's content, nothing at a name, an answer about a name, names in a directory, a
# file of the kernel, and the time of a file that was opened, moved or had its mode changed. Done: written, written at a place of a file that others hold open too, removed.
FILE, ABSENT, LOOK, LIST, KERNEL, DATED = "file", "absent", "look", "list", "kernel", "dated"
WRITE, SHARED, REMOVE = "write", "shared", "remove"
OWN, TIME, SET, NAME = "own", "time", "set", "name"      # values of a WRITE
MOVED = "moved"                  # value of a REMOVE
GIVEN = frozenset((FILE, ABSENT, LOOK, LIST, KERNEL, DATED))

# Sources of what no key holds.
CLOCK, RANDOMNESS, MACHINE, NETWORK, DEVICE, OTHERS = "clock", "randomness", "machine", "network", "device", "other processes"
NEVER = frozenset((NETWORK, DEVICE, OTHERS))         # nobody can tell what would come from these another time


@dataclass(slots=True)
class Use:
    """A process was given something of the file system, or changed it.

    Attributes:
        at: number of the event.
        path: absolute; of a file the one that links led to, `name` is the one that was asked for.
        value: FILE: sha256, "" unknown. ABSENT: the errno. LOOK: what was answered, see rex/trees/looks.py. LIST: sorted names, joined by /.
            KERNEL: hash of what was read. DATED: an answer too, "" unknown. SHARED: position and length, "8+3".
            WRITE: "dir" if a directory was made, "link TARGET" if a link was, "name" and the other one if a file got one more, "own" if who runs made it its own,
            "time" if only its times were set to now, "set" if to others. REMOVE: "moved" if it has another name now.
    """

    at: int
    process: int
    kind: str
    path: str
    value: str = ""
    name: str = ""


@dataclass
class Standard:
    """A standard descriptor as a program began.

    Attributes:
        kind: stream (the experiment's own), file, pipe, other or closed.
        path: of a file; of a stream its number in the log: 1 for standard input, and so on.
        is_lent: the file was opened for this process, or by it, and nobody else uses the descriptor.
    """

    kind: str
    path: str = ""
    is_lent: bool = False
    is_writable: bool = False
    is_readable: bool = True


@dataclass
class ProcessFacts:
    """One process.

    Attributes:
        begins_at, ends_at: numbers of events; of its program, or its birth if it executed none.
        is_forked: what it does follows from its maker's memory: it executed no program, or did more before than open files.
        program: executed path, links followed; content: its sha256.
        scripts: that led to the program, links followed.
        environment: place among the run's environments.
        cwd: absolute, as the program began.
        inherited: the rest of what it was started with, see rex/trees/inherited.py.
        sources: what it drew on that no key holds.
        against: why it cannot be a step that is left out.
        printed: what it wrote to the experiment's standard streams: event, stream, bytes in latin-1.
    """

    task: int
    parent: int | None
    begins_at: int = 0
    ends_at: int = -1
    is_forked: bool = True
    program: str = ""
    content: str = ""
    arguments: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    environment: int = -1
    cwd: str = "/"
    inherited: dict[str, str] = field(default_factory=dict)
    standard: list[Standard] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    against: list[str] = field(default_factory=list)
    printed: list[tuple[int, int, str]] = field(default_factory=list)


@dataclass
class RunFacts:
    """A recorded run.

    Attributes:
        uses: in order of events.
        ties: pairs of processes that exchange data through pipes or memory.
        linked: names of files that had another name (a hard link) when they were opened, or were cut without being opened.
        put_back_s: by process, seconds of the step that was put back in its place (rex/trees/grafts.py).
    """

    processes: dict[int, ProcessFacts] = field(default_factory=dict)
    uses: list[Use] = field(default_factory=list)
    environments: list[dict[str, str]] = field(default_factory=list)
    ties: list[tuple[int, int]] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)
    put_back_s: dict[int, float] = field(default_factory=dict)


def standard_of(path: str, stream: int, access: int) -> Standard:
    """A standard descriptor that leads to a path, or to a stream of the experiment. Args: access: O_RDONLY, O_WRONLY or O_RDWR."""
    is_writable, is_readable = access != os.O_RDONLY, access != os.O_WRONLY
    if stream:
        return Standard("stream" if stream <= 3 else "other", str(stream), True, is_writable, is_readable)
    if path.startswith("pipe:"):
        return Standard("pipe", "", False, is_writable, is_readable)
    return Standard("file", path, False, is_writable, is_readable) if path.startswith("/") else Standard("other")
