"""Experiments as lists show them: read from what lists need alone, because an archive may hold very many."""

from __future__ import annotations

from typing import Any

from rex.archive import COMPLETE, Experiment, amendments
from rex.archive.about import labels_of, note_of, verified_of
from rex.archive.jsonform import builder, read_json
from rex.archive.lineage import ancestor
from rex.archive.manifest_checks import check_numbers
from rex.errors import RexError
from rex.text import command_text, date_text
from rex.values import dataclass, field, replace

GOOD, BAD, UNFINISHED, DAMAGED = "good", "bad", "unfinished", "damaged"


@dataclass(frozen=True)
class Card:
    """One experiment in a list; what an unfinished or damaged one cannot tell is empty.

    Attributes:
        is_verified: whether its last checked replay was identical; None if there was none.
        problem: why it cannot be read.
    """

    name: str
    state: str
    command: tuple[str, ...] = ()
    start_ns: int = 0
    duration_s: float | None = None
    exit_status: int | None = None
    made_from: str = ""
    labels: dict[str, str] = field(default_factory=dict, hash=False)
    note: str = ""
    is_verified: bool | None = None
    problem: str = ""

    @property
    def is_usable(self) -> bool:
        """Whether it finished, so that new ones can be made from it."""
        return self.state == COMPLETE and not self.problem

    @property
    def status(self) -> str:
        """How it ended, in one of four words."""
        if self.problem:
            return DAMAGED
        return UNFINISHED if self.state != COMPLETE else GOOD if self.exit_status == 0 else BAD

    @property
    def command_text(self) -> str:
        """The command as one would type it."""
        return command_text(self.command)

    @property
    def date(self) -> str:
        """Day and time of its start, to the minute."""
        return date_text(self.start_ns)[:16]


@dataclass(frozen=True)
class _Head:
    """What a list shows of a manifest: without its files, which may be very many."""

    command: tuple[str, ...]
    start_ns: int = 0
    duration_s: float = 0.0
    exit_status: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)


def unfinished_card(experiment: Experiment, state: str) -> Card:
    """What the start of an unfinished experiment tells."""
    try:
        command, start_ns = experiment.begun.get("command"), experiment.begun.get("start_ns")
    except RexError as error:
        return Card(experiment.name, state, problem=str(error))
    is_command = isinstance(command, list) and all(isinstance(word, str) for word in command)
    return Card(experiment.name, state, tuple(command) if is_command and command else (),
                start_ns if isinstance(start_ns, int) else 0)


def finished_card(experiment: Experiment) -> Card:
    """What a finished experiment tells in a list."""
    try:
        head: _Head = builder(_Head)(read_json(experiment.manifest_json(), "a manifest"))
        check_numbers(head.start_ns, head.duration_s, head.exit_status)
        head = replace(head, extra=amendments.apply(head.extra, experiment.changes))
    except RexError as error:
        return Card(experiment.name, COMPLETE, problem=str(error))
    except (ValueError, TypeError, RecursionError) as error:
        return Card(experiment.name, COMPLETE, problem=f"its manifest is damaged: {error}")
    return Card(experiment.name, COMPLETE, head.command, head.start_ns, head.duration_s, head.exit_status,
                ancestor(head.extra), labels_of(head), note_of(head), verified_of(head).get("is_identical"))
