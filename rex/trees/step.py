"""A step of a run: what it was given, and what it left."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rex.trees.facts import ABSENT, FILE

if TYPE_CHECKING:
    from rex.archive import FileState


@dataclass(frozen=True)
class Given:
    """One thing that a step was given.

    Attributes:
        kind: as of rex.trees.facts.
        path: absolute, as it was asked for.
        value: in the key; of a file its sha256, "" if that is unknown.
        process: who was given it first.
        seen: of a look, all that was answered, which the key has not; now: what counts of it where the step may be put back.
    """

    kind: str
    path: str
    value: str
    process: int
    seen: str = ""
    now: str = ""


@dataclass(frozen=True)
class Left:
    """What a step left at a path.

    Attributes:
        state: of the manifest; None: nothing is there any more, or nobody knows.
        is_known: whether the archive has it as the step left it.
        was_there: whether something was there before.
        mtime_ns: the time of its last change that it has after the step, if that is not one of the run; else 0.
    """

    path: str
    state: "FileState | None"
    is_known: bool = True
    was_there: bool = True
    mtime_ns: int = 0

    @property
    def value(self) -> str:
        """What is compared: type, mode and content."""
        if not self.is_known:
            return "unknown"
        if self.state is None:
            return "removed"
        content = self.state.content.sha256 if self.state.content else self.state.target
        return f"{self.state.type} {self.state.mode:o} {content}" + (f" @{self.mtime_ns}" if self.mtime_ns else "")


@dataclass
class Step:
    """Processes that run, or are left out, as one.

    Attributes:
        roots: the processes that begin it; members: all of them.
        programs: contents, arguments, environment and standard descriptors of each root.
        given: by kind and path, in order.
        left: in the order of their canonical paths.
        printed: (stream, text) as written to the experiment's standard streams.
        sources: what it drew on that is not in the key.
        against: why it cannot be left out.
        begins_at: event; seconds: from its first process's birth to its last one's end, and what putting back saved.
        busy_s: processor time that its processes took, or less where they ran side by side.
        is_put_back: whether its run did not execute it, and so tells nothing of what it takes.
        key: hash of programs and given; result: of left, printed and status.
        writes: paths that it left something at; passing: where it made something, and removed it again.
        is_program: whether every root executed a program: what others do follows from their maker's memory.
        owns: whether it made files its own, so that their group does not follow from their directory.
    """

    roots: tuple[int, ...]
    members: frozenset[int]
    command: str
    programs: list[dict[str, Any]]
    given: list[Given]
    left: list[Left]
    printed: list[tuple[int, str]]
    status: int | None
    sources: tuple[str, ...]
    against: tuple[str, ...]
    begins_at: int
    seconds: float = 0.0
    busy_s: float = 0.0
    is_put_back: bool = False
    key: str = ""
    result: str = ""
    passing: tuple[str, ...] = ()
    writes: frozenset[str] = field(default=frozenset())
    is_program: bool = True
    owns: bool = False

    @property
    def is_known(self) -> bool:
        """Whether all that it was given and left is known by content."""
        return (self.is_program and all(each["content"] for each in self.programs) and all(each.is_known for each in self.left)
                and all(each.value or each.kind != FILE for each in self.given))

    @property
    def counted(self) -> list[Given]:
        """What is in the key: not that names were free which it has used for a while, as such names are often random."""
        passing = frozenset(self.passing)
        return [each for each in self.given if each.kind != ABSENT or each.path not in passing]
